package apikeys

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/input"
)

// NewKey is the input of Create.
type NewKey struct {
	Name           string     `json:"name" validate:"text,printable"`
	Description    string     `json:"description" validate:"omitempty,text,printable"` // "": none
	Scopes         []Scope    `json:"scopes" validate:"min=1,unique,dive,oneof=forks:read reports:read"`
	ExpiresAt      *time.Time `json:"expiresAt"`      // nil: never; else in the future
	IdempotencyKey string     `json:"idempotencyKey"` // a UUID that creates at most one key; "": none
}

// MaxUsable bounds the keys of an organisation that are neither revoked nor expired.
const MaxUsable = 100

var (
	// ErrAlreadyCreated comes with the key that was created under the same IdempotencyKey.
	ErrAlreadyCreated = errors.New("apikeys: the key is already created")
	// ErrTooMany says that the organisation has MaxUsable keys.
	ErrTooMany = apperr.New(apperr.AccessDenied,
		"This organisation has %d usable keys, which is the maximum. Revoke one to create another.",
		MaxUsable)
	errIdempotencyKey = apperr.NewField("idempotencyKey",
		"The form was incomplete. Check it and send it again.")
	errBelowPlan = apperr.New(apperr.AccessDenied,
		"API keys are part of the Pro and Enterprise plans. Change the plan to create one.")
)

// Manager creates, replaces, renames and revokes keys.
type Manager struct {
	*core
	orgs   Organisations
	log    *audit.Log
	random io.Reader
}

// Create makes a key for the actor's organisation and returns it with its token, which is shown only
// here. The key and its audit entry commit together, while the actor still has the role and the
// second step.
//
// Errors: apperr.AccessDenied (role, two-step verification, plan, ErrTooMany), apperr.Validation
// with the field, ErrAlreadyCreated with the key.
func (m *Manager) Create(
	ctx context.Context, actor Actor, in NewKey, request audit.Request,
) (Key, Token, error) {
	if err := m.authorize(actor.Subject, authz.CreateKey, actor.OrganisationID); err != nil {
		return Key{}, Token{}, err
	}
	if err := input.Check(in); err != nil {
		return Key{}, Token{}, err
	}
	if err := checkIdempotencyKey(in.IdempotencyKey); err != nil {
		return Key{}, Token{}, err
	}
	now := m.now().UTC()
	expiresAt, err := checkExpiry(in.ExpiresAt, now)
	if err != nil {
		return Key{}, Token{}, err
	}
	token, err := NewToken(m.random)
	if err != nil {
		return Key{}, Token{}, fmt.Errorf("apikeys: create: %w", err)
	}
	key := Key{
		ID:             token.ID,
		OrganisationID: actor.OrganisationID,
		Name:           in.Name,
		Description:    in.Description,
		Scopes:         in.Scopes,
		CreatedAt:      now.Truncate(time.Millisecond),
		CreatedBy:      actor.Person,
		ExpiresAt:      expiresAt,
	}
	existing, err := m.insert(ctx, newKeyRow(key, token.hash(), in.IdempotencyKey),
		actor.entry(audit.KeyCreated, key.ID, request))
	if err != nil {
		return existing, Token{}, err
	}
	return key, token, nil
}

func checkIdempotencyKey(id string) error {
	if id != "" && !input.IsID(id) {
		return errIdempotencyKey
	}
	return nil
}

// checkExpiry returns the instant truncated to the millisecond, which must be later than now.
func checkExpiry(at *time.Time, now time.Time) (*time.Time, error) {
	if at == nil {
		return nil, nil
	}
	kept := at.UTC().Truncate(time.Millisecond)
	if !kept.After(now) {
		return nil, apperr.NewField("expiresAt",
			"The expiry %s has passed. Choose a later one, or none.", formatInstant(kept))
	}
	return &kept, nil
}
