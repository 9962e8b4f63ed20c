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
	"dg/platform/authz"
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
	Once        *string
}

func (keyRow) TableName() string { return "api_keys" }

func (r keyRow) key() Key {
	return Key{
		ID: r.ID, OrganisationID: r.OrgID, Name: r.Name, Scopes: r.Scopes, CreatedAt: r.CreatedAt,
		CreatedBy: Person{ID: r.CreatedBy, Name: r.CreatorName}, ExpiresAt: r.ExpiresAt, RevokedAt: r.RevokedAt, LastUsedAt: r.LastUsedAt,
	}
}

func newKeyRow(k Key, hash []byte, once string) keyRow {
	r := keyRow{
		ID: k.ID, OrgID: k.OrganisationID, Name: k.Name, Scopes: k.Scopes, SecretHash: hash, CreatedAt: k.CreatedAt,
		CreatedBy: k.CreatedBy.ID, CreatorName: k.CreatedBy.Name, ExpiresAt: k.ExpiresAt,
	}
	if once != "" {
		r.Once = &once
	}
	return r
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

// insert stores the key with its windows and its audit entry, if the organisation's plan includes the API and it has room
// for one more. Where the row's once has made a key, it returns that one and ErrAlreadyCreated.
func (s *Service) insert(ctx context.Context, row keyRow, entry audit.Entry) (Key, error) {
	var made Key
	err := s.db.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		// One after the other, so that neither a form that is sent twice nor the last free place makes two keys.
		err := tx.Exec(`/* apikeys.oneByOne */ select pg_advisory_xact_lock(hashtextextended('api_keys ' || ?, 0))`, row.OrgID).Error
		if err != nil {
			return fmt.Errorf("apikeys: create, one by one: %w", err)
		}
		if err := s.stillAllowed(tx, entry, authz.CreateKey, s.orgs.SubjectIn); err != nil {
			return err
		}
		if row.Once != nil {
			if made, err = keyOfOnce(tx, row.OrgID, *row.Once); err != nil {
				return err
			}
		}
		if err := s.roomFor(tx, row); err != nil {
			return err
		}
		if err := tx.Create(&row).Error; err != nil {
			return fmt.Errorf("apikeys: create: %w", err)
		}
		if err := tx.Exec(`/* apikeys.newWindows */ insert into api_key_windows (key_id, refused) values (?, false), (?, true)`, row.ID, row.ID).Error; err != nil {
			return fmt.Errorf("apikeys: new windows: %w", err)
		}
		return s.log.AppendIn(tx, entry)
	})
	return made, err
}

// stillAllowed decides anew, by what the entry's actor is in this transaction: the role may have been taken away since the
// request was let in. Errors: ErrAccessDenied.
func (s *Service) stillAllowed(tx *gorm.DB, entry audit.Entry, permission authz.Permission, read func(tx *gorm.DB, organisationID, personID string) (authz.Subject, error)) error {
	now, err := read(tx, entry.OrganisationID, entry.Actor.ID)
	if err != nil {
		return err
	}
	return s.allows(now, permission)
}

// keyOfOnce looks for the key that once has made. Errors: ErrAlreadyCreated with the key.
func keyOfOnce(tx *gorm.DB, organisationID, once string) (Key, error) {
	var rows []keyRow
	err := tx.Raw(`/* apikeys.ofOnce */ select `+keyColumns+` from api_keys where org_id = ? and once = ?`, organisationID, once).Scan(&rows).Error
	if err != nil {
		return Key{}, fmt.Errorf("apikeys: key of a form: %w", err)
	}
	if len(rows) == 0 {
		return Key{}, nil
	}
	return rows[0].key(), ErrAlreadyCreated
}

// roomFor says whether the organisation may have one more key. Errors: ErrAccessDenied.
func (s *Service) roomFor(tx *gorm.DB, row keyRow) error {
	o, err := s.orgs.OrganisationIn(tx, row.OrgID)
	if err != nil {
		return err
	}
	if !o.Plan.IncludesAPI() {
		return errBelowPlan
	}
	var usable int64
	err = tx.Raw(`/* apikeys.countUsable */ select count(*) from api_keys where org_id = ? and revoked_at is null and (expires_at is null or expires_at > ?)`, row.OrgID, row.CreatedAt).Scan(&usable).Error
	if err != nil {
		return fmt.Errorf("apikeys: count: %w", err)
	}
	if usable >= MaxUsable {
		return ErrTooMany
	}
	return nil
}

// The hash is not among the columns that are read: nothing outside the database needs it.
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
	keys := make([]Key, len(rows))
	for i, r := range rows {
		keys[i] = r.key()
	}
	return keys, nil
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

// expiring lists the keys that are not revoked and end between now and end, the soonest first.
func (s *Service) expiring(ctx context.Context, organisationID string, now, end time.Time) ([]Key, error) {
	var rows []keyRow
	err := s.db.Gorm.WithContext(ctx).Raw(`/* apikeys.expiring */
		select `+keyColumns+` from api_keys
		 where org_id = ? and revoked_at is null and expires_at > ? and expires_at <= ?
		 order by expires_at, id limit ?`, organisationID, now, end, MaxUsable).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("apikeys: expiring: %w", err)
	}
	keys := make([]Key, len(rows))
	for i, r := range rows {
		keys[i] = r.key()
	}
	return keys, nil
}

// revoke stamps the key once: of two at once one finds it revoked already. It reads the actor's role without
// locking it, as creation does: stopping a leaked key never waits (decisions, "Keys").
func (s *Service) revoke(ctx context.Context, organisationID, id string, entry audit.Entry) error {
	return s.db.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		if err := s.stillAllowed(tx, entry, authz.RevokeKey, s.orgs.CurrentSubjectIn); err != nil {
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
