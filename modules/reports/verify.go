package reports

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"dg/modules/reports/segment"
)

// Verify packs every sealed day and month again from the plays, and returns a line for each that differs. It changes
// nothing. Dirty ones are not looked at: they are not read.
func (s *Sealer) Verify(ctx context.Context) (wrong []string, err error) {
	conn, err := s.db.Pool.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("reports: verify: %w", err)
	}
	defer conn.Release()
	forks, err := sealedForks(ctx, conn, false, 0)
	if err != nil {
		return nil, err
	}
	for _, f := range forks {
		err := pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, lockPlaysSQL); err != nil {
				return fmt.Errorf("reports: verify: %w", err)
			}
			snap := &snapshot{conn: conn, query: Query{OrganisationID: f.OrganisationID, ForkID: f.ID}}
			found, err := snap.verify(ctx, s)
			wrong = append(wrong, found...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return wrong, nil
}

// verify includes the days that have too many plays for a segment.
func (s *snapshot) verify(ctx context.Context, by *Sealer) (wrong []string, err error) {
	days, err := s.dates(ctx, cleanDaysOfForkSQL)
	if err != nil {
		return nil, err
	}
	months, err := s.dates(ctx, sealedMonthsOfForkSQL)
	if err != nil {
		return nil, err
	}
	for _, date := range days {
		s.query.Period = Period{From: date, Days: 1}
		packed, _, err := s.packDay(ctx, by.maxDayPlays)
		if err != nil {
			return nil, err
		}
		want := stored{packed.Sums.Pack(date.UnixMilli()), len(packed.Head), append(packed.Head, packed.Tail...)}
		if wrong, err = s.compare(ctx, wrong, storedDaySQL, want); err != nil {
			return nil, err
		}
	}
	for _, first := range months {
		s.query.Period = monthOf(first)
		plays, err := s.monthPlays(ctx, by.maxMonthBytes) // the snapshot lists nothing as sealed: from the plays
		if err != nil {
			return nil, err
		}
		packed := plays.Pack()
		want := stored{head: len(packed.Head), segment: append(packed.Head, packed.Tail...)}
		if wrong, err = s.compare(ctx, wrong, storedMonthSQL, want); err != nil {
			return nil, err
		}
	}
	return wrong, nil
}

// stored is what is stored of a day, or of a month, which has no sums.
type stored struct {
	sums    []byte
	head    int
	segment []byte
}

// damaged reports whether a checksum of what begins at from does not agree.
func (s stored) damaged(from int64) bool {
	if s.head < 0 || s.head > len(s.segment) {
		return true
	}
	if s.sums == nil {
		return s.damagedMonth(from)
	}
	if _, err := segment.UnpackSums(from, s.sums); err != nil {
		return true
	}
	return s.head > 0 && segment.UnpackDay(from, s.segment[:s.head], s.segment[s.head:], nil, func(*segment.Play) {}) != nil
}

func (s stored) damagedMonth(from int64) bool {
	if s.head == len(s.segment) {
		return segment.UnpackMonth(from, s.segment, &segment.Players{}) != nil
	}
	return segment.UnpackMembers(from, s.segment[:s.head], s.segment[s.head:], func(int32) bool { return true },
		segment.NewAccumulator(time.UnixMilli(from).UTC(), 31)) != nil
}

// compare appends a line to wrong where what is stored for the snapshot's day or month is not want.
func (s *snapshot) compare(ctx context.Context, wrong []string, sql string, want stored) ([]string, error) {
	got, err := s.readStored(ctx, sql)
	if err != nil {
		return wrong, err
	}
	q := s.query
	switch {
	case got.damaged(q.Period.From.UnixMilli()):
		wrong = append(wrong, fmt.Sprintf("fork %s, %s: the segment is damaged: its checksum does not match", q.ForkID, q.Period))
	case !bytes.Equal(got.sums, want.sums) || got.head != want.head || !bytes.Equal(got.segment, want.segment):
		wrong = append(wrong, fmt.Sprintf("fork %s, %s: the segment differs from the plays", q.ForkID, q.Period))
	}
	return wrong, nil
}

// $1 organisation, $2 fork, $3 date.
const (
	cleanDaysOfForkSQL    = `/* reports.verify */ select day from ` + cleanDays + ` d where org_id = $1 and fork_id = $2 order by day`
	sealedMonthsOfForkSQL = `/* reports.verify */ select month from ` + sealedMonths + ` m where org_id = $1 and fork_id = $2 order by month`
	storedDaySQL          = `/* reports.verify */ select sums, head_bytes, segment from fork_days where org_id = $1 and fork_id = $2 and day = $3`
	storedMonthSQL        = `/* reports.verify */ select null::bytea, head_bytes, segment from fork_months where org_id = $1 and fork_id = $2 and month = $3`
)

func (s *snapshot) dates(ctx context.Context, sql string) ([]time.Time, error) {
	rows, err := s.conn.Query(ctx, sql, s.query.OrganisationID, s.query.ForkID)
	if err != nil {
		return nil, fmt.Errorf("reports: verify: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[time.Time])
}

func (s *snapshot) readStored(ctx context.Context, sql string) (got stored, err error) {
	q := s.query
	err = s.conn.QueryRow(ctx, sql, q.OrganisationID, q.ForkID, q.Period.From).Scan(&got.sums, &got.head, &got.segment)
	if err != nil {
		return got, fmt.Errorf("reports: verify: %w", err)
	}
	return got, nil
}
