package main

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"dg/platform/testkit/bouncer"
)

// poolerBar is how much longer anything may take through PgBouncer: without prepared statements
// each is planned each time.
const poolerBar = 4

// pooler measures what PgBouncer in transaction mode costs on each kind of work: a second dg works
// behind it, in turns with the first.
func (b *bench) pooler(ctx context.Context) error {
	direct := b.server
	pooled, release, err := b.servePooled(ctx)
	if err != nil {
		return err
	}
	defer func() {
		release()
		b.server = direct
	}()
	keys, err := b.keysOf(ctx, b.main.IDs.Organisation.String(), 5_000)
	if err != nil {
		return err
	}
	behind := newClient(pooled.addr, keys)
	before := newClient(direct.addr, keys)
	rate := func(c *client) contestant {
		return contestant{
			1, func(ctx context.Context) (float64, error) {
				return c.rate(ctx, "/api/v1/forks", 2*time.Second)
			},
		}
	}
	got, err := alternate(ctx, 12*time.Second, rate(behind), rate(before))
	if err != nil {
		return err
	}
	b.report.atLeast("fork list through PgBouncer; limit: direct", got[0], got[1], 1.0/poolerBar)
	year := b.last(b.main, 366)
	month := b.last(b.main, 30)
	for work, path := range map[string]string{
		"one fork":             "/api/v1/forks/" + b.main.IDs.Forks[0].String(),
		"statistics, 30 days":  month.statsPath(),
		"statistics, 366 days": year.statsPath(),
		"a group, 366 days":    year.of(0).statsPath(),
	} {
		got, err := alternate(ctx, 5*time.Second, timed(20, behind.getting(path)),
			timed(20, before.getting(path)))
		if err != nil {
			return err
		}
		b.report.atMost(work+" through PgBouncer; limit: direct", inMilliseconds, got[0], got[1],
			poolerBar)
	}
	export := func(s *server) contestant {
		return timed(1, func(ctx context.Context) error {
			b.server = s
			_, err := b.exportAll(ctx, year)
			return err
		})
	}
	got, err = alternate(ctx, 10*time.Second, export(pooled), export(direct))
	if err == nil {
		b.report.atMost("export through PgBouncer; limit: direct", inMilliseconds, got[0], got[1],
			poolerBar)
	}
	return err
}

// servePooled starts PgBouncer, and dg behind it.
func (b *bench) servePooled(ctx context.Context) (*server, func(), error) {
	u, err := url.Parse(b.embedded.URL())
	if err != nil {
		return nil, nil, err
	}
	pgbouncer, err := bouncer.Launch(u.Query().Get("host"))
	if err != nil {
		return nil, nil, err
	}
	log, err := os.Create(filepath.Join(b.folder, "serve-pooled.log"))
	if err != nil {
		return nil, nil, err
	}
	defer log.Close() // the child has its own
	cmd := command(ctx, b.binary(), "serve", "--database-url", pgbouncer.URL(b.embedded.URL()),
		"--database-pooler", "transaction",
		"--migrate-database-url", b.embedded.OwnerURL(), "--addr", "127.0.0.1:0", "--ops-addr",
		"127.0.0.1:0")
	cmd.Stderr = log
	s, err := startServer(cmd)
	if err != nil {
		pgbouncer.Stop()
		return nil, nil, err
	}
	return s, func() {
		_ = s.stop()
		pgbouncer.Stop()
	}, nil
}
