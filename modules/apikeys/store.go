package apikeys

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"

	"gorm.io/gorm"

	"dg/platform/apperr"
	"dg/platform/postgres"
	"dg/platform/postgres/tenant"
)

// storedKey adds the hash of the secret, which only Create and authenticate.sql use.
type storedKey struct {
	Key

	SecretHash []byte
}

// Scopes reads and writes scopes as a text[], such as {forks:read,reports:read}.
type Scopes []Scope

// GormDataType implements schema.GormDataTypeInterface.
func (Scopes) GormDataType() string { return "text[]" }

// Value implements driver.Valuer.
func (a Scopes) Value() (driver.Value, error) {
	names := make([]string, len(a))
	for i, s := range a {
		names[i] = string(s)
	}
	return "{" + strings.Join(names, ",") + "}", nil
}

// Scan implements sql.Scanner.
func (a *Scopes) Scan(value any) error {
	text, ok := value.(string)
	if !ok || len(text) < 2 {
		return fmt.Errorf("apikeys: cannot read %T as scopes", value)
	}
	*a = nil
	for name := range strings.SplitSeq(text[1:len(text)-1], ",") {
		*a = append(*a, Scope(name))
	}
	return nil
}

func selectKeys(db *gorm.DB, tag, organisationID string) *gorm.DB {
	return db.Scopes(postgres.Tag(tag), tenant.Scope(organisationID)).Model(&Key{})
}

// These conditions are about the database's instant.
const (
	isUnrevoked = "(revoked_at is null or revoked_at > clock_timestamp())"
	isUsable    = isUnrevoked + " and (expires_at is null or expires_at > clock_timestamp())"
)

// databaseMillisecond is for columns, which hold whole milliseconds.
var databaseMillisecond = gorm.Expr("date_trunc('milliseconds', clock_timestamp())")

var errKeyNotFound = apperr.New(apperr.NotFound, "No such key.")

func readKey(db *gorm.DB, organisationID, id string) (key Key, err error) {
	if !IsID(id) {
		return Key{}, errKeyNotFound
	}
	err = selectKeys(db, "apikeys.key", organisationID).Where("id = ?", id).Take(&key).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return Key{}, errKeyNotFound
	}
	return key, apperr.Annotate(err, "apikeys: key")
}
