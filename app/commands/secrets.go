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

// encrypt makes the current key that of the database, and logs the secrets that no key decrypts. It
// fails if the keys belong to another database. With forgetLost the key replaces a lost one.
func (db *database) encrypt(
	ctx context.Context, secrets config.Secrets, forgetLost bool, log *slog.Logger,
) error {
	keys, err := keyring(secrets)
	if err != nil {
		return err
	}
	db.keys = keys
	owner, err := postgres.Open(ctx, db.ownerURL,
		postgres.Options{Name: "dg secrets", MaxConns: 1, Logger: log})
	if err != nil {
		return err
	}
	defer owner.Close()
	done, err := identity.MigrateSecrets(ctx, owner, keys, forgetLost)
	if err != nil {
		return err
	}
	db.unreadable = done.Unreadable
	if done.Encrypted > 0 {
		log.Info("encrypted two-step secrets with DG_SECRET_KEY", "secrets", done.Encrypted)
	}
	if done.Unreadable > 0 {
		log.Error("two-step secrets cannot be read, so codes of these people cannot be checked. "+
			"Set DG_SECRET_KEY_PREVIOUS to their key, or reset the accounts", "secrets",
			done.Unreadable)
	}
	return nil
}
