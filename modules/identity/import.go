package identity

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"dg/platform/postgres"
)

// KeyringForImport introduces a secret key, if there is none yet, and otherwise returns the keyring
// with the key of the check value as its current one: an import never replaces a key. The pool must
// connect as the owner of the tables. Errors: ErrSecretKey.
func KeyringForImport(ctx context.Context, owner *postgres.DB, keys Keyring) (Keyring, error) {
	db := owner.Gorm.WithContext(ctx)
	exists, err := verifyCheckValue(db, keys)
	if err != nil {
		return keys, err
	}
	if !exists {
		_, err := MigrateSecrets(ctx, owner, keys, false)
		return keys, err
	}
	_, err = verifyCheckValue(db, Keyring{current: keys.current})
	if errors.Is(err, ErrSecretKey) {
		return Keyring{current: keys.previous, previous: keys.current}, nil
	}
	return keys, err
}

// LockSecretKey keeps the secret key from being introduced or replaced until the transaction ends.
// Errors: ErrSecretKey, if the current key is not that of the check value.
func (k Keyring) LockSecretKey(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, `/* identity.lockUsers */ lock table users in row exclusive mode`); err != nil {
		return err
	}
	rows, _ := tx.Query(ctx, `/* identity.lockSecretKey */ select value from secret_key_check for share`)
	values, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("identity: lock the secret key: %w", err)
	}
	for _, value := range values {
		if !(Keyring{current: k.current}).sameSecret(checkPerson, value, checkText) {
			return ErrSecretKey
		}
	}
	return nil
}

// KeepSecret returns stored if it is the secret of fresh under any of the keys, and fresh if not.
func (k Keyring) KeepSecret(personID, stored, fresh string) string {
	secret, err := k.decrypt(personID, fresh)
	if err == nil && k.sameSecret(personID, stored, secret) {
		return stored
	}
	return fresh
}

func (k Keyring) sameSecret(personID, stored, secret string) bool {
	text, err := k.decrypt(personID, stored)
	return err == nil && text == secret
}
