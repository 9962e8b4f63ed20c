package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// How long a measurement is repeated, with a slow and with a quick limit.
const (
	slowBudget  = 20 * time.Second
	quickBudget = 4 * time.Second
)

// statistics compares the figures of all players with DuckDB's engine.
func statistics(ctx context.Context, b *bench) (err error) {
	c, err := b.client(ctx, b.main.IDs.Organisation.String())
	if err != nil {
		return err
	}
	duck, err := b.startDuckDB(ctx, b.main)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, duck.stop()) }()
	for _, bar := range []struct {
		days   int
		faster float64
	}{{366, 10}, {30, 2}} {
		q := b.last(b.main, bar.days)
		if err := duck.agrees(ctx, c, q); err != nil {
			return err
		}
		got, err := alternate(ctx, slowBudget, timed(5, c.getting(q.statsPath())),
			timed(1, duck.computing(q)))
		if err != nil {
			return err
		}
		b.report.faster(fmt.Sprintf("statistics, %d days; limit: DuckDB, plays in memory",
			bar.days), got[0], got[1], bar.faster)
	}
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
	got, err := alternate(ctx, quickBudget, timed(5, c.getting(many.statsPath())),
		timed(5, c.getting(year.statsPath())))
	if err != nil {
		return err
	}
	b.report.atMost(
		fmt.Sprintf("group of %s, 366 days; limit: all players", digits(float64(b.main.Groups[1]))),
		inMilliseconds, got[0], got[1], 1)

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
