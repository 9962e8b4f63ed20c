package identity

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"dg/platform/apperr"
	"dg/platform/postgres"
)

// ErrWrongSecretKey says that the keyring lacks the key of the database.
var ErrWrongSecretKey = errors.New("the two-step secrets of this database are encrypted with another key: " +
	"set DG_SECRET_KEY to that key, or DG_SECRET_KEY_PREVIOUS while you replace it. " +
	"If it is lost: dg migrate --forget-secret-key")

// secretKeyRow has the check value. While it exists, a trigger refuses secrets in clear.
type secretKeyRow struct {
	One   bool `gorm:"primaryKey"` // always true, which allows one row only
	Value string
}

func (secretKeyRow) TableName() string { return "secret_key_check" }

// The check value is the encrypted checkText. checkPerson takes the place of a person's id.
const (
	checkPerson = "check of the secret key"
	checkText   = "dg"
)

// CheckSecretKey returns ErrWrongSecretKey if no key of the keyring decrypts the check value.
// Otherwise it returns the e-mails of people whose two-step secret no key decrypts, or nil if there
// is no check value.
func CheckSecretKey(ctx context.Context, db *postgres.DB, keyring Keyring) (emails []string, err error) {
	tx := db.Gorm.WithContext(ctx)
	if hasCheckValue, err := verifyCheckValue(tx, keyring); err != nil || !hasCheckValue {
		return nil, err
	}
	var people []userRow
	err = tx.Scopes(postgres.Tag("identity.twoStepSecrets")).Select("id", "email", "totp_secret").
		Where("totp_secret is not null").Order("email").Find(&people).Error
	for _, r := range people {
		if _, err := keyring.decrypt(r.ID, *r.TOTPSecret); err != nil {
			emails = append(emails, r.Email)
		}
	}
	return emails, apperr.Annotate(err, "identity: two-step secrets")
}

func verifyCheckValue(tx *gorm.DB, keyring Keyring) (exists bool, err error) {
	var rows []secretKeyRow
	err = tx.Scopes(postgres.Tag("identity.checkValue")).Find(&rows).Error
	for _, row := range rows {
		if !keyring.sameSecret(checkPerson, row.Value, checkText) {
			return true, ErrWrongSecretKey
		}
	}
	return len(rows) > 0, apperr.Annotate(err, "identity: check value of the secret key")
}

// ReencryptResult counts the secrets that MigrateSecrets encrypted or could not read.
type ReencryptResult struct{ Encrypted, Unreadable int }

// MigrateSecrets encrypts the secrets of users with the current key and stores the check value, in
// one transaction. It ends no session and voids no recovery code. With forgetLost, the current key
// replaces a lost key, whose secrets stay unreadable. Without a current key, MigrateSecrets only
// verifies the check value, and fails with forgetLost. The pool must connect as the owner of the
// tables. Errors: ErrWrongSecretKey.
func MigrateSecrets(
	ctx context.Context, owner *postgres.DB, keyring Keyring, forgetLost bool,
) (result ReencryptResult, err error) {
	if !keyring.Encrypts() {
		if forgetLost {
			return result, errors.New("set DG_SECRET_KEY to the key that replaces the lost one")
		}
		_, err := verifyCheckValue(owner.Gorm.WithContext(ctx), keyring)
		return result, err
	}
	err = owner.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		hasCheckValue, err := lockCheckValue(tx, keyring)
		if err != nil && (!forgetLost || !errors.Is(err, ErrWrongSecretKey)) {
			return err
		}
		result, err = reencrypt(tx, keyring, hasCheckValue)
		switch {
		case err != nil:
			return err
		case result.Unreadable > 0 && !hasCheckValue && !forgetLost:
			return ErrWrongSecretKey // without a check value, the current key may be wrong
		}
		row := secretKeyRow{One: true, Value: keyring.Encrypt(checkPerson, checkText)}
		return insertRows(tx.Clauses(upsert), "identity.storeCheckValue", &row)
	})
	return result, err
}

