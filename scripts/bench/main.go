package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/alecthomas/kong"
)

// minPlays keeps the measured work well above the noise of a request.
const minPlays = 100_000

type options struct {
	Plays int      `env:"BENCH_PLAYS" default:"1000000" help:"Plays of the fork that is measured (at least 100,000)."`
	Dir   string   `env:"BENCH_DIR" default:".bench" help:"Folder of the data, by number of plays."`
	DG    string   `name:"dg" help:"A built dg to measure, such as that of another version. Default: built from this source."`
	Only  []string `env:"BENCH" default:"${default}" enum:"${default},duckdb" help:"Sections to run: ${enum}; duckdb needs Node."`
}

// Validate is kong's hook after parsing. It refuses fewer plays than minPlays.
func (o *options) Validate() error {
	if o.Plays < minPlays {
		return fmt.Errorf("plays: at least %d", minPlays)
	}
	return nil
}

// sections run in this order: writes come after every section that reads plays.
var sections = []struct {
	name string
	run  func(context.Context, *bench) error
}{
	{"statistics", measureStatistics},
	{"duckdb", measureDuckDB},
	{"groups", measureGroups},
	{"export", measureExport},
	{"admission", measureAdmission},
	{"writes", measureWrites},
}

func main() {
	log.SetFlags(log.Ltime)
	var o options
	kong.Parse(&o, kong.Name("bench"), kong.Description("Compare dg with its baselines."),
		kong.Vars{"default": "statistics,groups,export,admission,writes"})
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o)
	stop()
	if err != nil {
		log.Fatal(err)
	}
}

// run measures the selected sections. After a failure it prints the results so far.
func run(ctx context.Context, o options) (err error) {
	b, err := openBench(ctx, o)
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, b.close())
		b.results.write(os.Stdout)
	}()
	for _, s := range sections {
		if !slices.Contains(o.Only, s.name) {
			continue
		}
		if err := s.run(ctx, b); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}
