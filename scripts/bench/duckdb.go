package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

//go:embed duckdb.cjs
var duckScript string

const duckPackage = "@duckdb/node-api@1.5.6-r.1"

// duckDB is a process of node with the plays of the main fork in memory.
type duckDB struct {
	stdin  io.WriteCloser
	stdout *bufio.Reader
	cmd    *exec.Cmd
}

// measureDuckDB compares the time of statistics with that of one statement of DuckDB, in memory and without HTTP.
func measureDuckDB(ctx context.Context, b *bench) error {
	d, err := b.startDuckDB(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = errors.Join(d.stdin.Close(), d.cmd.Wait()) }() // all results have been read
	c := b.newClient(&b.data.Main)
	for _, m := range []struct {
		days     int
		maxRatio float64
	}{{366, 0.2}, {30, 1.0 / 3}} {
		path := b.path("stats", &b.data.Main, m.days)
		if err := b.compareFigures(ctx, d, c, path, m.days); err != nil {
			return err
		}
		title := fmt.Sprintf("statistics, %d days; DuckDB in memory", m.days)
		baseline := func(context.Context) (float64, error) { return d.statistics(b, m.days, "") }
		if err := b.compare(ctx, title, m.maxRatio, timedWork(1, c.getFunc(path)), baseline); err != nil {
			return err
		}
	}
	return nil
}

// startDuckDB installs DuckDB into the folder, and loads a CSV export of the main fork.
func (b *bench) startDuckDB(ctx context.Context) (*duckDB, error) {
	install := exec.CommandContext(ctx, "npm", "install", "--prefix", b.folder, "--ignore-scripts",
		"--no-audit", "--no-fund", "--loglevel=error", duckPackage)
	if out, err := install.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("npm, which needs Node: %w\n%s", err, out)
	}
	plays, err := b.newClient(&b.data.Main).body(ctx, b.path("exports/csv", &b.data.Main, 366))
	if err != nil {
		return nil, err
	}
	script := filepath.Join(b.folder, "duckdb.cjs")
	file := filepath.Join(b.folder, "plays.csv")
	if err := os.WriteFile(script, []byte(duckScript), 0o600); err != nil {
		return nil, err
	}
	if err := os.WriteFile(file, plays, 0o600); err != nil {
		return nil, err
	}
	d := &duckDB{cmd: exec.CommandContext(ctx, "node", script, file)}
	d.cmd.Dir = b.folder
	d.cmd.Stderr = os.Stderr
	if d.stdin, err = d.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	d.stdout = bufio.NewReader(out)
	if err := d.cmd.Start(); err != nil {
		return nil, err
	}
	_, err = d.stdout.ReadString('\n') // the script prints a line once the plays are loaded
	return d, err
}

// statistics makes DuckDB compute the statistics of the last days, and returns the milliseconds.
func (d *duckDB) statistics(b *bench, days int, suffix string) (float64, error) {
	from, end := b.period(days)
	_, err := fmt.Fprintln(d.stdin, from.Format(time.DateOnly), end.Format(time.DateOnly)+suffix)
	if err != nil {
		return 0, err
	}
	line, err := d.stdout.ReadString('\n')
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(strings.TrimSpace(line), 64)
}

// figures are the fields of the statistics that dg and DuckDB both compute.
type figures struct {
	Plays, UniquePlayers                      int
	AvgScorePercent, CompletionRate, PassRate float64
	Daily, Players, Skills                    []map[string]any
}

// compareFigures fails if the figures of dg and DuckDB differ. DuckDB omits days without plays.
func (b *bench) compareFigures(ctx context.Context, d *duckDB, c *client, path string, days int) error {
	text, err := c.body(ctx, path)
	if err != nil {
		return err
	}
	if _, err := d.statistics(b, days, " print"); err != nil {
		return err
	}
	line, err := d.stdout.ReadBytes('\n')
	if err != nil {
		return err
	}
	var dgFigures, duckFigures figures
	if err := cmp.Or(json.Unmarshal(text, &dgFigures), json.Unmarshal(line, &duckFigures)); err != nil {
		return err
	}
	dgFigures.Daily = slices.DeleteFunc(dgFigures.Daily, func(d map[string]any) bool { return d["plays"] == 0.0 })
	for _, f := range []*figures{&dgFigures, &duckFigures} { // dg's skills are in the order of the catalogue
		slices.SortFunc(f.Skills, func(a, b map[string]any) int {
			return cmp.Compare(fmt.Sprint(a["skillId"]), fmt.Sprint(b["skillId"]))
		})
	}
	if !reflect.DeepEqual(dgFigures, duckFigures) {
		return fmt.Errorf("GET %s: the figures are not those of DuckDB", path)
	}
	return nil
}

func (c *client) body(ctx context.Context, path string) ([]byte, error) {
	var body bytes.Buffer
	err := c.read(ctx, path, &body)
	return body.Bytes(), err
}