// lockCheckValue verifies the check value under a lock. It admits one migration at a time, and
// waits for imports, which lock the row FOR SHARE. Without a check value it also locks users,
// because another program could store a secret in clear.
func lockCheckValue(tx *gorm.DB, keyring Keyring) (exists bool, err error) {
	lockTable := func(table string) error {
		err := tx.Scopes(acrossOrganisations).
			Exec(`/* identity.lockSecrets */ lock table ` + table + ` in share row exclusive mode`).Error
		return apperr.Annotate(err, "identity: lock the secrets")
	}
	if err := lockTable("secret_key_check"); err != nil {
		return false, err
	}
	exists, err = verifyCheckValue(tx.Clauses(lockUpdate), keyring)
	if err != nil || exists {
		return exists, err
	}
	return false, lockTable("users")
}

// reencrypt encrypts the secrets that are in clear or under another key. If allEncrypted, a secret
// in clear is forged and counts as unreadable.
func reencrypt(tx transaction, keyring Keyring, allEncrypted bool) (result ReencryptResult, err error) {
	var stale []userRow
	// without a lock: the update compares the secret, so that a concurrent change stays
	err = tx.Scopes(postgres.Tag("identity.staleSecrets")).Select("id", "totp_secret").
		Where("totp_secret not like ?", keyring.current.prefix+"%").Find(&stale).Error
	if err != nil {
		return result, fmt.Errorf("identity: stale secrets: %w", err)
	}
	for _, r := range stale {
		secret := *r.TOTPSecret
		if allEncrypted || strings.HasPrefix(secret, encryptedPrefix) {
			if secret, err = keyring.decrypt(r.ID, secret); err != nil {
				result.Unreadable++
				continue
			}
		}
		changed, err := updateRows(tx, "identity.reencrypt", &userRow{}, map[string]any{
			"totp_secret":    keyring.Encrypt(r.ID, secret),
			"totp_rewritten": gorm.Expr("totp_rewritten + 1"), // so that triggers end no session
		}, "id = ? and totp_secret = ?", r.ID, *r.TOTPSecret)
		if err != nil {
			return result, err
		}
		result.Encrypted += int(changed)
	}
	return result, nil
}

// KeyringForImport calls MigrateSecrets if the database has no secret key. Otherwise it returns the
// keyring with the database's key as the current one, because an import must not replace the key.
// The pool must connect as the owner of the tables. Errors: ErrWrongSecretKey.
func KeyringForImport(ctx context.Context, owner *postgres.DB, keyring Keyring) (Keyring, error) {
	db := owner.Gorm.WithContext(ctx)
	exists, err := verifyCheckValue(db, keyring)
	if err != nil {
		return keyring, err
	}
	if !exists {
		_, err := MigrateSecrets(ctx, owner, keyring, false)
		return keyring, err
	}
	_, err = verifyCheckValue(db, Keyring{current: keyring.current})
	if errors.Is(err, ErrWrongSecretKey) {
		return Keyring{current: keyring.previous, previous: keyring.current}, nil
	}
	return keyring, err
}

// LockSecretKey keeps MigrateSecrets from storing a secret key until the transaction ends. It fails
// unless the check value is under the current key.
func (k Keyring) LockSecretKey(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, `/* identity.lockUsers */ lock table users in row exclusive mode`); err != nil {
		return err
	}
	rows, _ := tx.Query(ctx, `/* identity.lockSecretKey */ select value from secret_key_check for share`)
	values, err := pgx.CollectRows(rows, pgx.RowTo[string])
	for _, value := range values {
		if !(Keyring{current: k.current}).sameSecret(checkPerson, value, checkText) {
			return errors.New("the secret key was introduced or replaced while the import ran: import again")
		}
	}
	return apperr.Annotate(err, "identity: lock the secret key")
}

// KeepSecret returns stored if it decrypts to the same secret as imported, otherwise imported.
func (k Keyring) KeepSecret(personID, stored, imported string) string {
	secret, err := k.decrypt(personID, imported)
	if err == nil && k.sameSecret(personID, stored, secret) {
		return stored
	}
	return imported
}

func (k Keyring) sameSecret(personID, stored, secret string) bool {
	text, err := k.decrypt(personID, stored)
	return err == nil && text == secret
}
