package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/alecthomas/kong"
)

// options are the settings of a run.
type options struct {
	Plays    int               `env:"BENCH_PLAYS" default:"1000000" help:"Plays of the fork that is measured (at least 100,000)."`
	Postgres map[string]string `env:"BENCH_POSTGRES" mapsep:"," placeholder:"NAME=VALUE" help:"Settings of PostgreSQL beside those of an embedded one, separated by commas."`
	Dir      string            `env:"BENCH_DIR" default:".bench" help:"Folder of the data sets."`
	DG       string            `name:"dg" help:"A built dg to measure, such as that of another version. Default: built from this source."`
	Only     []string          `env:"BENCH" help:"Sections to run, separated by commas. Default: all. Sections: ${sections}."`
}

// minPlays is the least with which there is something to measure.
const minPlays = 100_000

// Validate is called by kong.
func (o *options) Validate() error {
	if o.Plays < minPlays {
		return fmt.Errorf("plays: at least %d", minPlays)
	}
	for _, name := range o.Only {
		if !slices.ContainsFunc(sections, func(s section) bool { return s.name == name }) {
			return fmt.Errorf("no section %q; sections: %s", name, sectionNames())
		}
	}
	return nil
}

// section is one part of the benchmark. It can run alone.
type section struct {
	name string
	run  func(context.Context, *bench) error
}

// sections run in this order: writes come after all that reads plays.
var sections = []section{
	{"statistics", statistics},
	{"groups", groups},
	{"export", export},
	{"admission", admission},
	{"writes", writes},
}

func sectionNames() (names []string) {
	for _, s := range sections {
		names = append(names, s.name)
	}
	return names
}

func main() {
	var o options
	kong.Parse(&o, kong.Name("bench"), kong.Description("Measure dg against its limits."),
		kong.Vars{"sections": fmt.Sprint(sectionNames())})
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM,
		syscall.SIGHUP)
	err := run(ctx, o, os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run measures the selected sections. What was measured before a failure is printed.
func run(ctx context.Context, o options, out, progress io.Writer) (err error) {
	b, err := open(ctx, o, progress)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.finish(out)) }()
	for _, s := range sections {
		if len(o.Only) > 0 && !slices.Contains(o.Only, s.name) {
			continue
		}
		b.report.progress("%s", s.name)
		if err := s.run(ctx, b); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

// finish stops everything, prints the report and keeps it.
func (b *bench) finish(out io.Writer) error {
	err := b.close()
	if b.report.peak > 0 {
		const most = 256 << 20
		b.report.line("peak memory of dg over the whole run", inMegabytes, figures(b.report.peak),
			figures(most), b.report.peak/most, "≤ "+inMegabytes(most), b.report.peak <= most)
	}
	b.report.write(out)
	return err
}
