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

// auditCmd is `dg audit`.
type auditCmd struct {
	Prune auditPruneCmd `cmd:"" help:"Count old entries of all audit logs; with --export, move them to a file."`
}

// auditPruneCmd is `dg audit prune`.
type auditPruneCmd struct {
	asOwner
	Before string `required:"" placeholder:"YYYY-MM" help:"The first month to keep (UTC): earlier entries are old."`
	Export string `placeholder:"FILE" help:"New file for the old entries, one a line as JSON. They are removed once the file is complete. Without it nothing is removed."`
}

// Run counts the old entries, or moves them to the file. It works as the owner of the tables: the
// serving role may not remove any.
func (c auditPruneCmd) Run(ctx context.Context, p Stdio, o *operator) error {
	before, err := pruneBefore(c.Before, time.Now())
	if err != nil {
		return err
	}
	organisations, err := org.AllIDs(ctx, o.DB)
	if err != nil {
		return err
	}
	pruning := &pruning{operator: o, before: before, organisations: organisations}
	if c.Export == "" {
		return pruning.count(ctx, p)
	}
	return pruning.prune(ctx, c.Export, p)
}

// pruneBefore is the first instant of a month that has begun.
func pruneBefore(month string, now time.Time) (time.Time, error) {
	before, err := time.Parse("2006-01", month)
	if err != nil {
		return time.Time{}, fmt.Errorf("--before %q is not a month such as 2026-01", month)
	}
	if before.After(now) {
		return time.Time{},
			fmt.Errorf("--before %s has not begun: only whole months of the past are removed", month)
	}
	return before, nil
}

// pruning is one run of dg audit prune.
type pruning struct {
	*operator
	before        time.Time
	organisations []string
}

func (r *pruning) count(ctx context.Context, p Stdio) error {
	total := int64(0)
	for _, id := range r.organisations {
		n, err := r.log.CountBefore(ctx, id, r.before)
		if err != nil {
			return err
		}
		if n > 0 {
			fmt.Fprintf(p.Stdout, "%s  %d\n", id, n)
		}
		total += n
	}
	return p.print("%d entries are from before %s. Nothing was removed: name a file with --export.\n",
		total, r.before.Format(time.DateOnly))
}

// prune removes nothing before the file is complete on disk. Each log is pruned in its own
// transaction: after an interruption, a second run with another file prunes the rest.
func (r *pruning) prune(ctx context.Context, path string, p Stdio) error {
	exported, err := r.export(ctx, path)
	if err != nil {
		return fmt.Errorf("nothing was removed: %w", err)
	}
	total := int64(0)
	for _, id := range r.organisations {
		if exported[id] == 0 {
			continue
		}
		if err := r.log.Prune(ctx, id, r.before, exported[id], r.request); err != nil {
			return fmt.Errorf("%d of the entries in %s were removed; run it again with another file: %w",
				total, path, err)
		}
		total += exported[id]
	}
	return p.print("Wrote %d entries from before %s to %s, and removed them.\n", total,
		r.before.Format(time.DateOnly), path)
}

// export returns how many entries of each log it wrote.
func (r *pruning) export(ctx context.Context, path string) (map[string]int64, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	exported := map[string]int64{}
	buffered := bufio.NewWriter(file)
	for _, id := range r.organisations {
		if exported[id], err = r.log.ExportBefore(ctx, id, r.before, buffered); err != nil {
			return nil, errors.Join(err, os.Remove(path))
		}
	}
	if err := errors.Join(buffered.Flush(), file.Sync()); err != nil {
		return nil, errors.Join(err, os.Remove(path))
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	return exported, folder.Sync() // or a power cut may remove the file's name
}
