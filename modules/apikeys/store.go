package apikeys

import (
	"cmp"
	"context"
	"database/sql/driver"
	"fmt"
	"slices"
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

// Value implements driver.Valuer.
func (s Scopes) Value() (driver.Value, error) {
	names := make([]string, len(s))
	for i, scope := range s {
		names[i] = string(scope)
	}
	return "{" + strings.Join(names, ",") + "}", nil
}

// Scan implements sql.Scanner.
func (s *Scopes) Scan(value any) error {
	text, ok := value.(string)
	if !ok || len(text) < 2 {
		return fmt.Errorf("apikeys: cannot read %T as scopes", value)
	}
	*s = nil
	for name := range strings.SplitSeq(text[1:len(text)-1], ",") {
		*s = append(*s, Scope(name))
	}
	return nil
}

func selectKeys(db *gorm.DB, tag, organisationID string) *gorm.DB {
	return db.Scopes(postgres.Tag(tag), tenant.Scope(organisationID)).Model(&Key{})
}

// These conditions use the database clock, which also stamps revocations.
const (
	unrevokedCondition = "(revoked_at is null or revoked_at > clock_timestamp())"
	usableCondition    = unrevokedCondition + " and (expires_at is null or expires_at > clock_timestamp())"
)

// databaseNow is truncated to milliseconds: the columns would round, perhaps to a future instant.
var databaseNow = gorm.Expr("date_trunc('milliseconds', clock_timestamp())")

var errKeyNotFound = apperr.New(apperr.NotFound, "No such key.")

func readKey(db *gorm.DB, organisationID, id string) (key Key, err error) {
	if !IsID(id) {
		return Key{}, errKeyNotFound
	}
	err = selectKeys(db, "apikeys.key", organisationID).Where("id = ?", id).Take(&key).Error
	return key, postgres.OrMissing(err, "apikeys: key", errKeyNotFound)
}

// MaxListed bounds List. It has room for all usable keys and at least 1,000 others.
const MaxListed = MaxUsable + 1000

// List returns the keys of the actor's organisation, newest first. Beyond MaxListed it leaves out
// the oldest of the revoked and expired keys. Errors: apperr.AccessDenied.
func (s *Service) List(ctx context.Context, actor Actor) ([]Key, error) {
	keys, err := s.findKeys(ctx, actor, "apikeys.list", func(query *gorm.DB) *gorm.DB {
		return query.Order(usableCondition + " desc, created_at desc, id").Limit(MaxListed)
	})
	slices.SortFunc(keys, func(a, b Key) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), strings.Compare(a.ID, b.ID))
	})
	return keys, err
}

// Expiring returns the keys of the actor's organisation that expire soon (Key.ExpiresSoon) and were
// never revoked, the soonest first. It returns at most MaxUsable. Errors: apperr.AccessDenied.
func (s *Service) Expiring(ctx context.Context, actor Actor) ([]Key, error) {
	now := s.now()
	expiring, err := s.findKeys(ctx, actor, "apikeys.expiring", func(query *gorm.DB) *gorm.DB {
		return query.Where("revoked_at is null and expires_at > ? and expires_at <= ?",
			now, now.Add(noticePeriod)).Order("expires_at, id").Limit(MaxUsable)
	})
	return slices.DeleteFunc(expiring, func(k Key) bool { return !k.ExpiresSoon(now) }), err
}

// ExpiringInUse counts the keys of all organisations that expire within 14 days, were used in the
// last 14 days, and were neither revoked nor replaced.
func (s *Service) ExpiringInUse(ctx context.Context) (n int64, err error) {
	err = s.db.Gorm.WithContext(ctx).Scopes(postgres.Tag("apikeys.expiringInUse"),
		tenant.Across("the operator's metrics count the keys of every organisation")).Model(&Key{}).
		Where("revoked_at is null and expires_at > clock_timestamp()").
		Where("expires_at <= clock_timestamp() + interval '14 d'").
		Where("last_used_at > clock_timestamp() - interval '14 d'").Count(&n).Error
	return n, apperr.Annotate(err, "apikeys: expiring in use")
}

// Key returns one key of the actor's organisation. Errors: apperr.AccessDenied, apperr.NotFound
// (also for another organisation's key).
func (s *Service) Key(ctx context.Context, actor Actor, id string) (Key, error) {
	if err := s.authorizeList(actor); err != nil {
		return Key{}, err
	}
	key, err := readKey(s.db.Gorm.WithContext(ctx), actor.OrganisationID, id)
	if err != nil {
		return Key{}, err
	}
	return key, s.authorizeList(actor, key)
}

func (s *Service) findKeys(
	ctx context.Context, actor Actor, tag string, narrow func(query *gorm.DB) *gorm.DB,
) ([]Key, error) {
	if err := s.authorizeList(actor); err != nil {
		return nil, err
	}
	var keys []Key
	query := selectKeys(s.db.Gorm.WithContext(ctx), tag, actor.OrganisationID)
	if err := narrow(query).Find(&keys).Error; err != nil {
		return nil, fmt.Errorf("%s: %w", tag, err)
	}
	return keys, s.authorizeList(actor, keys...)
}

// authorizeList also checks each key's organisation, as defence in depth: only a bug in a query can
// return another organisation's key.
func (s *Service) authorizeList(actor Actor, keys ...Key) error {
	err := s.authorize(actor.Subject, ListKeys, actor.OrganisationID)
	for _, k := range keys {
		if !strings.EqualFold(k.OrganisationID, actor.OrganisationID) {
			return s.authorize(actor.Subject, ListKeys, k.OrganisationID)
		}
	}
	return err
}
