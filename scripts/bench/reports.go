package main

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// rawBudget bounds how long raw SQL is measured over and over; quickBudget the same of quicker
// limits.
const (
	rawBudget   = 20 * time.Second
	quickBudget = 4 * time.Second
)

// statistics measures the figures of all players, against the same text made of plays in memory,
// and against raw SQL.
func statistics(ctx context.Context, b *bench) error {
	c, err := b.client(ctx, b.main.IDs.Organisation.String())
	if err != nil {
		return err
	}
	year := b.last(b.main, 366)
	month := b.last(b.main, 30)
	plays, err := b.readMemory(ctx, year)
	if err != nil {
		return err
	}
	if err := c.get(year.statsPath(), same(plays.aggregate(year).appendJSON(nil))); err != nil {
		return fmt.Errorf("the limit in memory computes something else: %w", err)
	}
	var text []byte
	got, err := alternate(ctx, quickBudget, timed(3, c.getting(year.statsPath())),
		timed(3, func(context.Context) error {
			text = plays.aggregate(year).appendJSON(text[:0])
			return nil
		}))
	if err != nil {
		return err
	}
	b.report.atMost("statistics, 366 days; limit: plays in memory", inMilliseconds, got[0], got[1],
		2.5)
	got, err = alternate(ctx, rawBudget, timed(5, c.getting(month.statsPath())),
		timed(1, b.computing(month)))
	if err != nil {
		return err
	}
	b.report.faster("statistics, 30 days; limit: raw SQL", got[0], got[1], 25)
	return nil
}

// groups measures the figures of groups.
func groups(ctx context.Context, b *bench) error {
	c, err := b.client(ctx, b.main.IDs.Organisation.String())
	if err != nil {
		return err
	}
	year := b.last(b.main, 366)
	few := year.of(0)
	many := year.of(1)
	got, err := alternate(ctx, rawBudget, timed(5, c.getting(many.statsPath())),
		timed(1, b.computing(many)), timed(3, c.getting(year.statsPath())))
	if err != nil {
		return err
	}
	large := fmt.Sprintf("group of %s, 366 days; limit: ", digits(float64(b.main.Groups[1])))
	b.report.faster(large+"raw SQL", got[0], got[1], 4)
	b.report.atMost(large+"all players", inMilliseconds, got[0], got[2], 1)

	where, args := few.where()
	args = append([]any{args[0], pgx.QueryResultFormats{pgx.BinaryFormatCode}}, args[1:]...)
	onePass := func(ctx context.Context) error {
		rows, err := b.reads.Query(ctx,
			`/* bench.onePass */ select started_at, player, score, passed, answers`+where, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			rows.RawValues()
		}
		return rows.Err()
	}
	got, err = alternate(ctx, quickBudget, timed(20, c.getting(few.statsPath())),
		timed(20, onePass))
	if err != nil {
		return err
	}
	b.report.atMost(fmt.Sprintf("group of %d, 366 days; limit: one pass over its plays",
		smallGroup),
		inMilliseconds, got[0], got[1], 1.5)
	return nil
}

// size measures what segments take beside the plays that they are made of.
func size(ctx context.Context, b *bench) error {
	var segments, plays float64
	if err := b.owner.QueryRow(ctx,
		`/* bench.size */ select sum(pg_total_relation_size(oid)) filter (where relname <> 'plays')::float8,
		sum(pg_total_relation_size(oid)) filter (where relname = 'plays')::float8 from pg_class
		  where relnamespace = 'public'::regnamespace
		and relkind = 'r' and relname in ('plays', 'fork_days', 'fork_months', 'unsealed_days', 'unsealed_months')`).
		Scan(&segments, &plays); err != nil {
		return err
	}
	b.report.atMost("segment size; limit: plays and their indexes", inMegabytes, figures(segments),
		figures(plays), 0.1)
	return nil
}

// same compares an answer with a text.
func same(want []byte) func(body []byte) error {
	return func(body []byte) error {
		if bytes.Equal(want, body) {
			return nil
		}
		at := 0
		for at < min(len(want), len(body)) && want[at] == body[at] {
			at++
		}
		from := max(0, at-80)
		return fmt.Errorf("wrong figures at byte %d: …%s… instead of …%s…", at,
			body[from:min(len(body), at+80)], want[from:min(len(want), at+80)])
	}
}
