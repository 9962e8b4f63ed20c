package reports

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Verify packs every sealed day and month again from the plays and returns those that differ, in words. It changes
// nothing. A marked one cannot differ: it is not read.
func (s *Sealer) Verify(ctx context.Context) (wrong []string, err error) {
	conn, err := s.db.Pool.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("reports: verify: %w", err)
	}
	defer conn.Release()
	forks, err := s.largeForks(ctx, conn)
	if err != nil {
		return nil, err
	}
	for _, f := range forks {
		err := pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, lockPlaysSQL); err != nil {
				return fmt.Errorf("reports: verify: %w", err)
			}
			found, err := (&snapshot{conn: conn, query: Query{OrganisationID: f.OrganisationID, ForkID: f.ID}}).verify(ctx, s.largest)
			wrong = append(wrong, found...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return wrong, nil
}

// verify looks at every day and month that the sealer has looked at and that is not marked: those that are read, and the
// days that are said to have too many plays.
func (s *snapshot) verify(ctx context.Context, largest int) (wrong []string, err error) {
	days, err := s.dates(ctx, `select day from `+currentDays+` d where org_id = $1 and fork_id = $2 order by day`)
	if err != nil {
		return nil, err
	}
	months, err := s.dates(ctx, `select month from `+sealedMonths+` m where org_id = $1 and fork_id = $2 order by month`)
	if err != nil {
		return nil, err
	}
	for _, date := range days {
		s.query.Period = Period{From: date, Days: 1}
		packed, _, err := s.packDay(ctx, largest)
		if err != nil {
			return nil, err
		}
		wrong, err = s.compare(ctx, wrong, `select sums, head_bytes, segment from fork_days where org_id = $1 and fork_id = $2 and day = $3`,
			stored{packed.sums.pack(date.UnixMilli()), len(packed.head), append(packed.head, packed.tail...)})
		if err != nil {
			return nil, err
		}
	}
	for _, month := range months {
		s.query.Period = monthOf(month)
		t := newTally(s.query.Period)
		if err := s.fold(ctx, t); err != nil { // nothing of the snapshot is sealed: from the plays
			return nil, err
		}
		wrong, err = s.compare(ctx, wrong, `select ''::bytea, 0, segment from fork_months where org_id = $1 and fork_id = $2 and month = $3`,
			stored{segment: packMonth(month.UnixMilli(), &t.players)})
		if err != nil {
			return nil, err
		}
	}
	return wrong, nil
}

// dates reads the dates of days or months of the fork.
func (s *snapshot) dates(ctx context.Context, sql string) ([]time.Time, error) {
	rows, err := s.conn.Query(ctx, "/* reports.verify */ "+sql, s.query.OrganisationID, s.query.ForkID)
	if err != nil {
		return nil, fmt.Errorf("reports: verify: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[time.Time])
}

// stored is what is kept of a day, or the segment of a month alone.
type stored struct {
	sums    []byte
	head    int
	segment []byte
}

// damaged says whether what is kept of what begins at from is not what was sealed.
func (s stored) damaged(from int64) bool {
	if s.sums == nil {
		return unpackMonth(from, s.segment, &playerSums{}) != nil
	}
	_, err := unpackSums(from, s.sums)
	return err != nil || s.head < 0 || s.head > len(s.segment) ||
		s.head > 0 && unpackDay(from, s.segment[:s.head], s.segment[s.head:], func(play) {}) != nil
}

// compare adds a line to wrong when what is stored for the first day of the period is not what it should be.
func (s *snapshot) compare(ctx context.Context, wrong []string, sql string, want stored) ([]string, error) {
	var got stored
	q := s.query
	if err := s.conn.QueryRow(ctx, "/* reports.verify */ "+sql, q.OrganisationID, q.ForkID, q.Period.From).Scan(&got.sums, &got.head, &got.segment); err != nil {
		return wrong, fmt.Errorf("reports: verify: %w", err)
	}
	if want.sums == nil {
		got.sums = nil
	}
	switch {
	case got.damaged(q.Period.From.UnixMilli()):
		wrong = append(wrong, fmt.Sprintf("fork %s, %s: the segment is damaged, its checksum does not agree", q.ForkID, q.Period))
	case !bytes.Equal(got.sums, want.sums) || got.head != want.head || !bytes.Equal(got.segment, want.segment):
		wrong = append(wrong, fmt.Sprintf("fork %s, %s: the segment is not what the plays say", q.ForkID, q.Period))
	}
	return wrong, nil
}
