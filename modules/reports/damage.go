package reports

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"dg/modules/reports/segment"
)

// Damage is a day or month of a fork whose segment is not what was sealed: a disk error or a manual
// change. Its plays are read instead, in the same answer, and it is marked as dirty, so that it is
// sealed again.
type Damage struct {
	ForkID string
	Period Period
}

func (d Damage) isMonth() bool { return d.Period.Days > 1 }

// Log logs the damage.
func (d Damage) Log(log *slog.Logger) {
	log.Error("a segment is damaged: its plays are read instead, and it is sealed again", "fork",
		d.ForkID, "period", d.Period.String())
}

// maxDamageRounds is how often a report is summed again because of damage before it ignores all
// segments. A damaged month leads to its days, which may be damaged too: two rounds find everything
// in one snapshot.
const maxDamageRounds = 3

// withoutDamaged calls sum, and again without the segments that turned out damaged. Where the
// transaction has ended meanwhile it begins another: everything in an answer comes from one
// snapshot.
func (s *snapshot) withoutDamaged(ctx context.Context, sum func() error) error {
	for round := 1; ; round++ {
		err := sum()
		if !errors.Is(err, segment.ErrDamaged) {
			return err
		}
		if s.ended {
			if err := s.begin(ctx); err != nil {
				return err
			}
		}
		if s.meta.sealed.exclude(s.damaged); round == maxDamageRounds {
			s.meta.sealed = sealed{}
		}
	}
}

// exclude removes what is damaged from what is sealed.
func (s *sealed) exclude(damaged []Damage) {
	s.days = slices.DeleteFunc(s.days, func(d sealedDay) bool {
		return contains(damaged, false, d.date)
	})
	s.months = slices.DeleteFunc(s.months, func(first time.Time) bool {
		return contains(damaged, true, first)
	})
}

func contains(damaged []Damage, month bool, date time.Time) bool {
	return slices.ContainsFunc(damaged, func(d Damage) bool {
		return d.isMonth() == month && d.Period.From.Equal(date)
	})
}

// markDamaged closes the snapshot and marks what it found damaged. The answer does not depend on
// it: where nothing can be written, as on a standby, the damage stays, is reported each time, and
// its plays are read each time.
func (s *Service) markDamaged(ctx context.Context, snap *snapshot) {
	if len(snap.damaged) == 0 {
		return
	}
	snap.close() // marking takes a connection, and no report holds two
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), acquireTimeout)
	defer stop()
	if err := markDirty(ctx, s.reads.Pool, snap.damaged, s.OnDamage); err != nil {
		for _, d := range snap.damaged {
			s.OnDamage(d)
		}
	}
}

// A damaged day or month is marked as dirty once. $1 fork, $2 date.
const (
	markDaySQL = `/* reports.markDay */ insert into unsealed_days (fork_id, day)
		select $1, $2 where not exists (select from unsealed_days where fork_id = $1 and day = $2)`
	markMonthSQL = `/* reports.markMonth */ insert into unsealed_months (fork_id, month)
		select $1, $2 where not exists (select from unsealed_months where fork_id = $1 and month = $2)`
)

// executor is a pool, or a connection in a transaction.
type executor interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// markDirty marks what is damaged, and calls report for what was not marked before.
func markDirty(ctx context.Context, db executor, damaged []Damage, report func(Damage)) error {
	for _, d := range damaged {
		sql := markDaySQL
		if d.isMonth() {
			sql = markMonthSQL
		}
		tag, err := db.Exec(ctx, sql, d.ForkID, d.Period.From)
		if err != nil {
			return fmt.Errorf("reports: mark %s of %s as dirty: %w", d.Period, d.ForkID, err)
		}
		if tag.RowsAffected() > 0 {
			report(d)
		}
	}
	return nil
}
