package apikeys

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"gorm.io/gorm"

	"dg/platform/authz"
)

// MaxListed bounds List: all usable keys fit, and at least 1,000 of the others.
const MaxListed = MaxUsable + 1000

// List returns the keys of the actor's organisation, newest first. Beyond MaxListed it leaves out
// the oldest of the revoked and expired keys. Errors: apperr.AccessDenied.
func (s *Service) List(ctx context.Context, actor Actor) ([]Key, error) {
	listed, err := s.findKeys(ctx, actor, "apikeys.list", func(of *gorm.DB) *gorm.DB {
		return of.Order(isUsable + " desc, created_at desc, id").Limit(MaxListed)
	})
	slices.SortFunc(listed, func(a, b Key) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), strings.Compare(a.ID, b.ID))
	})
	return listed, err
}

// Expiring returns the keys of the actor's organisation that expire soon (Key.ExpiresSoon) and were
// never revoked, the soonest first. It returns at most MaxUsable. Errors: apperr.AccessDenied.
func (s *Service) Expiring(ctx context.Context, actor Actor) ([]Key, error) {
	now := s.now()
	expiring, err := s.findKeys(ctx, actor, "apikeys.expiring", func(of *gorm.DB) *gorm.DB {
		return of.Where("revoked_at is null and expires_at > ? and expires_at <= ?",
			now, now.Add(noticePeriod)).Order("expires_at, id").Limit(MaxUsable)
	})
	return slices.DeleteFunc(expiring, func(k Key) bool { return !k.ExpiresSoon(now) }), err
}

// Key returns one key of the actor's organisation. Errors: apperr.AccessDenied, apperr.NotFound
// (also for another organisation's key).
func (s *Service) Key(ctx context.Context, actor Actor, id string) (Key, error) {
	if err := s.authorizeList(actor); err != nil {
		return Key{}, err
	}
	key, err := readKey(s.db.Gorm.WithContext(ctx), actor.OrganisationID, id)
	if err == nil {
		err = s.authorizeList(actor, key)
	}
	if err != nil {
		return Key{}, err
	}
	return key, nil
}

func (s *Service) findKeys(
	ctx context.Context, actor Actor, tag string, narrow func(of *gorm.DB) *gorm.DB,
) ([]Key, error) {
	if err := s.authorizeList(actor); err != nil {
		return nil, err
	}
	var listed []Key
	of := selectKeys(s.db.Gorm.WithContext(ctx), tag, actor.OrganisationID)
	if err := narrow(of).Find(&listed).Error; err != nil {
		return nil, fmt.Errorf("%s: %w", tag, err)
	}
	return listed, s.authorizeList(actor, listed...)
}

// The check of keys is defence in depth: only a bug can pass another organisation's key.
func (s *Service) authorizeList(actor Actor, keys ...Key) error {
	err := s.authorize(actor.Subject, authz.ListKeys, actor.OrganisationID)
	for _, k := range keys {
		if k.OrganisationID != actor.OrganisationID {
			return s.authorize(actor.Subject, authz.ListKeys, k.OrganisationID)
		}
	}
	return err
}
