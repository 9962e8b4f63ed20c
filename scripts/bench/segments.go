package main

import (
	"context"
	"fmt"
	"time"

	"dg/modules/reports"
)

// segmentTables finds what segments are kept in; there are none before they are built.
const segmentTables = `/* bench.segmentTables */ select relname::text from pg_class
	 where relkind = 'r' and relnamespace = 'public'::regnamespace and relname ~ '^(fork|unsealed)_(days|months)$' order by 1`

// sealPatience is how long a server may take to seal what an import has left or an earlier run has touched.
const sealPatience = time.Minute

// awaitSegments waits until the server has sealed what is due, and notes how much of the fork that is.
func (b *bench) awaitSegments(ctx context.Context) error {
	tables, err := b.segmentTables(ctx)
	if err != nil || len(tables) == 0 {
		return err
	}
	b.say("waiting until the server has sealed what is due")
	for began := time.Now(); ; {
		days, due, err := b.sealed(ctx, &b.main)
		if err != nil {
			return err
		}
		if due == 0 || time.Since(began) > sealPatience {
			b.notes = append(b.notes, fmt.Sprintf("days of the fork: %d sealed, %d due", days, due))
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// sealed counts the days of a data set's fork that have a segment and no mark, and the finished days and months that
// should.
func (b *bench) sealed(ctx context.Context, d *dataset) (days, due int, err error) {
	err = b.owner.QueryRow(ctx, `/* bench.sealed */
		with days as (select day from fork_days s where fork_id = $1
		                 and not exists (select from unsealed_days m where m.fork_id = $1 and m.day = s.day)),
		     months as (select month from fork_months s where fork_id = $1
		                 and not exists (select from unsealed_months m where m.fork_id = $1 and m.month = s.month)),
		     played as (select distinct started_at::date as day from plays where fork_id = $1)
		select (select count(*) from days), case when $2 then
		       (select count(*) from played where day < current_date and day not in (select day from days))
		     + (select count(distinct date_trunc('month', day)) from played
		         where date_trunc('month', day) + interval '1 month' <= current_date
		           and date_trunc('month', day)::date not in (select month from months)) else 0 end`, d.IDs.Forks[0], d.Plays > reports.SealFrom).Scan(&days, &due)
	return days, due, err
}

func (b *bench) segmentTables(ctx context.Context) ([]string, error) {
	rows, err := b.owner.Query(ctx, segmentTables)
	if err != nil {
		return nil, err
	}
	return collect[string](rows)
}

// room measures what segments take beside what they are made of.
func (b *bench) room(ctx context.Context) error {
	const work = "room of segments; limit: plays and their indexes"
	tables, err := b.segmentTables(ctx)
	if err != nil {
		return err
	}
	var segments, plays int64
	if err := b.owner.QueryRow(ctx, `/* bench.room */ select coalesce(sum(pg_total_relation_size(t::regclass)), 0)::bigint,
		pg_total_relation_size('plays') from unnest($1::text[]) t`, tables).Scan(&segments, &plays); err != nil {
		return err
	}
	if len(tables) == 0 {
		b.missing(work, "≤ 0.10 x")
		b.notes = append(b.notes, "plays and their indexes take "+inMegabytes(float64(plays)))
		return nil
	}
	ours, limit := one(float64(segments)), one(float64(plays))
	ratio := ours.median() / limit.median()
	b.add(line{work: work, ours: ours, limit: limit, unit: inMegabytes, ratio: ratio, bar: "≤ 0.10 x", holds: ratio <= 0.1})
	return nil
}
