package apikeys

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"gorm.io/gorm/clause"

	"dg/platform/authz"
)

// Reader reads keys and their usage for the members who may see them.
type Reader struct{ *core }

// MaxListed bounds List: all usable keys, and the newest of the others.
const MaxListed = MaxUsable + 1000

// List returns the keys of the actor's organisation, newest first, also revoked and expired ones.
// Errors: apperr.AccessDenied.
func (r *Reader) List(ctx context.Context, actor Actor) ([]Key, error) {
	if err := r.authorize(actor.Subject, authz.ListKeys, actor.OrganisationID); err != nil {
		return nil, err
	}
	var rows []keyRow
	usableFirst := clause.NamedExpr{
		SQL: usableAt + " desc, created_at desc, id", Vars: []any{at(r.now())},
	}
	err := keys(r.db.Gorm.WithContext(ctx), "apikeys.list", actor.OrganisationID).
		Order(clause.OrderBy{Expression: usableFirst}).Limit(MaxListed).Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("apikeys: list: %w", err)
	}
	slices.SortFunc(rows, func(a, b keyRow) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), strings.Compare(a.ID, b.ID))
	})
	listed := toKeys(rows)
	return listed, r.authorizeAll(actor.Subject, authz.ListKeys, listed)
}

// Key returns one key of the actor's organisation. Errors: apperr.AccessDenied, apperr.NotFound
// (also for another organisation's key).
func (r *Reader) Key(ctx context.Context, actor Actor, id string) (Key, error) {
	if err := r.authorize(actor.Subject, authz.ListKeys, actor.OrganisationID); err != nil {
		return Key{}, err
	}
	key, err := readKey(r.db.Gorm.WithContext(ctx), actor.OrganisationID, id)
	if err == nil {
		err = r.authorize(actor.Subject, authz.ListKeys, key.OrganisationID)
	}
	if err != nil {
		return Key{}, err
	}
	return key, nil
}

// Expiring returns the keys of the actor's organisation that expire soon (see Key.ExpiresSoon) and
// are not revoked, the soonest first: MaxUsable at most. Errors: apperr.AccessDenied.
func (r *Reader) Expiring(ctx context.Context, actor Actor) ([]Key, error) {
	if err := r.authorize(actor.Subject, authz.ListKeys, actor.OrganisationID); err != nil {
		return nil, err
	}
	now := r.now()
	var rows []keyRow
	err := keys(r.db.Gorm.WithContext(ctx), "apikeys.expiring", actor.OrganisationID).
		Where("revoked_at is null and expires_at > ? and expires_at <= ?", now, now.Add(noticePeriod)).
		Order("expires_at, id").Limit(MaxUsable).Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("apikeys: expiring: %w", err)
	}
	expiring := toKeys(rows)
	err = r.authorizeAll(actor.Subject, authz.ListKeys, expiring)
	return slices.DeleteFunc(expiring, func(k Key) bool { return !k.ExpiresSoon(now) }), err
}
