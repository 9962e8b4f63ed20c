package sealer

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"dg/modules/reports/segment"
	"dg/platform/apperr"
)

// bucket is a day or a month of a fork. conn is in the transaction that seals it.
type bucket struct {
	conn       *pgxpool.Conn
	fork       fork
	first, end time.Time
	isMonth    bool
}

func (b bucket) args() pgx.NamedArgs {
	return segment.Args(b.fork.OrganisationID, b.fork.ID, b.first, b.end)
}

// collector collects plays and their sums by player. Beyond maxPlays it keeps the sums alone.
type collector struct {
	players  segment.Players
	plays    []segment.Play // nil if tooMany
	maxPlays int            // limit of len(plays)
	tooMany  bool           // more plays than maxPlays
	hash     uint64         // XOR of the hashes of the plays that addPlays read
}

func (c *collector) add(p *segment.Play) {
	c.players.AddPlay(p)
	if c.tooMany {
		return
	}
	if c.tooMany = len(c.plays) == c.maxPlays; c.tooMany {
		c.plays = nil
		return
	}
	play := *p
	play.Answers = bytes.Clone(p.Answers)
	c.plays = append(c.plays, play)
}

// addPlays adds the bucket's plays outside the sealed days. sealed must ascend.
func (c *collector) addPlays(ctx context.Context, b bucket, sealed []segment.SealedDay) error {
	args := b.args()
	args["starts"], args["ends"] = segment.Gaps(sealed, b.first, b.end)
	rows, _ := b.conn.Query(ctx, segment.HashedPlaysSQL, args) // rows.Err returns Query's error
	defer rows.Close()
	var p segment.Play
	for rows.Next() {
		v := rows.RawValues()
		p.Scan(v)
		c.add(&p)
		c.hash ^= binary.BigEndian.Uint64(v[5])
	}
	return apperr.Annotate(rows.Err(), "reports: plays")
}

// sealDay stores an empty segment, which is never read, for a day with more than MaxDayPlays plays.
// Later passes then skip the day until a write marks it as dirty.
func (s *Sealer) sealDay(ctx context.Context, b bucket) (Result, error) {
	c := &collector{maxPlays: s.MaxDayPlays}
	if err := c.addPlays(ctx, b, nil); err != nil {
		return Result{}, err
	}
	switch {
	case c.players.Count() == 0:
		return Result{}, b.replace(ctx, dropDaySQL, b.args())
	case c.tooMany:
		return Result{Large: 1}, b.saveDay(ctx, segment.Day{Head: []byte{}}, c.hash)
	}
	return Result{Days: 1}, b.saveDay(ctx, segment.PackDay(b.first.UnixMilli(), c.plays), c.hash)
}

// maxMonthPlays is the default of Sealer.MaxMonthPlays. It bounds the memory for packing a month.
const maxMonthPlays = 1_000_000

func (s *Sealer) sealMonth(ctx context.Context, b bucket) (Result, error) {
	// rows.Err returns Query's error
	rows, _ := b.conn.Query(ctx, segment.DaySumsSQL+` order by d.day`, b.args())
	days, err := pgx.CollectRows(rows, pgx.RowToStructByPos[segment.SealedDay])
	if err != nil {
		return Result{}, fmt.Errorf("reports: sealed days: %w", err)
	}
	c := &collector{maxPlays: s.MaxMonthPlays}
	if err := c.addDays(ctx, b, days); err != nil {
		return Result{}, err
	}
	if err := c.addPlays(ctx, b, days); err != nil {
		return Result{}, err
	}
	if c.players.Count() == 0 {
		return Result{}, b.replace(ctx, dropMonthSQL, b.args())
	}
	m := segment.PackMonth(b.first.UnixMilli(), &c.players, c.plays)
	args := b.args()
	args["blockBytes"] = m.BlockBytes
	return Result{Months: 1}, b.save(ctx, sealMonthSQL, args, m.Head, m.Tail)
}

func (c *collector) addDays(ctx context.Context, b bucket, days []segment.SealedDay) error {
	var dates []time.Time
	for _, d := range days {
		dates = append(dates, d.Date)
	}
	args := b.args()
	args["whole"] = true
	args["days"] = dates
	rows, _ := b.conn.Query(ctx, segment.DaySegmentsSQL, args) // rows.Err returns Query's error
	return segment.ReadSegments(rows, len(days), func(d segment.StoredSegment) error {
		return segment.UnpackDay(d.Date.UnixMilli(), d.Head, d.Tail, nil, c.add)
	})
}

const (
	unmarkDaySQL = `/* reports.cleanDay */ delete from unsealed_days
		where fork_id = @fork and day = @from`
	unmarkMonthSQL = `/* reports.cleanMonth */ delete from unsealed_months
		where fork_id = @fork and month = @from`
	dropDaySQL = `/* reports.dropDay */ delete from fork_days
		where org_id = @org and fork_id = @fork and day = @from`
	dropMonthSQL = `/* reports.dropMonth */ delete from fork_months
		where org_id = @org and fork_id = @fork and month = @from`
	sealDaySQL = `/* reports.sealDay */ insert into fork_days (org_id, fork_id, day, sums,
		head_bytes, segment, hash) values (@org, @fork, @from, @sums, @headBytes,
		@head::bytea || coalesce(@tail::bytea, ''), @hash)
		on conflict (fork_id, day) do update set sums = excluded.sums,
		  head_bytes = excluded.head_bytes, segment = excluded.segment, hash = excluded.hash`
	sealMonthSQL = `/* reports.sealMonth */ insert into fork_months (org_id, fork_id, month,
		block_bytes, head_bytes, segment) values (@org, @fork, @from, coalesce(@blockBytes::int[], '{}'),
		@headBytes, @head::bytea || coalesce(@tail::bytea, ''))
		on conflict (fork_id, month) do update set block_bytes = excluded.block_bytes,
		  head_bytes = excluded.head_bytes, segment = excluded.segment`
)

func (b bucket) saveDay(ctx context.Context, d segment.Day, hash uint64) error {
	args := b.args()
	args["sums"] = d.Sums.Pack(b.first.UnixMilli())
	args["hash"] = int64(hash)
	return b.save(ctx, sealDaySQL, args, d.Head, d.Tail)
}

func (b bucket) save(ctx context.Context, sql string, args pgx.NamedArgs, head, tail []byte) error {
	args["headBytes"] = len(head)
	args["head"] = head
	args["tail"] = tail
	return b.replace(ctx, sql, args)
}

// replace removes the dirty mark, and writes or deletes the segment.
func (b bucket) replace(ctx context.Context, sql string, args pgx.NamedArgs) error {
	unmarkSQL := unmarkDaySQL
	if b.isMonth {
		unmarkSQL = unmarkMonthSQL
	}
	batch := &pgx.Batch{}
	batch.Queue(unmarkSQL, args)
	batch.Queue(sql, args)
	return b.conn.SendBatch(ctx, batch).Close()
}
