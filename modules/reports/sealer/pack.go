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

// maxMonthPlays bounds the plays of a month that are packed player by player, which takes about 100 MB.
const maxMonthPlays = 1_000_000

// monthPlays collects the plays of a month.
type monthPlays struct {
	players segment.Players
	plays   []segment.Play
	max     int
	more    bool // than max: plays has none
}

func (m *monthPlays) add(p *segment.Play) {
	m.players.AddPlay(p)
	if m.more {
		return
	}
	if m.more = len(m.plays) == m.max; m.more {
		m.plays = nil
		return
	}
	play := *p
	play.Answers = bytes.Clone(p.Answers)
	m.plays = append(m.plays, play)
}

// sealMonth packs the plays of a month: those of sealed days from their segments. It marks damaged
// days as dirty and leaves the month to a later pass.
func (s *Sealer) sealMonth(ctx context.Context, b bucket) (Result, error) {
	m := &monthPlays{max: s.MaxMonthPlays}
	args := b.args()
	rows, _ := b.conn.Query(ctx, segment.DaysSQL+` order by d.day`, args) // its error is the rows'
	days, err := pgx.CollectRows(rows, pgx.RowToStructByPos[segment.SealedDay])
	if err != nil {
		return Result{}, fmt.Errorf("reports: sealed days: %w", err)
	}
	damaged, err := b.readDays(ctx, days, m)
	if err != nil {
		return Result{}, err
	}
	if len(damaged) > 0 {
		return Result{Skipped: 1}, s.markDamaged(ctx, b, damaged)
	}
	args["starts"], args["ends"] = segment.Gaps(days, b.first, b.end)
	rows, _ = b.conn.Query(ctx, segment.PlaysSQL, args) // its error is the rows'
	defer rows.Close()
	var p segment.Play
	for rows.Next() {
		p.Scan(rows.RawValues())
		m.add(&p)
	}
	if rows.Err() != nil {
		return Result{}, fmt.Errorf("reports: plays of a month: %w", rows.Err())
	}
	if m.players.Count() == 0 {
		return Result{}, b.replace(ctx, dropMonthSQL, args)
	}
	packed := segment.PackMonth(b.first.UnixMilli(), &m.players, m.plays)
	return Result{Months: 1}, b.save(ctx, sealMonthSQL, args, packed.Head, packed.Tail)
}

// readDays adds the plays of sealed days, and returns the damaged ones.
func (b bucket) readDays(
	ctx context.Context, days []segment.SealedDay, m *monthPlays,
) (damaged []segment.Damage, err error) {
	args := b.args()
	args["whole"] = true
	args["days"] = segment.Dates(days)
	rows, _ := b.conn.Query(ctx, segment.StoredDaysSQL, args) // its error is the rows'
	defer rows.Close()
	var stored segment.Stored
	for rows.Next() {
		if err := stored.Scan(rows); err != nil {
			return nil, err
		}
		err := segment.UnpackDay(stored.Date.UnixMilli(), stored.Head, stored.Tail, nil, m.add)
		if err != nil {
			damaged = append(damaged, segment.Damage{ForkID: b.fork.ID, First: stored.Date})
		}
	}
	return damaged, apperr.Annotate(rows.Err(), "reports: segments of a month")
}

func (s *Sealer) markDamaged(ctx context.Context, b bucket, damaged []segment.Damage) error {
	for _, d := range damaged {
		if _, err := d.MarkDirty(ctx, b.conn); err != nil {
			return err
		}
		s.OnDamage(d)
	}
	return nil
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
