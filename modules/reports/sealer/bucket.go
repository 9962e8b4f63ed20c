package sealer

import (
	"bytes"
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"dg/modules/reports/segment"
	"dg/modules/reports/snapshot"
	"dg/platform/apperr"
)

// bucket packs and saves a day or a month of a fork in the caller's transaction.
type bucket struct {
	snap   *snapshot.Snapshot
	sealed snapshot.SealedReader
	plays  snapshot.PlaysReader
}

func newBucket(conn *pgxpool.Conn, q snapshot.Query) *bucket {
	s := snapshot.On(conn, q)
	return &bucket{
		snap:   s,
		sealed: snapshot.NewSealedReader(s),
		plays:  snapshot.NewPlaysReader(s, snapshot.NewMembers(s)),
	}
}

// packDay packs the plays of the bucket's day unless there are more than maxPlays. It returns their
// number, counted up to maxPlays + 1.
func (b *bucket) packDay(ctx context.Context, maxPlays int) (segment.Day, int, error) {
	n, err := b.countDay(ctx, maxPlays+1)
	if err != nil || n > maxPlays {
		return segment.Day{Head: []byte{}}, n, err
	}
	plays := make([]segment.Play, 0, n)
	err = b.plays.Each(ctx, func(p *segment.Play) {
		plays = append(plays, *p)
		plays[len(plays)-1].Answers = bytes.Clone(p.Answers)
	})
	return segment.PackDay(b.snap.Query.Period.From.UnixMilli(), plays), n, err
}

func (b *bucket) countDay(ctx context.Context, limit int) (n int, err error) {
	p := b.snap.Query.Period
	err = b.snap.Conn.QueryRow(ctx, `/* reports.countDay */ select count(*) from (select from plays
		where org_id = $1 and fork_id = $2 and started_at >= $3 and started_at < $4 limit $5) x`,
		b.snap.Query.OrganisationID, b.snap.Query.ForkID, p.From, p.End(), limit).Scan(&n)
	return n, apperr.Annotate(err, "reports: count a day")
}

// monthPlays collects the plays of the bucket's month from sealed days, and those of other days.
func (b *bucket) monthPlays(ctx context.Context, bound int) (m *segment.MonthPlays, err error) {
	err = b.snap.WithoutDamaged(ctx, func() error {
		var days []time.Time
		var sums segment.Sums
		b.sealed.EachDay(func(date time.Time, ofDay *segment.Sums) {
			days = append(days, date)
			sums.Add(ofDay)
		})
		m = segment.NewMonthPlays(b.snap.Query.Period.From.UnixMilli(), bound, &sums)
		batch := &pgx.Batch{}
		b.sealed.QueueDays(batch, days, nil, m.Add)
		from, to := b.snap.Meta.Sealed.Gaps(b.snap.Query.Period)
		b.plays.Queue(batch, from, to, m.Add)
		return b.snap.Send(ctx, batch)
	})
	return m, err
}

// $1 organisation, $2 fork, $3 date.
const (
	cleanDaySQL   = `/* reports.cleanDay */ delete from unsealed_days where fork_id = $1 and day = $2`
	cleanMonthSQL = `/* reports.cleanMonth */ delete from unsealed_months where fork_id = $1 and month = $2`
	dropDaySQL    = `/* reports.dropDay */ delete from fork_days where org_id = $1 and fork_id = $2 and day = $3`
	dropMonthSQL  = `/* reports.dropMonth */ delete from fork_months where org_id = $1 and fork_id = $2 and month = $3`
	sealDaySQL    = `/* reports.sealDay */ insert into fork_days (org_id, fork_id, day, sums,
		head_bytes, segment) values ($1, $2, $3, $4, $5, $6::bytea || coalesce($7::bytea, ''))
		on conflict (fork_id, day) do update
		  set sums = excluded.sums, head_bytes = excluded.head_bytes, segment = excluded.segment`
	sealMonthSQL = `/* reports.sealMonth */ insert into fork_months (org_id, fork_id, month,
		head_bytes, segment) values ($1, $2, $3, $4, $5::bytea || coalesce($6::bytea, ''))
		on conflict (fork_id, month) do update set head_bytes = excluded.head_bytes, segment = excluded.segment`
)

func (b *bucket) saveDay(ctx context.Context, d segment.Day) error {
	sums := d.Sums.Pack(b.snap.Query.Period.From.UnixMilli())
	return b.replace(ctx, cleanDaySQL, sealDaySQL, sums, len(d.Head), d.Head, d.Tail)
}

func (b *bucket) dropDay(ctx context.Context) error {
	return b.replace(ctx, cleanDaySQL, dropDaySQL)
}

func (b *bucket) saveMonth(ctx context.Context, m segment.Month) error {
	return b.replace(ctx, cleanMonthSQL, sealMonthSQL, len(m.Head), m.Head, m.Tail)
}

func (b *bucket) dropMonth(ctx context.Context) error {
	return b.replace(ctx, cleanMonthSQL, dropMonthSQL)
}

// replace runs a statement on the bucket's segment, and removes its mark.
func (b *bucket) replace(ctx context.Context, cleanSQL, sql string, values ...any) error {
	q := b.snap.Query
	batch := &pgx.Batch{}
	batch.Queue(cleanSQL, q.ForkID, q.Period.From)
	batch.Queue(sql, append([]any{q.OrganisationID, q.ForkID, q.Period.From}, values...)...)
	return b.snap.Conn.SendBatch(ctx, batch).Close()
}
