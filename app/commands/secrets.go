package commands

import (
	"context"
	"log/slog"

	"dg/modules/identity"
	"dg/platform/config"
	"dg/platform/postgres"
)

// keyring returns the keys in the settings.
func keyring(c config.Secrets) (identity.Keyring, error) {
	current, previous, err := c.Keys()
	if err != nil {
		return identity.Keyring{}, err
	}
	return identity.NewKeyring(current, previous)
}

// encrypt re-encrypts stored secrets with the current key, so that a replaced key can be dropped. It
// logs unreadable secrets, and fails if the keys belong to another database. With forgetLost it first
// records the current key in place of a lost one.
func (db *database) encrypt(
	ctx context.Context, secrets config.Secrets, forgetLost bool, log *slog.Logger,
) error {
	keys, err := keyring(secrets)
	if err != nil {
		return err
	}
	db.keys = keys
	owner, err := postgres.Open(ctx, db.ownerURL,
		postgres.Options{Name: "dg secrets", MaxConns: 2, Logger: log})
	if err != nil {
		return err
	}
	defer owner.Close()
	if forgetLost {
		err := identity.ForgetSecretKey(ctx, owner, keys)
		if err != nil || !keys.Encrypts() {
			return err
		}
	}
	done, err := identity.ReencryptSecrets(ctx, owner, keys)
	if err != nil {
		return err
	}
	db.unreadable = done.Unreadable
	if done.Encrypted > 0 {
		log.Info("encrypted two-step secrets with DG_SECRET_KEY", "secrets", done.Encrypted)
	}
	if done.Unreadable > 0 {
		log.Error("two-step secrets cannot be read, so codes of these people cannot be checked: "+
			"they are encrypted with a missing key, or were stored in clear. Set DG_SECRET_KEY to that key, "+
			"or DG_SECRET_KEY_PREVIOUS while you replace it, or reset the accounts", "secrets",
			done.Unreadable)
	} else if keys.Encrypts() && !done.Recorded {
		log.Warn("DG_SECRET_KEY is not recorded in the database: run dg migrate with it and " +
			"DG_MIGRATE_DATABASE_URL")
	}
	return nil
}
