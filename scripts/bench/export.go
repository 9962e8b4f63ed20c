package main

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// The bars of an export (performance, "What we hold ourselves to").
const (
	exportMemory = 32 << 20
	firstByteBar = 10 * time.Millisecond // beside one durable commit
	exportBudget = 20 * time.Second
	freshServers = 3
)

// export measures the CSV of all plays of the fork over the longest period.
func (b *bench) export(ctx context.Context) error {
	q := b.last(&b.main, 366)
	if err := b.exportPeak(ctx, q); err != nil {
		return err
	}
	commit, drop, err := b.committing(ctx)
	if err != nil {
		return err
	}
	defer drop()
	how, copying := b.copying(q)
	var firsts []float64
	got, err := alternate(ctx, exportBudget,
		timed(1, func(ctx context.Context) error {
			first, err := b.downloading(ctx, q)
			firsts = append(firsts, milliseconds(first))
			return err
		}), timed(1, copying), timed(5, commit))
	if err != nil {
		return err
	}
	b.atLeast("export, 366 days; limit: "+how, got[0], got[1], 1.2)
	limit := got[2].median() + milliseconds(firstByteBar)
	ours := one(firsts[1:]...) // without the warm-up
	b.add(line{work: "export, first byte; limit: a durable commit and 10 ms", ours: ours, limit: one(limit), unit: inMilliseconds,
		ratio: ours.median() / limit, bar: "≤ 1 x", holds: ours.median() <= limit})
	return nil
}

// downloading does one export to its end and returns when its first byte came.
func (b *bench) downloading(ctx context.Context, q query) (first time.Duration, err error) {
	d, err := b.begin(ctx, q)
	if err != nil {
		return 0, err
	}
	defer d.conn.Close()
	return d.first, d.read(-1)
}

// exportPeak measures what an export adds to the memory of a server that has answered nothing but a fork list.
func (b *bench) exportPeak(ctx context.Context, q query) error {
	const work = "export, 366 days: peak memory above idle"
	if _, err := b.server.memory("VmHWM"); err != nil {
		b.missing(work+": "+err.Error(), "≤ 32 MB")
		return nil //nolint:nilerr // only Linux has it; the other lines can be measured elsewhere
	}
	var peaks []float64
	for range freshServers {
		if err := b.restart(ctx); err != nil {
			return err
		}
		if _, err := b.asker(b.keys[q.organisation()]).get("/api/v1/forks"); err != nil {
			return err
		}
		idle, err := b.resetPeak()
		if err != nil {
			return err
		}
		if _, err := b.downloading(ctx, q); err != nil {
			return err
		}
		high, err := b.server.memory("VmHWM")
		if err != nil {
			return err
		}
		peaks = append(peaks, float64(high-idle))
	}
	b.within(work, one(peaks...), exportMemory, inMegabytes)
	return nil
}

// committing is one durable commit of a row: what the audit entry before an export costs at least.
func (b *bench) committing(ctx context.Context) (commit func(context.Context) error, drop func(), err error) {
	_, err = b.owner.Exec(ctx, `/* bench.commit */ create table if not exists bench_commits (n integer)`)
	commit = func(ctx context.Context) error {
		_, err := b.owner.Exec(ctx, `/* bench.commit */ insert into bench_commits values (1)`)
		return err
	}
	drop = func() {
		ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
		defer stop()
		if _, err := b.owner.Exec(ctx, `/* bench.commit */ drop table bench_commits`); err != nil {
			b.say("bench_commits could not be dropped: %s", err)
		}
	}
	return commit, drop, err
}

// copying is the limit of an export: COPY of the same columns' raw values, by psql where there is one.
func (b *bench) copying(q query) (name string, work func(context.Context) error) {
	sql := fmt.Sprintf(`copy (select id, fork_id, release_number, player, started_at, completed_at, score, passed, answers
		from plays where org_id = '%s' and fork_id = '%s' and started_at >= '%s' and started_at < '%s'
		order by started_at, id) to stdout (format csv)`, q.organisation(), q.fork(), q.from.Format(time.RFC3339), q.end().Format(time.RFC3339))
	psql, err := exec.LookPath("psql")
	if err == nil {
		return "psql COPY to CSV", func(ctx context.Context) error {
			cmd := command(ctx, psql, "-X", "-q", "-v", "ON_ERROR_STOP=1", "-c", sql, b.embedded.URL())
			cmd.Env = append(cmd.Env, "PGOPTIONS=-c jit=off -c timezone=UTC")
			return cmd.Run() // its output goes to the null device
		}
	}
	return "COPY to CSV (no psql here)", func(ctx context.Context) error {
		return b.reads.AcquireFunc(ctx, func(c *pgxpool.Conn) error {
			_, err := c.Conn().PgConn().CopyTo(ctx, io.Discard, sql)
			return err
		})
	}
}
