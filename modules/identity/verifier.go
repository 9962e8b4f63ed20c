package identity

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"dg/modules/identity/password"
	"dg/modules/identity/throttle"
	"dg/platform/limit"
	"dg/platform/netaddr"
)

// verifier compares passwords, within the limits of package throttle.
type verifier struct {
	*recorder
	passwords *password.Hasher
	slots     *limit.Limiter // of sign-ins
}

// maxSignIns bounds the sign-ins that run at once in an instance. Each holds one connection at most.
// Half of the pool stays free for others, such as the authentication of API keys.
const maxSignIns = 4

func newSignInLimiter(pool *pgxpool.Pool) *limit.Limiter {
	places := max(2, min(maxSignIns, int(pool.Config().MaxConns)/2))
	return limit.New(limit.Options{
		Max:    places,
		PerKey: places / 2,
		Busy:   "Too many people are signing in at once.",
	})
}

// Limiters returns the limiters by the name of the work, for metrics.
func (s *SignIns) Limiters() map[string]*limit.Limiter {
	return map[string]*limit.Limiter{"sign_ins": s.slots}
}

// admit waits for a place of the network before the first query, so that a flood of sign-ins holds
// no connections. The caller releases it. Errors: those of Limiter.Acquire.
func (v *verifier) admit(ctx context.Context, address string) (release func(), err error) {
	return v.slots.Acquire(ctx, netaddr.ClientText(address))
}

// verifyPassword returns nil for the person's password, and counts and logs any other. It
// compares none while one of the limits is reached.
func (v *verifier) verifyPassword(
	ctx context.Context, who credentials, limits []throttle.Limit, password string,
) error {
	if err := throttle.Check(v.gorm(ctx), limits, v.clock()); err != nil {
		v.logFailure(ctx, who.Person, err, nil)
		return err
	}
	matches, err := v.passwords.Matches(ctx, who.passwordHash, password)
	if err != nil || matches {
		return err
	}
	lockedUntil, err := throttle.CountFailure(v.gorm(ctx), limits, v.clock())
	if err == nil {
		err = ErrWrongPassword
	}
	v.logFailure(ctx, who.Person, err, lockedUntil)
	return err
}
