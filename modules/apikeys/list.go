package apikeys

import (
	"context"
	"slices"

	"dg/platform/authz"
)

// Reader reads keys and their usage for the members who may see them.
type Reader struct{ *core }

// MaxListed bounds List: all usable keys, and the newest of the others.
const MaxListed = MaxUsable + 1000

// List returns the keys of the actor's organisation, newest first, revoked and expired ones
// included.
// Errors: apperr.AccessDenied.
func (r *Reader) List(ctx context.Context, actor Actor) ([]Key, error) {
	if err := r.authorize(actor.Subject, authz.ListKeys, actor.OrganisationID); err != nil {
		return nil, err
	}
	keys, err := r.list(ctx, actor.OrganisationID, r.now())
	if err != nil {
		return nil, err
	}
	return keys, r.authorizeAll(actor.Subject, authz.ListKeys, keys)
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
	keys, err := r.expiring(ctx, actor.OrganisationID, now, now.Add(noticePeriod))
	if err == nil {
		err = r.authorizeAll(actor.Subject, authz.ListKeys, keys)
	}
	return slices.DeleteFunc(keys, func(k Key) bool { return !k.ExpiresSoon(now) }), err
}
