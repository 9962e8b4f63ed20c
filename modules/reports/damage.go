package reports

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"log/slog"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Everything that is sealed carries a checksum, which is compared whenever it is read. What does not agree, because a disk
// or a hand has changed it, is read from the plays instead, in the same answer, and marked, so that it is sealed again.

var castagnoli = crc32.MakeTable(crc32.Castagnoli) // most processors compute it by themselves

// checksumSize is how many bytes a checksum takes before what it is of.
const checksumSize = 4

// checksum is the checksum of what is sealed for the day or month that begins at from: at another place it does not agree.
func checksum(from int64, b []byte) uint32 {
	var date [8]byte
	binary.LittleEndian.PutUint64(date[:], uint64(from))
	return crc32.Update(crc32.Checksum(date[:], castagnoli), castagnoli, b)
}

// putChecksum writes the checksum of all that follows it into b, at the place that was left for it.
func putChecksum(b []byte, at int, from int64) {
	binary.LittleEndian.PutUint32(b[at:], checksum(from, b[at+checksumSize:]))
}

// Damage is a day or month of a fork whose segment is not what was sealed.
type Damage struct {
	ForkID string
	Period Period
}

func (d Damage) isMonth() bool { return d.Period.Days > 1 }

// Log says what is damaged, and what follows.
func (d Damage) Log(log *slog.Logger) {
	log.Error("a segment is damaged: its plays are read instead, and it is sealed again", "fork", d.ForkID, "period", d.Period.String())
}

// damagedDay notes that a day's segment is damaged.
func (s *snapshot) damagedDay(date time.Time) {
	s.damaged = append(s.damaged, Damage{s.query.ForkID, Period{From: date, Days: 1}})
}

// damagedMonth notes that a month's segment is damaged.
func (s *snapshot) damagedMonth(month time.Time) {
	s.damaged = append(s.damaged, Damage{s.query.ForkID, monthOf(month)})
}

// monthOf is the month that begins at first.
func monthOf(first time.Time) Period {
	return Period{From: first, Days: int(first.AddDate(0, 1, 0).Sub(first) / day)}
}

// maxDamageRounds is how often a report is summed anew because of damage before it leaves all segments alone. A damaged
// month leads to its days, which may be damaged too: two rounds find all of one snapshot.
const maxDamageRounds = 3

// undamaged calls sum, and again without what it met that was damaged. Where the transaction has ended meanwhile, the next
// round begins another: all of an answer is from one snapshot.
func (s *snapshot) undamaged(ctx context.Context, sum func() error) error {
	for round := 1; ; round++ {
		err := sum()
		if !errors.Is(err, errSegment) {
			return err
		}
		if s.ended {
			s.ended = false
			if err := s.begin(ctx, true); err != nil {
				return err
			}
		}
		if s.sealed.leaveOut(s.damaged); round == maxDamageRounds {
			s.sealed = sealed{}
		}
	}
}

// leaveOut takes what is damaged out of what is sealed.
func (s *sealed) leaveOut(damaged []Damage) {
	s.days = slices.DeleteFunc(s.days, func(d sealedDay) bool { return anyOf(damaged, false, d.date) })
	s.months = slices.DeleteFunc(s.months, func(month time.Time) bool { return anyOf(damaged, true, month) })
}

func anyOf(damaged []Damage, month bool, date time.Time) bool {
	return slices.ContainsFunc(damaged, func(d Damage) bool { return d.isMonth() == month && d.Period.From.Equal(date) })
}

// executor is a pool, or a connection in a transaction.
type executor interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// A damaged day or month is marked as one that was written to. The one who marks it tells of it. $1 fork, $2 date.
const (
	markDaySQL = `/* reports.markDamagedDay */ insert into unsealed_days (fork_id, day)
		select $1, $2 where not exists (select from unsealed_days where fork_id = $1 and day = $2)`
	markMonthSQL = `/* reports.markDamagedMonth */ insert into unsealed_months (fork_id, month)
		select $1, $2 where not exists (select from unsealed_months where fork_id = $1 and month = $2)`
)

// markDamaged marks what is damaged, and calls tell for what nobody has marked before.
func markDamaged(ctx context.Context, db executor, damaged []Damage, tell func(Damage)) error {
	for _, d := range damaged {
		sql := markDaySQL
		if d.isMonth() {
			sql = markMonthSQL
		}
		tag, err := db.Exec(ctx, sql, d.ForkID, d.Period.From)
		if err != nil {
			return fmt.Errorf("reports: mark %s of %s as damaged: %w", d.Period, d.ForkID, err)
		}
		if tag.RowsAffected() > 0 {
			tell(d)
		}
	}
	return nil
}

// undamaged computes the statistics of a snapshot whatever is damaged, which it marks. It closes the snapshot where
// something is.
func (s *Service) undamaged(ctx context.Context, snap *snapshot) (stats Statistics, err error) {
	err = snap.undamaged(ctx, func() error {
		if stats = (Statistics{Suppressed: true}); snap.scope.suppressed() { // in another snapshot than at first
			return nil
		}
		stats, err = snap.statistics(ctx)
		return err
	})
	if len(snap.damaged) > 0 {
		snap.close() // marking takes a connection, and nobody holds two
		s.repair(ctx, snap.damaged)
	}
	return stats, err
}

// repair marks what an answer met that was damaged. The answer itself needs nothing of it: where nothing can be written,
// such as on a standby, the damage stays, is told each time, and is read from the plays each time.
func (s *Service) repair(ctx context.Context, damaged []Damage) {
	if len(damaged) == 0 {
		return
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), acquireTimeout)
	defer stop()
	if err := markDamaged(ctx, s.reads.Pool, damaged, s.OnDamage); err != nil {
		for _, d := range damaged {
			s.OnDamage(d)
		}
	}
}
