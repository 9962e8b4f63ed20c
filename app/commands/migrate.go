package commands

import (
	"context"

	"dg/platform/config"
)

// migrateCmd is `dg migrate`.
type migrateCmd struct {
	config.Database
	config.Secrets
	ForgetSecretKey bool `help:"Accept DG_SECRET_KEY in place of a lost key. Two-step secrets under the lost key stay unreadable."`
}

// Run migrates the database. It needs no key: it stores no secret.
func (c migrateCmd) Run(ctx context.Context, p Stdio) error {
	keys, err := keyring(c.Secrets)
	if err != nil {
		return err
	}
	db, err := openDatabase(ctx, c.Database, false, p.log)
	if err != nil {
		return err
	}
	defer db.release()
	if keys.Encrypts() || c.ForgetSecretKey {
		if err := db.encrypt(ctx, c.Secrets, c.ForgetSecretKey, p.log); err != nil {
			return err
		}
	}
	return p.print("The database is up to date.\n")
}
