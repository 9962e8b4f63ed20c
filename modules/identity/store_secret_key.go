package identity

import (
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm/clause"

	"dg/platform/apperr"
	"dg/platform/postgres"
)

// ErrSecretKey says that the keyring lacks the key of the database.
var ErrSecretKey = errors.New("the two-step secrets of this database are encrypted with another key: " +
	"set DG_SECRET_KEY to that key, or DG_SECRET_KEY_PREVIOUS while you replace it. " +
	"If it is lost: dg migrate --forget-secret-key")

// secretKeyRow holds the check value, a fixed text encrypted with the database's key. There is at
// most one row.
type secretKeyRow struct {
	One   bool `gorm:"primaryKey"`
	Value string
}

func (secretKeyRow) TableName() string { return "secret_key_check" }

// The check value is encrypted as if it were the secret of this person.
const (
	checkPerson = "check of the secret key"
	checkText   = "dg"
)

// CheckSecretKey reports whether the database has a check value, which means that all its secrets
// are encrypted. Errors: ErrSecretKey if none of the keys decrypts the value.
func CheckSecretKey(
	ctx context.Context, db *postgres.DB, keys Keyring,
) (encrypted bool, err error) {
	stored, err := readCheckValue(ctx, db)
	if err != nil || stored.Value == "" {
		return false, err
	}
	if text, err := keys.decrypt(checkPerson, stored.Value); err != nil || text != checkText {
		return true, ErrSecretKey
	}
	return true, nil
}

// ForgetSecretKey replaces a lost key of the database by the current one: secrets in clear stay
// refused. Without a current key it removes the check value. It needs the rights of the tables' owner.
func ForgetSecretKey(ctx context.Context, db *postgres.DB, keys Keyring) error {
	check := db.Gorm.WithContext(ctx).Scopes(postgres.Tag("identity.forgetSecretKey")).
		Model(&secretKeyRow{}).Where("one")
	var err error
	if keys.Encrypts() {
		err = check.Update("value", keys.encrypt(checkPerson, checkText)).Error
	} else {
		err = check.Delete(&secretKeyRow{}).Error
	}
	return apperr.Annotate(err, "identity: forget the secret key")
}

// storedCheck is the check value, "" for none, and whether the role may change it.
type storedCheck struct {
	Value    string
	Writable bool
}

func readCheckValue(ctx context.Context, db *postgres.DB) (stored storedCheck, err error) {
	err = db.Gorm.WithContext(ctx).Scopes(postgres.Tag("identity.checkValue")).
		Model(&secretKeyRow{}).
		Select(
			"coalesce(max(value), '') as value, has_table_privilege('secret_key_check', 'insert') as writable",
		).
		Scan(&stored).Error
	return stored, apperr.Annotate(err, "identity: check value of the secret key")
}

// recordKey makes the current key the database's, and reports whether it is: the serving role may
// not. Of several first starts with different keys one wins, and the others get ErrSecretKey.
func recordKey(ctx context.Context, db *postgres.DB, keys Keyring) (recorded bool, err error) {
	stored, err := readCheckValue(ctx, db)
	value := keys.encrypt(checkPerson, checkText)
	if err != nil || stored.Value == value || !stored.Writable {
		return stored.Value == value, err
	}
	tx := db.Gorm.WithContext(ctx).Scopes(postgres.Tag("identity.recordKey"))
	if stored.Value == "" {
		err = tx.Clauses(clause.OnConflict{DoNothing: true}).
			Create(&secretKeyRow{One: true, Value: value}).Error
	} else {
		err = tx.Model(&secretKeyRow{}).Where("value = ?", stored.Value).Update("value", value).
			Error
	}
	if err != nil {
		return false, fmt.Errorf("identity: record the secret key: %w", err)
	}
	return CheckSecretKey(ctx, db, keys)
}
