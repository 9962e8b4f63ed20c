package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// options are what the benchmark can be told.
type options struct {
	plays int
	dir   string
	dg    string   // a built dg to measure; "": it is built here
	only  []string // the sections to run
}

// section is one part of the benchmark. It can run alone.
type section struct {
	name, about string
	figures     bool // whether it times figures, which are checked first
	byName      bool // whether it runs only when it is asked for
	run         func(*bench, context.Context) error
}

// sections are the parts in the order in which they run: what writes plays comes after all that reads them.
var sections = []section{
	{name: "statistics", about: "statistics of all players, against raw SQL and memory", figures: true, run: (*bench).statistics},
	{name: "groups", about: "statistics of groups", figures: true, run: (*bench).groups},
	{name: "export", about: "speed, memory and first byte of an export", figures: true, run: (*bench).export},
	{name: "gone", about: "the end of an export's query when its client leaves", run: (*bench).gone},
	{name: "stalled", about: "what others notice of 500 exports whose readers stall", run: (*bench).stalled},
	{name: "admission", about: "what small requests notice of other organisations' largest reports", run: (*bench).admission},
	{name: "list", about: "fork list against hello", run: (*bench).list},
	{name: "growth", about: "how cost grows with plays, players and forks", figures: true, byName: true, run: (*bench).growth},
	{name: "writes", about: "writing plays with triggers and without", run: (*bench).writes},
	{name: "room", about: "what segments take beside plays", run: (*bench).room},
}

func main() {
	if len(os.Args) > 2 && os.Args[1] == helloCommand {
		os.Exit(runHello(os.Args[2], os.Stdout))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	opts, err := parse(os.Args[1:], os.Stderr)
	if err == nil {
		err = run(ctx, opts, os.Stdout, os.Stderr)
	}
	interrupted := ctx.Err() != nil
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case interrupted:
		fmt.Fprintln(os.Stderr, "bench: stopped")
		os.Exit(130)
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// parse reads the flags; their defaults come from the environment, so that `make bench` can set them.
func parse(args []string, usage io.Writer) (options, error) {
	o := options{plays: 1_000_000, dir: ".bench"}
	if text := os.Getenv("BENCH_PLAYS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			return o, fmt.Errorf("BENCH_PLAYS is not a number: %q", text)
		}
		o.plays = n
	}
	if dir := os.Getenv("BENCH_DIR"); dir != "" {
		o.dir = dir
	}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(usage)
	flags.IntVar(&o.plays, "plays", o.plays, "plays of the fork that is measured (BENCH_PLAYS)")
	flags.StringVar(&o.dir, "dir", o.dir, "folder of the data sets (BENCH_DIR)")
	flags.StringVar(&o.dg, "dg", "", "a built dg to measure, such as that of another version; empty: it is built from here")
	only := flags.String("only", os.Getenv("BENCH"), "sections to run, separated by commas (BENCH):"+sectionHelp())
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if o.plays < leastPlays {
		return o, fmt.Errorf("at least %d plays: with fewer there is nothing to measure", leastPlays)
	}
	for name := range strings.SplitSeq(*only, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if !slices.ContainsFunc(sections, func(s section) bool { return s.name == name }) {
			return o, fmt.Errorf("there is no section %q; there are:%s", name, sectionHelp())
		}
		o.only = append(o.only, name)
	}
	return o, nil
}

func sectionHelp() string {
	var b strings.Builder
	for _, s := range sections {
		note := ""
		if s.byName {
			note = " (only when it is named)"
		}
		fmt.Fprintf(&b, "\n  %-12s%s%s", s.name, s.about, note)
	}
	return b.String()
}

// wanted says whether the section runs.
func (o options) wanted(s section) bool {
	return slices.Contains(o.only, s.name) || (len(o.only) == 0 && !s.byName)
}

// run prepares the data set, checks the figures and runs the sections. What was measured before a failure is printed.
func run(ctx context.Context, o options, out, progress io.Writer) (err error) {
	b, err := open(ctx, o, progress)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	defer func() { b.report(out) }()
	checked := false
	for _, s := range sections {
		if !o.wanted(s) {
			continue
		}
		if s.figures && !checked {
			if err := b.check(ctx); err != nil {
				return err
			}
			checked = true
		}
		b.say("%s: %s", s.name, s.about)
		if err := s.run(b, ctx); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}
