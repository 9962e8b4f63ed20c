package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// duckDBPackage is the engine that is compared with, by npm.
const duckDBPackage = "@duckdb/node-api@1.5.6-r.1"

//go:embed duckdb.cjs
var duckDBScript []byte

// duckDB is a process that has all plays of a fork in memory and computes statistics of them. It
// formats nothing and knows no labels.
type duckDB struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// startDuckDB loads the plays of a data set.
func (b *bench) startDuckDB(ctx context.Context, set *dataset) (_ *duckDB, err error) {
	script := filepath.Join(b.folder, "duckdb.cjs")
	if err := os.WriteFile(script, duckDBScript, 0o644); err != nil {
		return nil, err
	}
	install := command(ctx, "npm", "install", "--silent", "--no-audit", "--no-fund",
		"--prefix", b.folder, duckDBPackage)
	if printed, err := install.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("install %s: %w\n%s", duckDBPackage, err, printed)
	}
	plays := filepath.Join(b.folder, "plays.csv")
	defer func() { err = errors.Join(err, os.Remove(plays)) }()
	if err := b.writePlays(ctx, set, plays); err != nil {
		return nil, err
	}
	d := &duckDB{cmd: command(ctx, "node", script, plays)}
	d.cmd.Dir = b.folder
	d.cmd.Stderr = b.report.out
	if d.in, err = d.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := d.cmd.Start(); err != nil {
		return nil, err
	}
	d.out = bufio.NewReader(out)
	if _, err := d.out.ReadString('\n'); err != nil {
		return nil, errors.Join(fmt.Errorf("DuckDB has loaded no plays: %w", err), d.stop())
	}
	return d, nil
}

// writePlays writes what statistics are made of, as a CSV file.
func (b *bench) writePlays(ctx context.Context, set *dataset, name string) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	sql := fmt.Sprintf(`/* bench.plays */ copy (select started_at at time zone 'utc', player, score,
		passed, encode(answers, 'hex') from plays where org_id = '%s' and fork_id = '%s')
		to stdout (format csv)`, set.IDs.Organisation, set.IDs.Forks[0])
	err = b.reads.AcquireFunc(ctx, func(c *pgxpool.Conn) error {
		_, err := c.Conn().PgConn().CopyTo(ctx, file, sql)
		return err
	})
	return errors.Join(err, file.Close())
}

// computing is the work of a contestant: the figures of a query.
func (d *duckDB) computing(q query) func(context.Context) error {
	return func(context.Context) error {
		_, err := d.compute(q)
		return err
	}
}

// totals are the figures by which an answer of DuckDB's is compared with one of dg's.
type totals struct{ Plays, UniquePlayers int }

func (d *duckDB) compute(q query) (t totals, err error) {
	if _, err := fmt.Fprintln(d.in, q.from.Format(time.DateOnly),
		q.end().Format(time.DateOnly)); err != nil {
		return t, err
	}
	_, err = fmt.Fscanln(d.out, &t.Plays, &t.UniquePlayers)
	return t, err
}

// agrees compares DuckDB's answer to a query with dg's.
func (d *duckDB) agrees(ctx context.Context, c *client, q query) error {
	want, err := d.compute(q)
	if err != nil {
		return err
	}
	body, err := c.begin(ctx, q.statsPath())
	if err != nil {
		return err
	}
	defer body.Close()
	var got totals
	if err := json.NewDecoder(body).Decode(&got); err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("dg answers %+v, DuckDB %+v", got, want)
	}
	return nil
}

func (d *duckDB) stop() error {
	_ = d.in.Close() // ends the process
	return d.cmd.Wait()
}
