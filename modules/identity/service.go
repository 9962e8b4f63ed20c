package identity

import (
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"dg/platform/limiter"
	"dg/platform/postgres"
)

// Service signs people in.
type Service struct {
	db        *postgres.DB
	now       func() time.Time
	passwords *hasher
	signIns   *limiter.Limiter
	lastSweep atomic.Int64 // in Unix milliseconds
	auditor   Auditor
	log       *slog.Logger
	keys      Keyring // of the secrets of two-step verification
}

// New returns the service over db. log takes the security events that the auditor could not record.
func New(db *postgres.DB, now func() time.Time, auditor Auditor, log *slog.Logger) *Service {
	return &Service{
		db:        db,
		now:       now,
		passwords: newHasher(defaultCost),
		signIns:   newSignInLimiter(db.Pool),
		auditor:   auditor,
		log:       log,
	}
}

// EncryptWith makes the service read and write secrets with the keyring. Call it before the service
// is used.
func (s *Service) EncryptWith(keys Keyring) *Service {
	s.keys = keys
	return s
}

// maxSignIns bounds the sign-ins that run at once in an instance. Each holds at most one connection
// at a time, and at least half of the pool stays free for others, such as the authentication of API
// keys.
const maxSignIns = 4

func newSignInLimiter(pool *pgxpool.Pool) *limiter.Limiter {
	places := max(2, min(maxSignIns, int(pool.Config().MaxConns)/2))
	return limiter.New(limiter.Limits{
		MaxConcurrent: places,
		BusyMessage:   "Too many people are signing in at once.",
	})
}

// Limiters returns the limiters by the name of the work, for metrics.
func (s *Service) Limiters() map[string]*limiter.Limiter {
	return map[string]*limiter.Limiter{"sign_ins": s.signIns}
}

// clock is now as it is stored: UTC, to the millisecond.
func (s *Service) clock() time.Time { return s.now().UTC().Truncate(time.Millisecond) }
