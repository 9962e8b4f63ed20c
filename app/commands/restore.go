package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"dg/migrations"
	"dg/modules/identity"
	"dg/platform/config"
	"dg/platform/embeddedpg"
	"dg/platform/postgres"
)

// restoreCmd is `dg restore`.
type restoreCmd struct {
	config.Database
	config.Secrets
	File string `arg:"" help:"File written by dg backup."`
}

// Run restores the backup into an empty database, or changes nothing.
func (c restoreCmd) Run(ctx context.Context, p Stdio) error {
	if err := c.Check(); err != nil {
		return err
	}
	if !c.Embedded() {
		return errOwnServer
	}
	keys, err := keyring(c.Secrets)
	if err != nil {
		return err
	}
	file, err := os.Open(c.File)
	if err != nil {
		return err
	}
	defer file.Close()
	server, release, err := startEmbedded(ctx, c.DataDir, p.log)
	if err != nil {
		return err
	}
	defer release()
	return restoreInto(ctx, server, file, keys, p)
}

// restoreInto restores into a second database, migrates it, and then puts it in place of the empty
// one.
func restoreInto(
	ctx context.Context, server *embeddedpg.Server, file *os.File, keys identity.Keyring, p Stdio,
) error {
	serving, err := postgres.RoleOf(server.URL())
	if err != nil {
		return err
	}
	if err := checkEmpty(ctx, server.OwnerURL()); err != nil {
		return err
	}
	unreadable := 0
	err = server.Restore(ctx, file, func(ownerURL string) error {
		if tables, _, err := contents(ctx, ownerURL); err != nil || !tables {
			return cmp.Or(err, errNoBackup)
		}
		if err := postgres.Migrate(ctx, ownerURL, migrations.FS, serving, p.log); err != nil {
			return fmt.Errorf("migrate the database of the backup: %w", err)
		}
		if unreadable, err = unreadableSecrets(ctx, ownerURL, keys, p.log); err != nil {
			return err
		}
		return checkEmpty(ctx, server.OwnerURL()) // still
	})
	if err != nil {
		return fmt.Errorf("nothing was restored: %w", err)
	}
	fmt.Fprintf(p.Stdout, "Restored %s. Everybody signs in again.\n", file.Name())
	if unreadable > 0 {
		fmt.Fprintf(p.Stdout,
			"WARNING: %d secrets of two-step verification are encrypted with another key than DG_SECRET_KEY: "+
				"set it to the key of that time before you start dg serve.\n", unreadable)
	}
	return p.print("Keys that were revoked and players who were erased after the backup are back: run " +
		"dg keys revoke and dg erase with your lists before dg serve (configs/deploy/backup.md).\n")
}

var errNotEmpty = errors.New("the database holds data, and a restore never replaces any: " +
	"name another data folder with DG_DATA_DIR, or move this one away while nothing uses it")

var errNoBackup = errors.New(
	"the file is a dump of another database: dg backup, or pg_dump of dg's database, makes one",
)

// checkEmpty fails if the database holds an organisation or a person. It may have tables.
func checkEmpty(ctx context.Context, ownerURL string) error {
	_, data, err := contents(ctx, ownerURL)
	if err == nil && data {
		err = errNotEmpty
	}
	return err
}

// contents reports whether the database has dg's tables, and whether they hold an organisation or a
// person.
func contents(ctx context.Context, ownerURL string) (tables, data bool, err error) {
	owner, err := postgres.Open(ctx, ownerURL, postgres.Options{Name: "dg restore", MaxConns: 1})
	if err != nil {
		return false, false, err
	}
	defer owner.Close()
	err = owner.Pool.QueryRow(ctx,
		`/* app.contents */ select to_regclass('public.organisations') is not null`).Scan(&tables)
	if err == nil && tables {
		err = owner.Pool.QueryRow(ctx,
			`/* app.contents */ select exists (select from organisations) or exists (select from users)`).
			Scan(&data)
	}
	return tables, data, err
}
