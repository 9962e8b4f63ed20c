package importer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/jackc/pgx/v5"

	"dg/modules/audit"
)

// flushEvery bounds the memory of rows: they are sent to the database after so many bytes of lines.
const flushEvery = 1 << 20

// run is one import in its transaction.
type run struct {
	tx       pgx.Tx
	formats  []*format
	decoder  *decoder
	request  audit.Request
	progress meter
	errors   Errors
	lines    int64 // of all files

	name      string // of the file
	fileLines int64
}

func (r *run) show(step Step) { r.progress.show(Progress{r.name, step, r.fileLines}) }

func (im Importer) newRun(ctx context.Context, tx pgx.Tx, progress func(Progress)) (*run, error) {
	r := &run{tx: tx, formats: im.formats(), request: im.Request, progress: meter{report: progress}}
	r.decoder = newDecoder(r.formats)
	return r, r.each(func(f *format) error { return f.create(ctx, tx) })
}

func (r *run) each(do func(*format) error) error {
	for _, f := range r.formats {
		if err := do(f); err != nil {
			return err
		}
	}
	return nil
}

// eachStaged visits the formats that the current file has objects of.
func (r *run) eachStaged(do func(*format) error) error {
	return r.each(func(f *format) error {
		if f.rows == 0 {
			return nil
		}
		return do(f)
	})
}

// report adds an error. From then on files are only read for further errors.
func (r *run) report(e Error) {
	e.File = r.name
	r.errors.add(e)
}

// file reads, checks and writes one file. Errors of the file go to r.errors.
func (r *run) file(ctx context.Context, input Input) error {
	r.name = input.Name
	r.fileLines = 0
	if err := r.read(ctx, input); err != nil || len(r.errors.List) > 0 {
		return err
	}
	r.show(StepChecking)
	if err := r.check(ctx); err != nil || len(r.errors.List) > 0 {
		return err
	}
	r.show(StepWriting)
	return r.eachStaged(func(f *format) error { return f.apply(ctx, r.tx, r.request) })
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
	in, err := openLines(input.Name, file)
	if err != nil {
		return r.unreadable(1, err)
	}
	err = r.readLines(ctx, in)
	r.lines += r.fileLines
	return err
}

func (r *run) readLines(ctx context.Context, in *lines) error {
	r.show(StepReading)
	pending := 0
	for !r.errors.full() {
		line, err := in.next()
		r.fileLines = in.number
		switch {
		case errors.Is(err, io.EOF):
			return r.flush(ctx)
		case errors.Is(err, errTooLong):
			r.report(Error{Line: in.number, Expected: "a line of at most 8 MB"})
			continue
		case err != nil:
			return r.unreadable(in.number, err)
		}
		for _, e := range r.decoder.line(in.number, line) {
			r.report(e)
		}
		if pending += len(line) + 1; pending >= flushEvery {
			r.show(StepReading)
			if err := r.flush(ctx); err != nil {
				return err
			}
			pending = 0
		}
	}
	return nil
}

// flush copies the rows that wait, or drops them after an error.
func (r *run) flush(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return r.each(func(f *format) error {
		if len(r.errors.List) > 0 {
			f.discard()
			return nil
		}
		return f.copy(ctx, r.tx)
	})
}

// unreadable reports a file that cannot be unpacked, and returns any other error of reading.
func (r *run) unreadable(line int64, err error) error {
	switch {
	case errors.Is(err, errTrailing):
		r.report(Error{Line: line, Expected: "nothing after the end of the gzip data"})
	case isCorrupt(err):
		r.report(Error{Line: line, Expected: "a whole gzip file", Got: quote(err.Error())})
	default:
		return fmt.Errorf("line %d: %w", line, err)
	}
	return nil
}

// check applies the rules of all types to the file as a whole.
func (r *run) check(ctx context.Context) error {
	// autovacuum never analyses a temporary table
	err := r.eachStaged(func(f *format) error {
		return f.run(ctx, r.tx, "analyze import_{stored}")
	})
	if err != nil {
		return err
	}
	var found []Error
	err = r.eachStaged(func(f *format) error {
		for _, rule := range f.allChecks(r.decoder.formats) {
			violations, err := f.violations(ctx, r.tx, rule)
			if err != nil {
				return err
			}
			found = append(found, violations...)
		}
		return nil
	})
	slices.SortStableFunc(found, func(a, b Error) int { return int(a.Line - b.Line) })
	for _, e := range found {
		r.report(e)
	}
	return err
}
