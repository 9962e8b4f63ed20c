package identity

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"dg/platform/limiter"
)

// maxAttempts run at once, and of one network half as many. In a small pool they are fewer: each attempt holds at most one
// connection at a time, and at least half of the pool is left to others, such as the authentication of API keys.
const maxAttempts = 4

func newAdmission(pool *pgxpool.Pool) *limiter.Limiter {
	places := max(2, min(maxAttempts, int(pool.Config().MaxConns)/2))
	return limiter.New(limiter.Limits{Places: places, Busy: "Too many people are signing in at once."})
}

// admit waits until an attempt from the address may begin: before its first query, so that a flood of attempts waits here
// and not for connections. Networks are served in turn. The caller releases the lease when the attempt is over.
//
// Errors: ErrUnavailable with RetryAfter after five seconds, or when too many of the network wait.
func (s *Service) admit(ctx context.Context, address string) (*limiter.Lease, error) {
	return s.attempts.Acquire(ctx, limiter.Request{OrganisationID: network(address)})
}
