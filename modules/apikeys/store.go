package apikeys

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"

	"dg/modules/audit"
	"dg/platform/apperr"
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
}

func (keyRow) TableName() string { return "api_keys" }

func (r keyRow) key() Key {
	return Key{
		ID: r.ID, OrganisationID: r.OrgID, Name: r.Name, Scopes: r.Scopes, CreatedAt: r.CreatedAt,
		CreatedBy: Person{ID: r.CreatedBy, Name: r.CreatorName}, ExpiresAt: r.ExpiresAt, RevokedAt: r.RevokedAt, LastUsedAt: r.LastUsedAt,
	}
}

// scopeArray is a list of scopes as gorm reads and writes a text[]: {forks:read,reports:read}. A scope needs no quotes.
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
		return fmt.Errorf("apikeys: a %T is no list of scopes", value)
	}
	*a = nil
	for name := range strings.SplitSeq(text[1:len(text)-1], ",") {
		*a = append(*a, Scope(name))
	}
	return nil
}

var (
	errKeyNotFound = apperr.New(apperr.NotFound, "There is no such key.")
	errBelowPlan   = apperr.New(apperr.AccessDenied, "API keys are part of the Pro and Enterprise plans. Change the plan to create one.")
)

// insert stores the key with its windows and its audit entry, if the organisation's plan includes the API.
func (s *Service) insert(ctx context.Context, k Key, hash []byte, entry audit.Entry) error {
	return s.db.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		o, err := s.orgs.OrganisationIn(tx, k.OrganisationID)
		if err != nil {
			return err
		}
		if !o.Plan.IncludesAPI() {
			return errBelowPlan
		}
		row := keyRow{
			ID: k.ID, OrgID: k.OrganisationID, Name: k.Name, Scopes: k.Scopes, SecretHash: hash, CreatedAt: k.CreatedAt,
			CreatedBy: k.CreatedBy.ID, CreatorName: k.CreatedBy.Name, ExpiresAt: k.ExpiresAt,
		}
		if err := tx.Create(&row).Error; err != nil {
			return fmt.Errorf("apikeys: create: %w", err)
		}
		if err := tx.Exec(`/* apikeys.newWindows */ insert into api_key_windows (key_id, refused) values (?, false), (?, true)`, k.ID, k.ID).Error; err != nil {
			return fmt.Errorf("apikeys: new windows: %w", err)
		}
		return s.log.AppendIn(tx, entry)
	})
}

// The hash is not among the columns that are read: nothing outside the database needs it.
const keyColumns = "id, org_id, name, scopes, created_at, created_by, creator_name, expires_at, revoked_at, last_used_at"

func (s *Service) list(ctx context.Context, organisationID string) ([]Key, error) {
	var rows []keyRow
	err := s.db.Gorm.WithContext(ctx).Select(keyColumns).Where("org_id = ?", organisationID).Order("created_at desc, id").Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("apikeys: list: %w", err)
	}
	keys := make([]Key, len(rows))
	for i, r := range rows {
		keys[i] = r.key()
	}
	return keys, nil
}

// revoke stamps the key once: of two at once one finds it revoked already.
func (s *Service) revoke(ctx context.Context, organisationID, id string, entry audit.Entry) error {
	return s.db.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		changed := tx.Exec(`/* apikeys.revoke */ update api_keys set revoked_at = date_trunc('milliseconds', clock_timestamp()) where org_id = ? and id = ? and revoked_at is null`, organisationID, id)
		if changed.Error != nil {
			return fmt.Errorf("apikeys: revoke: %w", changed.Error)
		}
		if changed.RowsAffected == 1 {
			return s.log.AppendIn(tx, entry)
		}
		var known int64
		if err := tx.Model(&keyRow{}).Where("org_id = ? and id = ?", organisationID, id).Count(&known).Error; err != nil {
			return fmt.Errorf("apikeys: revoke: %w", err)
		}
		if known == 0 {
			return errKeyNotFound
		}
		return nil
	})
}

// usable decides by the database's clock, as the authentication does.
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
