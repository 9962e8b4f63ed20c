package apikeys

import (
	"context"
	"fmt"
	"slices"
	"time"

	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/authz"
)

// Overlaps are the periods for which a replaced key still works, until every tool has the new one.
var Overlaps = []time.Duration{0, time.Hour, 24 * time.Hour, 7 * 24 * time.Hour}

// Replacement is the input of Replace.
type Replacement struct {
	Overlap        time.Duration // one of Overlaps
	ExpiresAt      *time.Time    // of the new key, as in NewKey
	IdempotencyKey string        // as in NewKey
}

// Replaced is a key that was replaced, and its successor with the token.
type Replaced struct {
	Old, New Key
	Token    Token
}

var (
	// ErrNotReplaceable says that a key is revoked, expired or already replaced.
	ErrNotReplaceable = apperr.New(apperr.AccessDenied,
		"This key is revoked, has expired or was already replaced. Create another key.")

	errOverlap = apperr.NewField("overlap",
		"Choose when the old key stops: now, in an hour, in a day or in a week.")
)

// Replace creates a successor of a key of the actor's organisation, with its name, description and
// scopes, by the rules of Create. It revokes the old key after the overlap, until which it counts
// towards MaxUsable. Both commit with one audit entry.
//
// Errors: apperr.AccessDenied (role, two-step verification, plan, ErrTooMany, ErrNotReplaceable),
// apperr.NotFound (also for another organisation's key), apperr.Validation with the field,
// ErrAlreadyCreated with the successor.
func (m *Manager) Replace(
	ctx context.Context, actor Actor, id string, in Replacement, request audit.Request,
) (Replaced, error) {
	if err := m.authorize(actor.Subject, authz.ReplaceKey, actor.OrganisationID); err != nil {
		return Replaced{}, err
	}
	if !slices.Contains(Overlaps, in.Overlap) {
		return Replaced{}, errOverlap
	}
	if err := checkIdempotencyKey(in.IdempotencyKey); err != nil {
		return Replaced{}, err
	}
	now := m.now().UTC()
	expiresAt, err := checkExpiry(in.ExpiresAt, now)
	if err != nil {
		return Replaced{}, err
	}
	token, err := NewToken(m.random)
	if err != nil {
		return Replaced{}, fmt.Errorf("apikeys: replace: %w", err)
	}
	successor := Key{
		ID:             token.ID,
		OrganisationID: actor.OrganisationID,
		CreatedAt:      now.Truncate(time.Millisecond),
		CreatedBy:      actor.Person,
		ExpiresAt:      expiresAt,
	}
	done, err := m.replace(ctx, id, in.Overlap,
		newKeyRow(successor, token.hash(), in.IdempotencyKey),
		actor.entry(audit.KeyReplaced, id, request))
	if err == nil {
		done.Token = token
	}
	return done, err
}
