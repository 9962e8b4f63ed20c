package sealer

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"dg/modules/reports/segment"
	"dg/modules/reports/snapshot"
	"dg/platform/apperr"
)

// Verify packs every sealed day and month again from the plays, and returns a line for each that
// differs. It skips dirty days and months, whose segments are not read.
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
		err := pgx.BeginTxFunc(ctx, conn,
			pgx.TxOptions{
				IsoLevel:   pgx.RepeatableRead,
				AccessMode: pgx.ReadOnly,
			}, func(tx pgx.Tx) error {
				if _, err := tx.Exec(ctx, snapshot.LockPlaysSQL); err != nil {
					return fmt.Errorf("reports: verify: %w", err)
				}
				v := &verifier{
					conn:          conn,
					fork:          f,
					maxDayPlays:   s.MaxDayPlays,
					maxMonthBytes: s.MaxMonthBytes,
				}
				err := v.verify(ctx)
				wrong = append(wrong, v.wrong...)
				return err
			})
		if err != nil {
			return nil, err
		}
	}
	return wrong, nil
}

// verifier compares the stored segments of a fork with its plays, in the caller's transaction.
type verifier struct {
	conn          *pgxpool.Conn
	fork          fork
	maxDayPlays   int
	maxMonthBytes int
	wrong         []string // a line for each segment that differs
}

// verify includes days with too many plays for a segment.
func (v *verifier) verify(ctx context.Context) error {
	days, err := v.dates(ctx, cleanDaysOfForkSQL)
	if err != nil {
		return err
	}
	months, err := v.dates(ctx, sealedMonthsOfForkSQL)
	if err != nil {
		return err
	}
	for _, date := range days {
		p := snapshot.Period{From: date, Days: 1}
		packed, _, err := v.bucket(p).packDay(ctx, v.maxDayPlays)
		if err != nil {
			return err
		}
		want := stored{
			packed.Sums.Pack(date.UnixMilli()), len(packed.Head),
			append(packed.Head, packed.Tail...),
		}
		if err := v.compare(ctx, p, storedDaySQL, want); err != nil {
			return err
		}
	}
	for _, first := range months {
		p := snapshot.MonthOf(first)
		// the bucket lists no sealed days, so the sums come from the plays
		plays, err := v.bucket(p).monthPlays(ctx, v.maxMonthBytes)
		if err != nil {
			return err
		}
		packed := plays.Pack()
		want := stored{head: len(packed.Head), segment: append(packed.Head, packed.Tail...)}
		if err := v.compare(ctx, p, storedMonthSQL, want); err != nil {
			return err
		}
	}
	return nil
}

func (v *verifier) bucket(p snapshot.Period) *bucket {
	return newBucket(v.conn, snapshot.Query{
		OrganisationID: v.fork.OrganisationID,
		ForkID:         v.fork.ID,
		Period:         p,
	})
}

// stored is a row of a day, or of a month, which has no sums.
type stored struct {
	sums    []byte
	head    int
	segment []byte
}

// damaged reports whether a checksum of the day or month that begins at from does not agree.
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
	return s.head > 0 &&
		segment.UnpackDay(from, s.segment[:s.head], s.segment[s.head:], nil,
			func(*segment.Play) {}) != nil
}

func (s stored) damagedMonth(from int64) bool {
	if s.head == len(s.segment) {
		return segment.UnpackMonth(from, s.segment, &segment.Players{}) != nil
	}
	return segment.UnpackMembers(from, s.segment[:s.head], s.segment[s.head:],
		func(int32) bool { return true },
		segment.NewAccumulator(time.UnixMilli(from).UTC(), 31)) != nil
}

// compare appends a line to wrong if the stored row of a day or month is not want.
func (v *verifier) compare(ctx context.Context, p snapshot.Period, sql string, want stored) error {
	got, err := v.readStored(ctx, p, sql)
	if err != nil {
		return err
	}
	switch {
	case got.damaged(p.From.UnixMilli()):
		v.wrong = append(v.wrong,
			fmt.Sprintf("fork %s, %s: the segment is damaged: its checksum does not match",
				v.fork.ID, p))
	case !bytes.Equal(got.sums, want.sums) || got.head != want.head ||
		!bytes.Equal(got.segment, want.segment):
		v.wrong = append(v.wrong,
			fmt.Sprintf("fork %s, %s: the segment differs from the plays", v.fork.ID, p))
	}
	return nil
}

// $1 organisation, $2 fork, $3 date.
const (
	cleanDaysOfForkSQL = `/* reports.verify */ select day from ` + snapshot.CleanDays +
		` d where org_id = $1 and fork_id = $2 order by day`
	sealedMonthsOfForkSQL = `/* reports.verify */ select month from ` + snapshot.SealedMonths +
		` m where org_id = $1 and fork_id = $2 order by month`
	storedDaySQL = `/* reports.verify */ select sums, head_bytes, segment from fork_days
		where org_id = $1 and fork_id = $2 and day = $3`
	storedMonthSQL = `/* reports.verify */ select null::bytea, head_bytes, segment from fork_months
		where org_id = $1 and fork_id = $2 and month = $3`
)

func (v *verifier) dates(ctx context.Context, sql string) ([]time.Time, error) {
	rows, _ := v.conn.Query(ctx, sql, v.fork.OrganisationID, v.fork.ID) // its error is the rows'
	dates, err := pgx.CollectRows(rows, pgx.RowTo[time.Time])
	return dates, apperr.Annotate(err, "reports: verify")
}

func (v *verifier) readStored(ctx context.Context, p snapshot.Period, sql string) (got stored, err error) {
	err = v.conn.QueryRow(ctx, sql, v.fork.OrganisationID, v.fork.ID, p.From).
		Scan(&got.sums, &got.head, &got.segment)
	return got, apperr.Annotate(err, "reports: verify")
}
