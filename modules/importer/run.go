package importer

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"

	"dg/modules/games"
	"dg/modules/identity"
	"dg/modules/org"
	"dg/platform/staging"
)

// flushEvery bounds the memory of rows: they are sent to the database after so many bytes of lines.
const flushEvery = 1 << 20

// module is a module that takes objects of an import.
type module interface {
	Rules() []staging.Rule
	Apply(ctx context.Context) error
}

// run is one import in its transaction.
type run struct {
	stage    *staging.Stage
	modules  []module // in the order of references
	decoder  *decoder
	progress meter
	name     string // of the file
	errors   Errors
	lines    int64 // of all files
}

func (im *Importer) newRun(ctx context.Context, tx pgx.Tx, progress func(Progress)) (*run, error) {
	if progress == nil {
		progress = func(Progress) {}
	}
	r := &run{stage: staging.New(tx), progress: meter{report: progress}}
	people := identity.NewImport(r.stage, im.keys)
	organisations := org.NewImport(r.stage, identity.UserKind, bufio.NewReader(rand.Reader),
		im.request)
	plays := games.NewImport(r.stage)
	r.modules = []module{people, organisations, plays}
	r.decoder = newDecoder(organisations, people, plays, r.report)
	return r, r.stage.Create(ctx)
}

// report adds an error. From then on files are only read for further errors.
func (r *run) report(e Error) {
	e.File = r.name
	r.errors.add(e)
	r.stage.Discard()
}

// file reads, checks and writes one file. Errors of the file go to r.errors.
func (r *run) file(ctx context.Context, input Input) error {
	r.name = input.Name
	if err := r.read(ctx, input); err != nil || len(r.errors.List) > 0 {
		return err
	}
	r.progress.step(StepChecking)
	if err := r.check(ctx); err != nil || len(r.errors.List) > 0 {
		return err
	}
	r.progress.step(StepWriting)
	for _, m := range r.modules {
		if err := m.Apply(ctx); err != nil {
			return err
		}
	}
	return r.stage.Truncate(ctx)
}

// read stages the file's objects.
func (r *run) read(ctx context.Context, input Input) error {
	file, err := input.Open()
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	// closing the file ends a read that waits for a silent pipe
	defer context.AfterFunc(ctx, func() { _ = file.Close() })()
	r.progress.start(input.Name)
	in, err := openLines(input.Name, file)
	if err != nil {
		return r.unreadable(1, err)
	}
	err = r.readLines(ctx, in)
	r.lines += in.number
	return err
}

func (r *run) readLines(ctx context.Context, in *lines) error {
	pending := 0
	for !r.errors.full() {
		line, err := in.next()
		switch {
		case errors.Is(err, io.EOF):
			r.progress.lines(in.number, true)
			return r.stage.Flush(ctx)
		case errors.Is(err, errTooLong):
			r.report(Error{Line: in.number, Expected: "a line of at most 8 MB"})
			continue
		case err != nil:
			return r.unreadable(in.number, err)
		}
		if err := r.decoder.line(in.number, line); err != nil {
			return err
		}
		if pending += len(line) + 1; pending >= flushEvery {
			if err := r.flush(ctx, in.number); err != nil {
				return err
			}
			pending = 0
		}
	}
	return nil
}

func (r *run) flush(ctx context.Context, line int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r.progress.lines(line, false)
	return r.stage.Flush(ctx)
}

// unreadable reports a file that cannot be unpacked, and returns any other error of reading.
func (r *run) unreadable(line int64, err error) error {
	if !isCorrupt(err) {
		return fmt.Errorf("line %d: %w", line, err)
	}
	r.report(Error{Line: line, Expected: "a whole gzip file", Got: quote(err.Error())})
	return nil
}

// check applies the rules of all modules to the file as a whole.
func (r *run) check(ctx context.Context) error {
	if err := r.stage.Analyze(ctx); err != nil {
		return err
	}
	var rules []staging.Rule
	for _, m := range r.modules {
		rules = append(rules, m.Rules()...)
	}
	violations, err := r.stage.Violations(ctx, rules, MaxErrors)
	if err != nil {
		return err
	}
	found := make([]Error, len(violations))
	for i, v := range violations {
		found[i] = Error{Line: v.Line, Field: v.Field, Expected: v.Expected, Got: quote(v.Value)}
	}
	sortByLine(found)
	for _, e := range found {
		r.report(e)
	}
	return nil
}
