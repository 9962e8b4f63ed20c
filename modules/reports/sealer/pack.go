package sealer

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"dg/modules/reports/segment"
	"dg/platform/apperr"
)

// bucket is a day or a month of a fork, which is packed and saved in the caller's transaction.
type bucket struct {
	conn       *pgxpool.Conn
	fork       fork
	first, end time.Time
	month      bool
}

func (b bucket) args() pgx.NamedArgs {
	return segment.Args(b.fork.OrganisationID, b.fork.ID, b.first, b.end)
}

const playsOfDaySQL = `/* reports.playsOfDay */ select ` + segment.PlayColumns + ` from plays
 where org_id = @org and fork_id = @fork and started_at >= @from and started_at < @to limit @limit`

// sealDay packs the plays of a day. A day with too many gets an empty segment, which is never read: it
// records that the day was counted, until a write marks it as dirty.
func (s *Sealer) sealDay(ctx context.Context, b bucket) (Result, error) {
	args := b.args()
	args["limit"] = s.MaxDayPlays + 1
	rows, _ := b.conn.Query(ctx, playsOfDaySQL, args) // its error is the rows'
	defer rows.Close()
	var plays []segment.Play
	for rows.Next() {
		var p segment.Play
		p.Scan(rows.RawValues())
		p.Answers = bytes.Clone(p.Answers)
		plays = append(plays, p)
	}
	if rows.Err() != nil {
		return Result{}, fmt.Errorf("reports: plays of a day: %w", rows.Err())
	}
	switch n := len(plays); {
	case n == 0:
		return Result{}, b.replace(ctx, dropDaySQL, args)
	case n > s.MaxDayPlays:
		return Result{Large: 1}, b.saveDay(ctx, segment.Day{Head: []byte{}})
	}
	return Result{Days: 1}, b.saveDay(ctx, segment.PackDay(b.first.UnixMilli(), plays))
}

// maxMonthBytes bounds the plays of a month that are packed player by player, about 1.8 million.
const maxMonthBytes = 40 << 20

// sealMonth packs the plays of a month. It marks damaged days as dirty, and then reads their plays.
func (s *Sealer) sealMonth(ctx context.Context, b bucket) (Result, error) {
	for {
		m := segment.NewMonthPlays(b.first.UnixMilli(), s.MaxMonthBytes)
		damaged, err := b.readMonth(ctx, m)
		switch {
		case err != nil:
			return Result{}, err
		case len(damaged) > 0:
			if err := s.markDamaged(ctx, b, damaged); err != nil {
				return Result{}, err
			}
			continue // without them: they are dirty
		case m.Empty():
			return Result{}, b.replace(ctx, dropMonthSQL, b.args())
		}
		return Result{Months: 1}, b.saveMonth(ctx, m.Pack())
	}
}

func (s *Sealer) markDamaged(ctx context.Context, b bucket, days []time.Time) error {
	for _, first := range days {
		d := segment.Damage{ForkID: b.fork.ID, First: first}
		if _, err := d.MarkDirty(ctx, b.conn); err != nil {
			return err
		}
		s.OnDamage(d)
	}
	return nil
}

const playsOfMonthSQL = `/* reports.playsOfMonth */ select ` + segment.PlayColumns + `
  from unnest(@starts::timestamptz[], @ends::timestamptz[]) r (lo, hi), lateral (
    select * from plays where org_id = @org and fork_id = @fork and started_at >= r.lo
      and started_at < r.hi offset 0) plays`

// readMonth reads the plays of sealed days from their segments, and those of other days. Damaged
// segments are no failure.
func (b bucket) readMonth(
	ctx context.Context, m *segment.MonthPlays,
) (damaged []time.Time, err error) {
	args := b.args()
	rows, _ := b.conn.Query(ctx, segment.DaysSQL+` order by d.day`, args) // its error is the rows'
	sealed, err := pgx.CollectRows(rows, pgx.RowToStructByPos[segment.SealedDay])
	if err != nil {
		return nil, fmt.Errorf("reports: sealed days: %w", err)
	}
	var days []time.Time
	for _, d := range sealed {
		days = append(days, d.Date)
	}
	args["days"] = days
	args["whole"] = true
	rows, _ = b.conn.Query(ctx, segment.StoredDaysSQL, args) // its error is the rows'
	defer rows.Close()
	var stored segment.Stored
	for rows.Next() {
		if err := stored.Scan(rows); err != nil {
			return nil, err
		}
		err := segment.UnpackDay(stored.Date.UnixMilli(), stored.Head, stored.Tail, nil, m.Add)
		if err != nil {
			damaged = append(damaged, stored.Date)
		}
	}
	if rows.Err() != nil || len(damaged) > 0 {
		return damaged, apperr.Annotate(rows.Err(), "reports: segments of a month")
	}
	args["starts"], args["ends"] = segment.Gaps(sealed, b.first, b.end)
	rows, _ = b.conn.Query(ctx, playsOfMonthSQL, args) // its error is the rows'
	defer rows.Close()
	var p segment.Play
	for rows.Next() {
		p.Scan(rows.RawValues())
		m.Add(&p)
	}
	return nil, apperr.Annotate(rows.Err(), "reports: plays of a month")
}

const (
	cleanDaySQL = `/* reports.cleanDay */ delete from unsealed_days
		where fork_id = @fork and day = @from`
	cleanMonthSQL = `/* reports.cleanMonth */ delete from unsealed_months
		where fork_id = @fork and month = @from`
	dropDaySQL = `/* reports.dropDay */ delete from fork_days
		where org_id = @org and fork_id = @fork and day = @from`
	dropMonthSQL = `/* reports.dropMonth */ delete from fork_months
		where org_id = @org and fork_id = @fork and month = @from`
	sealDaySQL = `/* reports.sealDay */ insert into fork_days (org_id, fork_id, day, sums,
		head_bytes, segment) values (@org, @fork, @from, @sums, @headBytes, @head::bytea || coalesce(@tail::bytea, ''))
		on conflict (fork_id, day) do update
		  set sums = excluded.sums, head_bytes = excluded.head_bytes, segment = excluded.segment`
	sealMonthSQL = `/* reports.sealMonth */ insert into fork_months (org_id, fork_id, month,
		head_bytes, segment) values (@org, @fork, @from, @headBytes, @head::bytea || coalesce(@tail::bytea, ''))
		on conflict (fork_id, month) do update
		  set head_bytes = excluded.head_bytes, segment = excluded.segment`
)

func (b bucket) saveDay(ctx context.Context, d segment.Day) error {
	args := b.args()
	args["sums"] = d.Sums.Pack(b.first.UnixMilli())
	return b.save(ctx, sealDaySQL, args, d.Head, d.Tail)
}

func (b bucket) saveMonth(ctx context.Context, m segment.Month) error {
	return b.save(ctx, sealMonthSQL, b.args(), m.Head, m.Tail)
}

func (b bucket) save(ctx context.Context, sql string, args pgx.NamedArgs, head, tail []byte) error {
	args["headBytes"] = len(head)
	args["head"] = head
	args["tail"] = tail
	return b.replace(ctx, sql, args)
}

// replace runs a statement on the bucket's segment, and removes its mark.
func (b bucket) replace(ctx context.Context, sql string, args pgx.NamedArgs) error {
	cleanSQL := cleanDaySQL
	if b.month {
		cleanSQL = cleanMonthSQL
	}
	batch := &pgx.Batch{}
	batch.Queue(cleanSQL, args)
	batch.Queue(sql, args)
	return b.conn.SendBatch(ctx, batch).Close()
}
