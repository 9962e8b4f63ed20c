package commands

import (
	"context"
	"fmt"
	"io"
	"strings"

	"dg/modules/apikeys"
	"dg/modules/org"
)

// keysCmd is `dg keys`. A restore of an older backup revives revoked keys.
type keysCmd struct {
	Revoked keysRevokedCmd `cmd:"" help:"Print the ids of all revoked keys, one a line, to keep apart from the database."`
	Revoke  keysRevokeCmd  `cmd:"" help:"Revoke the keys of that list, or every key, after a restore."`
}

// keysRevokedCmd is `dg keys revoked`.
type keysRevokedCmd struct{ asOwner }

// Run prints the ids of revoked keys, for dg keys revoke.
func (c keysRevokedCmd) Run(ctx context.Context, p Stdio, o *operator) error {
	organisations, err := org.AllIDs(ctx, o.DB)
	if err != nil {
		return err
	}
	for _, organisation := range organisations {
		ids, err := apikeys.RevokedIDs(ctx, o.DB, organisation)
		if err != nil {
			return err
		}
		for _, id := range ids {
			fmt.Fprintln(p.Stdout, id)
		}
	}
	return nil
}

// keysRevokeCmd is `dg keys revoke`.
type keysRevokeCmd struct {
	asOwner
	From string `placeholder:"FILE" xor:"which" required:"" help:"File of key ids, one a line, as dg keys revoked prints them; - is standard input."`
	All  bool   `xor:"which" required:"" help:"Revoke every key of every organisation, if there is no list."`
}

// Run revokes the keys. It ignores unknown ids, whose keys are newer than the backup.
func (c keysRevokeCmd) Run(ctx context.Context, p Stdio, o *operator) error {
	var ids []string // nil: all
	if !c.All {
		var err error
		if ids, err = readKeyIDs(c.From, p); err != nil {
			return err
		}
	}
	organisations, err := org.AllIDs(ctx, o.DB)
	if err != nil {
		return err
	}
	total := 0
	for _, organisation := range organisations {
		n, err := apikeys.RevokeAgain(ctx, o.DB, o.log, organisation, ids, o.request)
		if err != nil {
			return fmt.Errorf("%d keys were revoked; run it again: %w", total, err)
		}
		total += n
	}
	return p.print("Revoked %d keys.\n", total)
}

// readKeyIDs reads ids. It never returns nil, which means all keys. An invalid id is an error: a
// leaked key could stay valid. The error does not quote it: it may be a secret.
func readKeyIDs(path string, p Stdio) (ids []string, err error) {
	list, err := inputFile(path, p).Open()
	if err != nil {
		return nil, err
	}
	defer list.Close()
	text, err := io.ReadAll(list)
	ids = append([]string{}, strings.Fields(string(text))...)
	for i, id := range ids {
		if !apikeys.IsID(id) {
			return nil, fmt.Errorf("entry %d of the list is not the id of a key: write ids as dg keys "+
				"revoked prints them, one a line", i+1)
		}
	}
	return ids, err
}
