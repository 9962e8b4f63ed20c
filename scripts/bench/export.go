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
	if err := b.exportPeak(ctx, q); err != nil {
		return err
	}
	if err := b.execute(ctx, `create table if not exists bench_commits (n integer)`); err != nil {
		return err
	}
	var firsts []float64
	got, err := alternate(ctx, rawBudget,
		timed(1, func(ctx context.Context) error {
			first, err := b.exportAll(ctx, q)
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
func (b *bench) exportAll(ctx context.Context, q query) (time.Duration, error) {
	keys, err := b.keysOf(ctx, q.organisation())
	if err != nil {
		return 0, err
	}
	d, err := b.download(ctx, reading(0), q.exportPath(), keys.header(), "bench-export")
	if err != nil {
		return 0, err
	}
	defer d.Close()
	_, err = io.Copy(io.Discard, d.Reader)
	return d.first, err
}

// exportPeak measures what an export adds to the memory of a server that has answered nothing but a
// fork list.
func (b *bench) exportPeak(ctx context.Context, q query) error {
	if _, err := b.server.memory("VmHWM"); err != nil {
		b.report.note("memory is not measured: %v", err)
		return nil // only Linux has it; the rest can be measured elsewhere
	}
	var peaks []float64
	for range 3 {
		if err := b.restart(ctx); err != nil {
			return err
		}
		c, err := b.client(ctx, q.organisation())
		if err != nil {
			return err
		}
		if err := c.get("/api/v1/forks", nil); err != nil {
			return err
		}
		idle, err := b.resetPeak()
		if err != nil {
			return err
		}
		if _, err := b.exportAll(ctx, q); err != nil {
			return err
		}
		high, err := b.server.memory("VmHWM")
		if err != nil {
			return err
		}
		peaks = append(peaks, high-idle)
	}
	b.report.within("export, 366 days: peak memory above idle", inMegabytes, figures(peaks...),
		32<<20)
	return nil
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

// gone measures how long the query of an export lives on when its client leaves among the rows.
func gone(ctx context.Context, b *bench) error {
	q := b.last(b.main, 366)
	keys, err := b.keysOf(ctx, q.organisation())
	if err != nil {
		return err
	}
	prefix := fmt.Sprintf("bench-gone-%d-", time.Now().UnixNano())
	took := make([]float64, 10)
	for i := range took {
		d, err := b.download(ctx, reading(0), q.exportPath(), keys.header(), fmt.Sprint(prefix, i))
		if err != nil {
			return err
		}
		_, err = io.CopyN(io.Discard, d.Reader, 1<<20)
		if active, asked := b.exporting(ctx); err != nil || asked != nil || !active {
			return fmt.Errorf("the export ended before its client left: %w, %w", err, asked)
		}
		left := time.Now()
		_ = d.Close()
		for active := true; active; {
			if active, err = b.exporting(ctx); err != nil {
				return err
			}
		}
		took[i] = milliseconds(time.Since(left))
	}
	b.report.within("broken export: until its query has ended", inMilliseconds, figures(took...),
		100)
	ended, err := b.awaitExports(ctx, prefix, len(took))
	for _, e := range ended {
		if e.outcome != "client_gone" {
			return fmt.Errorf("a broken export was recorded as %s", e.outcome)
		}
	}
	return err
}

// exporting reports whether an export's query is active.
func (b *bench) exporting(ctx context.Context) (active bool, err error) {
	err = b.reads.QueryRow(ctx, `/* bench.exporting */ select exists (select from pg_stat_activity
		where application_name = 'dg exports' and state = 'active' and query like '/* reports.export%')`).
		Scan(&active)
	return active, err
}

// ended is what the audit log says of a finished export.
type ended struct {
	requestID, outcome string
	at                 time.Time
}

// awaitExports waits until the audit log has the end of n exports whose request ids begin so.
func (b *bench) awaitExports(ctx context.Context, prefix string, n int) ([]ended, error) {
	for deadline := time.Now().Add(time.Minute); ; {
		var all []ended
		var e ended
		err := b.forEach(ctx,
			`/* bench.ended */ select request_id, details->>'outcome', at from audit_entries
			where org_id = $1 and action = 'export.finished' and starts_with(request_id, $2)`,
			[]any{b.main.IDs.Organisation, prefix},
			[]any{&e.requestID, &e.outcome, &e.at}, func() { all = append(all, e) })
		if err != nil || len(all) == n {
			return all, err
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("%d of %d exports have ended", len(all), n)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}
