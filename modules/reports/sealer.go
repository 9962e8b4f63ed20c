package reports

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"dg/platform/postgres"
)

// Sealer packs finished days and months of large forks into segments, which statistics read faster than plays. No answer
// depends on it: what is not sealed is read from the plays.
type Sealer struct {
	db          *postgres.DB
	now         func() time.Time
	log         *slog.Logger
	minPlays    int64 // forks with more plays are sealed
	maxDayPlays int   // days with more plays are not

	OnDamage func(Damage)        // called for damage that the sealer finds; by default it is logged
	OnPass   func(Sealed, error) // called after each pass of Run, with its error
}

// SealFrom is the number of plays beyond which a fork is sealed. Reading fewer takes at most 30 ms.
const SealFrom = 50_000

// maxDayPlays bounds a day's segment, which is packed and read as a whole, to about 4 MB.
const maxDayPlays = 250_000

// sealInterval is the pause between the passes of a serving program.
const sealInterval = time.Minute

// NewSealer returns a sealer for forks with more than minPlays plays.
func NewSealer(db *postgres.DB, now func() time.Time, log *slog.Logger, minPlays int64) *Sealer {
	return &Sealer{db: db, now: now, log: log, minPlays: minPlays, maxDayPlays: maxDayPlays, OnDamage: func(d Damage) { d.Log(log) }, OnPass: func(Sealed, error) {}}
}

// Sealed counts what a pass did. Large days have too many plays for a segment; they are counted again when one of their
// plays changes. Busy days and months are being written to, and those that are left come behind a failure: a later pass seals
// them.
type Sealed struct{ Days, Months, Large, Busy, Left int }

// Backlog is how many days and months were due and are not sealed.
func (s Sealed) Backlog() int { return s.Busy + s.Left }

func (s *Sealed) add(o Sealed) {
	s.Days += o.Days
	s.Months += o.Months
	s.Large += o.Large
	s.Busy += o.Busy
}

// Run makes a pass every minute until ctx ends. Failures are logged.
func (s *Sealer) Run(ctx context.Context) {
	for ctx.Err() == nil {
		done, err := s.Seal(ctx)
		switch {
		case errors.Is(err, ErrSealerLocked):
			s.log.Info("another process holds the sealer lock: the next pass tries again", "in", sealInterval.String())
		case err != nil && ctx.Err() == nil:
			s.log.Warn("sealing failed: statistics read the plays instead", "error", err)
		case done.Days+done.Months+done.Large > 0:
			s.log.Info("sealed", "days", done.Days, "months", done.Months, "large", done.Large, "busy", done.Busy)
		}
		s.OnPass(done, err)
		select {
		case <-ctx.Done():
		case <-time.After(sealInterval):
		}
	}
}

// Seal makes one pass over all forks. Errors: ErrSealerLocked.
func (s *Sealer) Seal(ctx context.Context) (done Sealed, err error) {
	err = s.locked(ctx, 0, func(conn *pgxpool.Conn) error {
		done, err = s.pass(ctx, conn)
		return err
	})
	return done, err
}

// Rebuild marks every segment as dirty and seals everything again. It waits at most timeout for another sealer, before it
// marks anything. It needs the rights of the tables' owner. Errors: ErrSealerLocked.
func (s *Sealer) Rebuild(ctx context.Context, timeout time.Duration) (done Sealed, err error) {
	err = s.locked(ctx, timeout, func(conn *pgxpool.Conn) error {
		if err := markAllDirty(ctx, conn); err != nil {
			return err
		}
		done, err = s.pass(ctx, conn)
		return err
	})
	return done, err
}

// pass seals what is due in all forks. A failure in one fork does not keep it from the others.
func (s *Sealer) pass(ctx context.Context, conn *pgxpool.Conn) (done Sealed, err error) {
	forks, err := largeForks(ctx, conn, s.minPlays)
	if err != nil {
		return done, err
	}
	for _, f := range forks {
		err = errors.Join(err, s.sealFork(ctx, conn, f, &done))
		if ctx.Err() != nil || conn.Conn().IsClosed() {
			break
		}
	}
	return done, err
}

// sealFork seals days before months: a month is summed from its days.
func (s *Sealer) sealFork(ctx context.Context, conn *pgxpool.Conn, f fork, done *Sealed) error {
	today := s.now().UTC().Truncate(day)
	oneDay := func(date time.Time) Period { return Period{From: date, Days: 1} }
	if err := s.sealDue(ctx, conn, f, dueDaysSQL, today, oneDay, s.sealDay, done); err != nil {
		return err
	}
	return s.sealDue(ctx, conn, f, dueMonthsSQL, today, monthOf, s.sealMonth, done)
}

func (s *Sealer) sealDue(ctx context.Context, conn *pgxpool.Conn, f fork, dueSQL string, today time.Time, period func(time.Time) Period, seal sealFunc, done *Sealed) error {
	due, err := dueDates(ctx, conn, dueSQL, f, today)
	if err != nil {
		return err
	}
	for i, first := range due {
		sealed, err := sealBucket(ctx, conn, Query{OrganisationID: f.OrganisationID, ForkID: f.ID, Period: period(first)}, seal)
		if err != nil {
			done.Left += len(due) - i
			return err
		}
		done.add(sealed)
	}
	return nil
}
