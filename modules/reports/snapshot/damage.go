package snapshot

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

// Damage is a day or month of a fork whose segment is damaged, by a disk error or a manual change. The
// same answer reads its plays instead, and it is marked as dirty, so that it is sealed again.
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

// maxDamageRounds bounds how often a report is summed again because of damage, before it ignores all
// segments. Two rounds find all damage: a damaged month, and then its damaged days.
const maxDamageRounds = 3

// WithoutDamaged calls sum, and again without the segments that turned out damaged. If the transaction
// has ended it begins another, so that the answer comes from one snapshot.
func (s *Snapshot) WithoutDamaged(ctx context.Context, sum func() error) error {
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
		if s.Meta.Sealed.exclude(s.Damaged); round == maxDamageRounds {
			s.Meta.Sealed = Sealed{}
		}
	}
}

// exclude removes the damaged days and months.
func (s *Sealed) exclude(damaged []Damage) {
	s.Days = slices.DeleteFunc(s.Days, func(d SealedDay) bool {
		return contains(damaged, false, d.Date)
	})
	s.Months = slices.DeleteFunc(s.Months, func(first time.Time) bool {
		return contains(damaged, true, first)
	})
}

func contains(damaged []Damage, month bool, date time.Time) bool {
	return slices.ContainsFunc(damaged, func(d Damage) bool {
		return d.isMonth() == month && d.Period.From.Equal(date)
	})
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

// MarkDirty marks damaged days and months, and calls report for those that were not marked before.
func MarkDirty(ctx context.Context, db executor, damaged []Damage, report func(Damage)) error {
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
