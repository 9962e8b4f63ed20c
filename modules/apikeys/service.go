package apikeys

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"dg/modules/audit"
	"dg/modules/org"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/input"
	"dg/platform/postgres"
)

// Service creates, lists, revokes and authenticates keys.
type Service struct {
	db      *postgres.DB
	orgs    *org.Service
	log     *audit.Log
	policy  *authz.Policy
	now     func() time.Time
	random  io.Reader
	unknown func()
}

// New returns the service over db. unknown is called for each use of a key that no organisation owns: there is no log to
// write it to, so it is counted.
func New(db *postgres.DB, orgs *org.Service, log *audit.Log, policy *authz.Policy, now func() time.Time, unknown func()) *Service {
	return &Service{db: db, orgs: orgs, log: log, policy: policy, now: now, random: rand.Reader, unknown: unknown}
}

// Actor is a member who manages keys: who it is, and what the policy lets it do.
type Actor struct {
	Person
	authz.Subject
}

func (a Actor) audited() audit.Actor {
	return audit.Actor{Kind: audit.Person, ID: a.ID, Name: a.Name}
}

// NewKey is what a key is made from (specification, section 5, rule 6).
type NewKey struct {
	Name      string     `json:"name" validate:"text"` // says where the key is used
	Scopes    []Scope    `json:"scopes" validate:"min=1,unique,dive,oneof=forks:read reports:read"`
	ExpiresAt *time.Time `json:"expiresAt"` // nil: never; else in the future
	Once      string     `json:"once"`      // an identifier of the organisation's that makes one key at most; "": any number
}

// MaxUsable is how many keys of an organisation are neither revoked nor expired at most.
const MaxUsable = 100

// What Create answers, apart from what is wrong with the key itself.
var (
	// ErrAlreadyCreated says that Once has made its key, which comes with it.
	ErrAlreadyCreated = errors.New("apikeys: the key is already created")
	ErrTooMany        = apperr.New(apperr.AccessDenied,
		"This organisation has %d keys that are neither revoked nor expired, which is the most. Revoke one to create another.", MaxUsable)
	errOnceForm = apperr.NewField("once", "The form was not complete. Check it and send it again.")
)

// Create makes a key for the actor's organisation and returns it with its token: the only time that the secret is shown.
// The key and its audit entry commit together, while the actor still has the role and the second step. Of several at once with the same Once, one makes the key.
//
// Errors: ErrAccessDenied (role, two-step verification, plan, ErrTooMany), ErrValidation with the field, ErrAlreadyCreated
// with the key that was made.
func (s *Service) Create(ctx context.Context, actor Actor, in NewKey, request audit.Request) (Key, Token, error) {
	if err := s.allowed(actor, authz.CreateKey); err != nil {
		return Key{}, Token{}, err
	}
	if err := input.Check(in); err != nil {
		return Key{}, Token{}, err
	}
	if in.Once != "" && !org.IsID(in.Once) {
		return Key{}, Token{}, errOnceForm
	}
	now := s.now().UTC()
	expires, err := expiry(in.ExpiresAt, now)
	if err != nil {
		return Key{}, Token{}, err
	}
	token, err := NewToken(s.random)
	if err != nil {
		return Key{}, Token{}, fmt.Errorf("apikeys: create: %w", err)
	}
	key := Key{
		ID: token.ID, OrganisationID: actor.OrganisationID, Name: in.Name, Scopes: in.Scopes,
		CreatedAt: now.Truncate(time.Millisecond), CreatedBy: actor.Person, ExpiresAt: expires,
	}
	made, err := s.insert(ctx, newKeyRow(key, token.hash(), in.Once), s.entry(actor, audit.KeyCreated, key.ID, request))
	if err != nil {
		return made, Token{}, err
	}
	return key, token, nil
}

