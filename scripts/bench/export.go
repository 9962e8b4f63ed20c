package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// export measures the CSV of all plays of the fork over the longest period.
func export(ctx context.Context, b *bench) error {
	c := b.client(&b.data.Main)
	path := b.path("exports/csv", &b.data.Main, 366)
	var ours, limit stopwatch
	err := b.compare(ctx, "export, 366 days; COPY of the raw values to CSV", 0.83,
		timed(1, func(ctx context.Context) error {
			ours.start()
			return c.get(ctx, path, &ours)
		}),
		timed(1, func(ctx context.Context) error {
			limit.start()
			return b.copyTo(ctx, &limit)
		}))
	if err != nil {
		return err
	}
	b.report.notes = append(b.report.notes, fmt.Sprintf(
		"first byte of the export: %.4g ms; of COPY: %.4g ms", median(ours.firsts),
		median(limit.firsts)))
	return nil
}

// stopwatch discards what is written, and notes when the first byte came.
type stopwatch struct {
	began  time.Time
	firsts []float64 // milliseconds, by run
	seen   bool
}

func (s *stopwatch) start() {
	s.began = time.Now()
	s.seen = false
}

// Write never fails.
func (s *stopwatch) Write(p []byte) (int, error) {
	if !s.seen {
		s.firsts = append(s.firsts, milliseconds(time.Since(s.began)))
		s.seen = true
	}
	return len(p), nil
}

// copyTo is psql's way to export: COPY of the same columns' raw values.
func (b *bench) copyTo(ctx context.Context, to *stopwatch) error {
	from, end := b.period(366)
	sql := fmt.Sprintf(`/* bench */ copy (select id, fork_id, release_number, player, started_at,
			completed_at, score, passed, answers
		from plays where org_id = '%s' and fork_id = '%s' and started_at >= '%s' and started_at < '%s'
		order by started_at, id) to stdout (format csv)`, b.data.Main.IDs.Organisation,
		b.data.Main.IDs.Forks[0], from.Format(time.RFC3339), end.Format(time.RFC3339))
	return b.owner.AcquireFunc(ctx, func(c *pgxpool.Conn) error {
		_, err := c.Conn().PgConn().CopyTo(ctx, to, sql)
		return err
	})
}
