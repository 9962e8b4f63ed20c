package identity

import (
	"context"
	"time"

	"dg/platform/limit"
	"dg/platform/netaddr"
	"dg/platform/postgres"
)

// Service is the account of a person: a method for each action of a screen.
type Service struct {
	db        *postgres.DB
	now       func() time.Time
	recorder  Recorder
	passwords *hasher
	slots     *limit.Limiter // of sign-ins
	keys      Keyring        // of the secrets of two-step verification
}

// maxSignIns bounds the sign-ins that run at once in an instance. Each holds one connection at most.
// Half of the pool stays free for others, such as the authentication of API keys.
const maxSignIns = 4

// New returns the service over db. keys encrypts the secrets of two-step verification.
func New(db *postgres.DB, now func() time.Time, recorder Recorder, keys Keyring) *Service {
	places := max(2, min(maxSignIns, int(db.Pool.Config().MaxConns)/2))
	return &Service{
		db:        db,
		now:       now,
		recorder:  recorder,
		passwords: newHasher(hashCost),
		keys:      keys,
		slots: limit.New(limit.Options{
			Max:    places,
			PerKey: places / 2,
			Busy:   "Too many people are signing in at once.",
		}),
	}
}

// Limiters returns the limiters by the name of the work, for metrics.
func (s *Service) Limiters() map[string]*limit.Limiter {
	return map[string]*limit.Limiter{"sign_ins": s.slots}
}

// networkOf is the limiter key of a sign-in. Sign-ins acquire their place before the first query,
// so that a flood holds no connections.
func networkOf(ctx context.Context) string { return netaddr.ClientText(requestOf(ctx).Address) }

// clock returns the current time as it is stored: UTC, in milliseconds.
func (s *Service) clock() time.Time { return s.now().UTC().Truncate(time.Millisecond) }
