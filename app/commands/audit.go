package commands

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"dg/modules/org"
)

type auditCmd struct {
	Prune auditPruneCmd `cmd:"" help:"Move old entries of all audit logs to a file."`
}

type auditPruneCmd struct {
	ownerDatabase
	Before time.Time `required:"" format:"2006-01" placeholder:"YYYY-MM" help:"The first month to keep (UTC): earlier entries are old."`
	Export string    `required:"" placeholder:"FILE" help:"New file for the old entries, one a line as JSON. They are removed once the file is complete."`
}

// Run removes entries only once the file is complete on disk. It prunes each log in a transaction
// of its own: after an interruption, a second run with another file prunes the rest.
func (c auditPruneCmd) Run(ctx context.Context, stdio Stdio, o *operator) error {
	if c.Before.After(time.Now()) {
		return fmt.Errorf("--before %s has not begun: only whole months of the past are removed",
			c.Before.Format("2006-01"))
	}
	organisations, err := o.orgs.AllOrganisations(ctx)
	if err != nil {
		return err
	}
	counts, err := c.export(ctx, o, organisations)
	if err != nil {
		return fmt.Errorf("nothing was removed: %w", err)
	}
	total := int64(0)
	for _, organisation := range organisations {
		if counts[organisation.ID] == 0 {
			continue
		}
		if err := o.auditLog.Prune(ctx, organisation.ID, c.Before, counts[organisation.ID], o.request); err != nil {
			// not wrapped: the message of an interruption would replace this one
			return fmt.Errorf("%d of the entries in %s were removed, of which it is the only copy, and maybe "+
				"those of organisation %s; run it again with another file: %v", total, c.Export, organisation.ID, err)
		}
		total += counts[organisation.ID]
	}
	return stdio.print("Wrote %d entries from before %s to %s, and removed them.\n", total,
		c.Before.Format(time.DateOnly), c.Export)
}

func (c auditPruneCmd) export(
	ctx context.Context, o *operator, organisations []org.Organisation,
) (countByOrganisation map[string]int64, _ error) {
	file, err := os.OpenFile(c.Export, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	counts := map[string]int64{}
	writer := bufio.NewWriter(file)
	for _, organisation := range organisations {
		counts[organisation.ID], err = o.auditLog.ExportBefore(ctx, organisation.ID, c.Before, writer)
		if err != nil {
			return nil, errors.Join(err, os.Remove(c.Export))
		}
	}
	if err := errors.Join(writer.Flush(), file.Sync()); err != nil {
		return nil, errors.Join(err, os.Remove(c.Export))
	}
	folder, err := os.Open(filepath.Dir(c.Export))
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	return counts, folder.Sync() // makes the directory entry durable
}
