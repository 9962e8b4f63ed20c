package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// export measures the CSV of all plays of the fork over the longest period.
func export(ctx context.Context, b *bench) error {
	q := b.last(b.main, 366)
	if err := b.execute(ctx, `create table if not exists bench_commits (n integer)`); err != nil {
		return err
	}
	c, err := b.client(ctx, q.organisation())
	if err != nil {
		return err
	}
	var firsts []float64
	got, err := alternate(ctx, slowBudget,
		timed(1, func(ctx context.Context) error {
			first, err := c.exportAll(ctx, q)
			firsts = append(firsts, milliseconds(first))
			return err
		}),
		timed(1, b.copying(q)),
		timed(5, func(ctx context.Context) error {
			return b.execute(ctx, `insert into bench_commits values (1)`)
		}))
	if err != nil {
		return err
	}
	b.report.faster("export, 366 days; limit: COPY of the raw values to CSV", got[0], got[1], 1.2)
	b.report.atMost("export, first byte; limit: a durable commit and 10 ms", inMilliseconds,
		figures(firsts[1:]...), figures(got[2].median()+10), 1)
	return b.execute(ctx, `drop table bench_commits`)
}

// exportAll does one export to its end and returns when its first byte came.
func (c *client) exportAll(ctx context.Context, q query) (first time.Duration, err error) {
	began := time.Now()
	body, err := c.begin(ctx, q.exportPath())
	if err != nil {
		return 0, err
	}
	first = time.Since(began)
	defer body.Close()
	_, err = io.Copy(io.Discard, body)
	return first, err
}

// copying is the limit of an export: COPY of the same columns' raw values.
func (b *bench) copying(q query) func(context.Context) error {
	sql :=
		fmt.Sprintf(`/* bench.copy */ copy (select id, fork_id, release_number, player, started_at,
			completed_at, score, passed, answers
		from plays where org_id = '%s' and fork_id = '%s' and started_at >= '%s' and started_at < '%s'
		order by started_at, id) to stdout (format csv)`, q.organisation(), q.set.IDs.Forks[0],
			q.from.Format(time.RFC3339), q.end().Format(time.RFC3339))
	return func(ctx context.Context) error {
		return b.reads.AcquireFunc(ctx, func(c *pgxpool.Conn) error {
			_, err := c.Conn().PgConn().CopyTo(ctx, io.Discard, sql)
			return err
		})
	}
}