// expiry is the instant as it is kept: to the millisecond, cut off, and later than now (decisions, "Formats" and "Keys").
func expiry(at *time.Time, now time.Time) (*time.Time, error) {
	if at == nil {
		return nil, nil
	}
	kept := at.UTC().Truncate(time.Millisecond)
	if !kept.After(now) {
		return nil, apperr.NewField("expiresAt", "%s has passed. Choose an instant in the future, or none.", kept.Format(time.RFC3339))
	}
	return &kept, nil
}

// MaxListed is how many keys List returns at most: all that are usable, and the newest of the others.
const MaxListed = MaxUsable + 1000

// List returns the keys of the actor's organisation, newest first, revoked and expired ones included.
// Errors: ErrAccessDenied.
func (s *Service) List(ctx context.Context, actor Actor) ([]Key, error) {
	if err := s.allowed(actor, authz.ListKeys); err != nil {
		return nil, err
	}
	return s.list(ctx, actor.OrganisationID, s.now())
}

// Key returns one key of the actor's organisation. Errors: ErrAccessDenied, ErrNotFound, also for another organisation's key.
func (s *Service) Key(ctx context.Context, actor Actor, id string) (Key, error) {
	if err := s.allowed(actor, authz.ListKeys); err != nil {
		return Key{}, err
	}
	if !idAlone.MatchString(id) {
		return Key{}, errKeyNotFound
	}
	return s.key(ctx, actor.OrganisationID, id)
}

// Expiring returns the keys of the actor's organisation that expire soon (see Key.ExpiresSoon) and are not revoked, the
// soonest first. They are MaxUsable at most. Errors: ErrAccessDenied.
func (s *Service) Expiring(ctx context.Context, actor Actor) ([]Key, error) {
	if err := s.allowed(actor, authz.ListKeys); err != nil {
		return nil, err
	}
	now := s.now()
	keys, err := s.expiring(ctx, actor.OrganisationID, now, now.Add(noticePeriod))
	return slices.DeleteFunc(keys, func(k Key) bool { return !k.ExpiresSoon(now) }), err
}

// Revoke stops a key of the actor's organisation for good; what it answers, every request that starts later sees. The
// revocation and its audit entry commit together. Revoking a revoked key changes nothing and records nothing.
//
// Errors: ErrAccessDenied, ErrNotFound, also for another organisation's key.
func (s *Service) Revoke(ctx context.Context, actor Actor, id string, request audit.Request) error {
	if err := s.allowed(actor, authz.RevokeKey); err != nil {
		return err
	}
	if !idAlone.MatchString(id) {
		return errKeyNotFound
	}
	return s.revoke(ctx, actor.OrganisationID, id, s.entry(actor, audit.KeyRevoked, id, request))
}

// StillUsable returns nil while the key would be accepted, and ErrAuthRequired once it is revoked, expired or paused: what a
// running export asks, since it was authenticated only when it began. Any other error is the database's and says nothing of
// the key. It takes no place in the rate.
func (s *Service) StillUsable(ctx context.Context, organisationID, id string) error {
	usable, err := s.usable(ctx, organisationID, id)
	if err != nil {
		return err
	}
	if !usable {
		return errUnusable
	}
	return nil
}

func (s *Service) allowed(actor Actor, permission authz.Permission) error {
	return s.allows(actor.Subject, permission)
}

func (s *Service) allows(subject authz.Subject, permission authz.Permission) error {
	err := s.policy.Authorize(subject, permission, subject.OrganisationID)
	if errors.Is(err, authz.ErrDenied) {
		return apperr.New(apperr.AccessDenied, "%s", deniedSentences[permission])
	}
	return err
}

var deniedSentences = map[authz.Permission]string{
	authz.CreateKey: "Keys are created by the organisation's owners, and by its admins once they use two-step verification.",
	authz.ListKeys:  "Keys are listed by the organisation's owners and admins.",
	authz.RevokeKey: "Keys are revoked by the organisation's owners and admins.",
}

func (s *Service) entry(actor Actor, action audit.Action, id string, request audit.Request) audit.Entry {
	return audit.Entry{
		OrganisationID: actor.OrganisationID, Actor: actor.audited(), Action: action,
		Target: audit.Target{Kind: "api_key", ID: id}, Request: request,
	}
}
