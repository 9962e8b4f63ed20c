package apikeys

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"

	"dg/platform/apperr"
	"dg/platform/postgres"
	"dg/platform/postgres/tenant"
)

type keyRow struct {
	ID          string
	OrgID       string
	Name        string
	Description string
	Scopes      scopeArray
	SecretHash  []byte
	CreatedAt   time.Time
	CreatedBy   string
	CreatorName string
	ExpiresAt   *time.Time
	RevokedAt   *time.Time
	LastUsedAt  *time.Time
	Replaces    *string
}

func (keyRow) TableName() string { return "api_keys" }

func (r keyRow) key() Key {
	k := Key{
		ID:             r.ID,
		OrganisationID: r.OrgID,
		Name:           r.Name,
		Description:    r.Description,
		Scopes:         r.Scopes,
		CreatedAt:      r.CreatedAt,
		CreatedBy:      Person{ID: r.CreatedBy, Name: r.CreatorName},
		ExpiresAt:      r.ExpiresAt,
		RevokedAt:      r.RevokedAt,
		LastUsedAt:     r.LastUsedAt,
	}
	if r.Replaces != nil {
		k.Replaces = *r.Replaces
	}
	return k
}

func newKeyRow(k Key, hash []byte) keyRow {
	r := keyRow{
		ID:          k.ID,
		OrgID:       k.OrganisationID,
		Name:        k.Name,
		Description: k.Description,
		Scopes:      k.Scopes,
		SecretHash:  hash,
		CreatedAt:   k.CreatedAt,
		CreatedBy:   k.CreatedBy.ID,
		CreatorName: k.CreatedBy.Name,
		ExpiresAt:   k.ExpiresAt,
	}
	if k.Replaces != "" {
		r.Replaces = &k.Replaces
	}
	return r
}

// scopeArray reads and writes scopes as a text[], such as {forks:read,reports:read}.
type scopeArray []Scope

// GormDataType implements schema.GormDataTypeInterface.
func (scopeArray) GormDataType() string { return "text[]" }

// Value implements driver.Valuer.
func (a scopeArray) Value() (driver.Value, error) {
	names := make([]string, len(a))
	for i, s := range a {
		names[i] = string(s)
	}
	return "{" + strings.Join(names, ",") + "}", nil
}

// Scan implements sql.Scanner.
func (a *scopeArray) Scan(value any) error {
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

// keys is a query of the organisation's keys, without the hashes of their secrets.
func keys(db *gorm.DB, tag, organisationID string) *gorm.DB {
	return db.Scopes(postgres.Tag(tag), tenant.Scope(organisationID)).Model(&keyRow{}).
		Omit("SecretHash")
}

// unrevokedAt selects keys that are not revoked, usableAt those that are not expired either.
const (
	unrevokedAt = "(revoked_at is null or revoked_at > @at)"
	usableAt    = unrevokedAt + " and (expires_at is null or expires_at > @at)"
)

// at is the argument @at of unrevokedAt and usableAt. databaseNow is @at by the database's clock, as
// in authentication.
func at(instant any) sql.NamedArg { return sql.Named("at", instant) }

var (
	databaseNow         = at(gorm.Expr("clock_timestamp()"))
	databaseMillisecond = gorm.Expr("date_trunc('milliseconds', clock_timestamp())")
)

var errKeyNotFound = apperr.New(apperr.NotFound, "No such key.")

// readKey reads a key of the organisation. A malformed id is unknown.
// Errors: apperr.NotFound.
func readKey(db *gorm.DB, organisationID, id string) (Key, error) {
	if !IsID(id) {
		return Key{}, errKeyNotFound
	}
	var row keyRow
	err := keys(db, "apikeys.key", organisationID).Where("id = ?", id).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return Key{}, errKeyNotFound
	}
	if err != nil {
		return Key{}, fmt.Errorf("apikeys: key: %w", err)
	}
	return row.key(), nil
}
