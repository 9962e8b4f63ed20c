package sealer

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"dg/platform/apperr"
	"dg/platform/postgres"
)

// Sealer packs finished days and months of large forks into segments.
type Sealer struct {
	db          *postgres.DB
	Now         func() time.Time
	log         *slog.Logger
	MinPlays    int64 // forks with more plays, or with segments, are sealed
	MaxDayPlays int   // days with more plays get an empty segment

	MaxMonthPlays int // months with more plays are sealed without a tail

	OnPass func(Result, error) // called by RunOnce after the pass; never nil
}

// MinPlays is the default of Sealer.MinPlays. Fewer plays are read and hashed fast without segments.
const MinPlays = 1_000

// maxDayPlays is the default of Sealer.MaxDayPlays. It bounds a segment to 4 MB, at 16 bytes a play.
const maxDayPlays = 250_000

// sealInterval is long, because each pass searches all forks for due days.
const sealInterval = 10 * time.Minute

// New returns a sealer with the default limits. Set its exported fields before the first pass.
func New(db *postgres.DB, now func() time.Time, log *slog.Logger) *Sealer {
	return &Sealer{
		db:            db,
		Now:           now,
		log:           log,
		MinPlays:      MinPlays,
		MaxDayPlays:   maxDayPlays,
		MaxMonthPlays: maxMonthPlays,
		OnPass:        func(Result, error) {},
	}
}

// Result counts the sealed Days and Months of a pass, and what it did not seal. Large days have
// more plays than MaxDayPlays. Skipped days and months were locked by a writer. Remaining days and
// months failed. After an early end, Remaining also has the rest of the fork, but no later forks.
type Result struct{ Days, Months, Large, Skipped, Remaining int }

// Backlog counts the days and months that the pass left to a later one.
func (r Result) Backlog() int { return r.Skipped + r.Remaining }

func (r *Result) add(o Result) {
	r.Days += o.Days
	r.Months += o.Months
	r.Large += o.Large
	r.Skipped += o.Skipped
}

// Run makes a pass at once, and another sealInterval after the end of each, until ctx ends.
func (s *Sealer) Run(ctx context.Context) {
	for ctx.Err() == nil {
		s.RunOnce(ctx)
		select {
		case <-ctx.Done():
		case <-time.After(sealInterval):
		}
	}
}

// RunOnce makes one pass, logs what it sealed or why it failed, and calls OnPass.
func (s *Sealer) RunOnce(ctx context.Context) {
	result, err := s.Seal(ctx)
	switch {
	case errors.Is(err, postgres.ErrLocked):
		s.log.Info("another process holds the sealer lock: the next pass tries again", "in",
			sealInterval.String())
	case err != nil && ctx.Err() == nil:
		s.log.Warn("sealing failed: statistics read the plays instead", "error", err)
	case result.Days+result.Months+result.Large > 0:
		s.log.Info("sealed", "days", result.Days, "months", result.Months, "large", result.Large, "skipped",
			result.Skipped)
	}
	s.OnPass(result, err)
}

// Seal makes one pass, and does not wait for another sealer. Errors: postgres.ErrLocked, the joined
// failures of forks.
func (s *Sealer) Seal(ctx context.Context) (Result, error) { return s.sealAll(ctx, 0) }

// Rebuild marks every segment as dirty and makes one pass. Each time another sealer holds the lock,
// Rebuild waits at most timeout. Errors: postgres.ErrLocked, the joined failures of forks.
func (s *Sealer) Rebuild(ctx context.Context, timeout time.Duration) (Result, error) {
	err := pgx.BeginFunc(ctx, s.db.Pool, func(tx pgx.Tx) error {
		if err := s.lockSealer(ctx, timeout, tx); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `/* reports.markAll */
			with days as (insert into unsealed_days select fork_id, day from fork_days)
			insert into unsealed_months select fork_id, month from fork_months`)
		return apperr.Annotate(err, "reports: mark all as dirty")
	})
	if err != nil {
		return Result{}, err
	}
	return s.sealAll(ctx, timeout)
}

// lockSealer takes the sealer's lock until the transaction ends.
func (s *Sealer) lockSealer(ctx context.Context, timeout time.Duration, querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}) error {
	return apperr.Annotate(postgres.AwaitLock(ctx, s.log, "sealer", timeout, querier), "seal")
}
