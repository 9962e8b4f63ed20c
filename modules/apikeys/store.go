package apikeys

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"

	"dg/modules/audit"
	"dg/platform/authz"
	"dg/platform/postgres"
)

type keyRow struct {
	ID          string
	OrgID       string
	Name        string
	Scopes      scopeArray
	SecretHash  []byte
	CreatedAt   time.Time
	CreatedBy   string
	CreatorName string
	ExpiresAt   *time.Time
	RevokedAt   *time.Time
	LastUsedAt  *time.Time
	// The column once is older than its name here; renaming it would stop an older program beside this one.
	IdempotencyKey *string `gorm:"column:once"`
}

func (keyRow) TableName() string { return "api_keys" }

func (r keyRow) key() Key {
	return Key{
		ID: r.ID, OrganisationID: r.OrgID, Name: r.Name, Scopes: r.Scopes, CreatedAt: r.CreatedAt,
		CreatedBy: Person{ID: r.CreatedBy, Name: r.CreatorName}, ExpiresAt: r.ExpiresAt, RevokedAt: r.RevokedAt, LastUsedAt: r.LastUsedAt,
	}
}

func newKeyRow(k Key, hash []byte, idempotencyKey string) keyRow {
	r := keyRow{
		ID: k.ID, OrgID: k.OrganisationID, Name: k.Name, Scopes: k.Scopes, SecretHash: hash, CreatedAt: k.CreatedAt,
		CreatedBy: k.CreatedBy.ID, CreatorName: k.CreatedBy.Name, ExpiresAt: k.ExpiresAt,
	}
	if idempotencyKey != "" {
		r.IdempotencyKey = &idempotencyKey
	}
	return r
}

func toKeys(rows []keyRow) []Key {
	keys := make([]Key, len(rows))
	for i, r := range rows {
		keys[i] = r.key()
	}
	return keys
}

// scopeArray reads and writes scopes as a text[]: {forks:read,reports:read}. A scope needs no quotes.
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

// keyColumns leaves the hash out: nothing outside the database needs it.
const keyColumns = "id, org_id, name, scopes, created_at, created_by, creator_name, expires_at, revoked_at, last_used_at"

func (s *Service) list(ctx context.Context, organisationID string, now time.Time) ([]Key, error) {
	var rows []keyRow
	err := s.db.Gorm.WithContext(ctx).Raw(`/* apikeys.list */
		select `+keyColumns+` from (
			select `+keyColumns+` from api_keys where org_id = ?
			 order by revoked_at is null and (expires_at is null or expires_at > ?) desc, created_at desc, id limit ?) listed
		 order by created_at desc, id`, organisationID, now, MaxListed).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("apikeys: list: %w", err)
	}
	return toKeys(rows), nil
}

func (s *Service) key(ctx context.Context, organisationID, id string) (Key, error) {
	var rows []keyRow
	err := s.db.Gorm.WithContext(ctx).Raw(`/* apikeys.key */ select `+keyColumns+` from api_keys where org_id = ? and id = ?`, organisationID, id).Scan(&rows).Error
	if err != nil {
		return Key{}, fmt.Errorf("apikeys: key: %w", err)
	}
	if len(rows) == 0 {
		return Key{}, errKeyNotFound
	}
	return rows[0].key(), nil
}

// expiring lists the keys that are not revoked and expire between now and end, the soonest first.
func (s *Service) expiring(ctx context.Context, organisationID string, now, end time.Time) ([]Key, error) {
	var rows []keyRow
	err := s.db.Gorm.WithContext(ctx).Raw(`/* apikeys.expiring */
		select `+keyColumns+` from api_keys
		 where org_id = ? and revoked_at is null and expires_at > ? and expires_at <= ?
		 order by expires_at, id limit ?`, organisationID, now, end, MaxUsable).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("apikeys: expiring: %w", err)
	}
	return toKeys(rows), nil
}

// revoke reads the actor's role without locking it: stopping a leaked key must never wait.
func (s *Service) revoke(ctx context.Context, organisationID, id string, entry audit.Entry) error {
	return s.db.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		if err := s.reauthorize(tx, entry, authz.RevokeKey, s.orgs.CurrentSubjectIn); err != nil {
			return err
		}
		changed := tx.Exec(`/* apikeys.revoke */ update api_keys set revoked_at = date_trunc('milliseconds', clock_timestamp()) where org_id = ? and id = ? and revoked_at is null`, organisationID, id)
		if changed.Error != nil {
			return fmt.Errorf("apikeys: revoke: %w", changed.Error)
		}
		if changed.RowsAffected == 1 {
			return s.log.AppendIn(tx, entry)
		}
		var known int64
		if err := tx.Model(&keyRow{}).Scopes(postgres.Tenant(organisationID)).Where("id = ?", id).Count(&known).Error; err != nil {
			return fmt.Errorf("apikeys: revoke: %w", err)
		}
		if known == 0 {
			return errKeyNotFound
		}
		return nil
	})
}

// usable decides by the database's clock, as authentication does.
func (s *Service) usable(ctx context.Context, organisationID, id string) (bool, error) {
	var usable bool
	err := s.db.Gorm.WithContext(ctx).Raw(`/* apikeys.stillUsable */
		select exists (select from api_keys k join organisations o on o.id = k.org_id
		                where k.org_id = ? and k.id = ? and k.revoked_at is null and o.plan in ('pro', 'enterprise')
		                  and (k.expires_at is null or k.expires_at > clock_timestamp()))`, organisationID, id).Scan(&usable).Error
	if err != nil {
		return false, fmt.Errorf("apikeys: still usable: %w", err)
	}
	return usable, nil
}
