package apikeys

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"slices"
	"time"

	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/postgres"
)

// Service creates, lists, changes, revokes and authenticates keys.
type Service struct {
	db           *postgres.DB
	orgs         Organisations
	log          *audit.Log
	policy       *authz.Policy
	now          func() time.Time
	random       io.Reader
	onUnknownKey func()
	usage        counter

	authenticateSQL string
}

// New returns the service. onUnknownKey is called for each use of an unknown key, which belongs to
// no audit log.
func New(
	db *postgres.DB, orgs Organisations, log *audit.Log, policy *authz.Policy, now func() time.Time,
	onUnknownKey func(),
) *Service {
	return &Service{
		db:              db,
		orgs:            orgs,
		log:             log,
		policy:          policy,
		now:             now,
		random:          rand.Reader,
		onUnknownKey:    onUnknownKey,
		authenticateSQL: withPosition(db),
	}
}

// Actor is a member who manages keys: the person, and what the policy lets them do.
type Actor struct {
	Person
	authz.Subject
}

var (
	errKeyNotFound = apperr.New(apperr.NotFound, "No such key.")
	errKeyStopped  = apperr.New(apperr.AuthRequired,
		"This API key was revoked, has expired, or needs the Pro plan.")
)

// MaxListed bounds List: all usable keys, and the newest of the others.
const MaxListed = MaxUsable + 1000

// List returns the keys of the actor's organisation, newest first, revoked and expired ones
// included.
// Errors: apperr.AccessDenied.
func (s *Service) List(ctx context.Context, actor Actor) ([]Key, error) {
	if err := s.authorize(actor.Subject, authz.ListKeys, actor.OrganisationID); err != nil {
		return nil, err
	}
	keys, err := s.list(ctx, actor.OrganisationID, s.now())
	if err != nil {
		return nil, err
	}
	return keys, s.authorizeAll(actor.Subject, authz.ListKeys, keys)
}

// Key returns one key of the actor's organisation. Errors: apperr.AccessDenied, apperr.NotFound
// (also for another organisation's key).
func (s *Service) Key(ctx context.Context, actor Actor, id string) (Key, error) {
	if err := s.authorize(actor.Subject, authz.ListKeys, actor.OrganisationID); err != nil {
		return Key{}, err
	}
	key, err := s.key(s.db.Gorm.WithContext(ctx), actor.OrganisationID, id)
	if err == nil {
		err = s.authorize(actor.Subject, authz.ListKeys, key.OrganisationID)
	}
	if err != nil {
		return Key{}, err
	}
	return key, nil
}

// Expiring returns the keys of the actor's organisation that expire soon (see Key.ExpiresSoon) and
// are not revoked, the soonest first: MaxUsable at most. Errors: apperr.AccessDenied.
func (s *Service) Expiring(ctx context.Context, actor Actor) ([]Key, error) {
	if err := s.authorize(actor.Subject, authz.ListKeys, actor.OrganisationID); err != nil {
		return nil, err
	}
	now := s.now()
	keys, err := s.expiring(ctx, actor.OrganisationID, now, now.Add(noticePeriod))
	if err == nil {
		err = s.authorizeAll(actor.Subject, authz.ListKeys, keys)
	}
	return slices.DeleteFunc(keys, func(k Key) bool { return !k.ExpiresSoon(now) }), err
}

// Revoke revokes a key of the actor's organisation, also one in its overlap. Requests that start
// after it returns are rejected. The revocation commits with its audit entry. Revoking a revoked
// key is a no-op.
//
// Errors: apperr.AccessDenied, apperr.NotFound (also for another organisation's key).
func (s *Service) Revoke(ctx context.Context, actor Actor, id string, request audit.Request) error {
	if err := s.authorize(actor.Subject, authz.RevokeKey, actor.OrganisationID); err != nil {
		return err
	}
	return s.revoke(ctx, actor.OrganisationID, id, s.entry(actor, audit.KeyRevoked, id, request))
}

// StillUsable returns nil while the key would be accepted. Running exports call it; it does not
// count towards the rate limit.
//
// Errors: apperr.AuthRequired once the key is revoked, expired or paused. Any other is the
// database's and says nothing about it.
func (s *Service) StillUsable(ctx context.Context, organisationID, id string) error {
	usable, err := s.usable(ctx, organisationID, id)
	if err != nil {
		return err
	}
	if !usable {
		return errKeyStopped
	}
	return nil
}

var deniedMessages = map[authz.Permission]string{
	authz.CreateKey:  "Only owners, and admins with two-step verification, create keys.",
	authz.ReplaceKey: "Only owners, and admins with two-step verification, replace keys.",
	authz.RenameKey:  "Only owners, and admins with two-step verification, rename keys.",
	authz.ListKeys:   "Only owners and admins see the organisation's keys.",
	authz.RevokeKey:  "Only owners and admins revoke keys.",
}

// authorize decides about the organisation that owns a key, or is to own one.
func (s *Service) authorize(
	subject authz.Subject, permission authz.Permission, owner string,
) error {
	err := s.policy.Authorize(subject, permission, owner)
	if errors.Is(err, authz.ErrDenied) {
		return apperr.New(apperr.AccessDenied, "%s", deniedMessages[permission])
	}
	return err
}

// authorizeAll authorises for the owner of every key, which guards against a query of foreign keys.
func (s *Service) authorizeAll(
	subject authz.Subject, permission authz.Permission, keys []Key,
) error {
	owner := subject.OrganisationID
	for _, k := range keys {
		if k.OrganisationID == owner {
			continue
		}
		owner = k.OrganisationID
		if err := s.authorize(subject, permission, owner); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) entry(
	actor Actor, action audit.Action, id string, request audit.Request,
) audit.Entry {
	return audit.Entry{
		OrganisationID: actor.OrganisationID,
		Actor:          audit.Actor{Kind: audit.Person, ID: actor.ID, Name: actor.Name},
		Action:         action,
		Target:         audit.Target{Kind: "api_key", ID: id},
		Request:        request,
	}
}
