package importer

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"
	"github.com/klauspost/compress/gzip"

	"dg/modules/audit"
)

const (
	// flushEvery bounds the memory of rows: they are sent to the database after so many bytes of
	// lines.
	flushEvery = 1 << 20

	// maxLine is the longest line that is read, in bytes.
	maxLine = 8 << 20
)

// run is one import in its transaction.
type run struct {
	tx       pgx.Tx
	formats  []*format
	request  audit.Request
	progress io.Writer // may be nil
	errors   Errors

	file string // its name
	line int64
}

// show keeps one line of a terminal up to date.
func (r *run) show(step string) {
	if r.progress != nil {
		fmt.Fprintf(r.progress, "\r\x1b[K%s: %d lines, %s…", r.file, r.line, step)
	}
}

// report adds an error. From then on files are only read for further errors.
func (r *run) report(line int64, text string) {
	if len(r.errors) < MaxErrors {
		r.errors = append(r.errors, fmt.Sprintf("%s:%d: %s", r.file, line, text))
	}
}

// importFile reads, checks and writes one file. Errors of the file go to r.errors.
func (r *run) importFile(ctx context.Context, input Input) error {
	r.file = input.Name
	r.line = 0
	if err := r.read(ctx, input); err != nil || len(r.errors) > 0 {
		return err
	}
	for _, f := range r.formats {
		if err := r.store(ctx, f); err != nil || len(r.errors) > 0 {
			return err
		}
	}
	return nil
}

// store checks and writes the staged objects of a type.
func (r *run) store(ctx context.Context, f *format) error {
	if f.rows == 0 {
		return nil
	}
	// autovacuum never analyses a temporary table
	if err := f.run(ctx, r.tx, "analyze import_{table}"); err != nil {
		return err
	}
	r.show("checking " + f.table)
	if err := r.check(ctx, f); err != nil || len(r.errors) > 0 {
		return err
	}
	r.show("writing " + f.table)
	return f.apply(ctx, r.tx, r.request)
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
	unpacked, err := unpack(input.Name, file)
	if err != nil {
		r.unreadable(err)
		return nil
	}
	return r.readLines(ctx, unpacked)
}

// unpack unpacks a file that is gzip by its name or first bytes.
func unpack(name string, file io.Reader) (io.Reader, error) {
	in := bufio.NewReader(file)
	magic, _ := in.Peek(2) // an error is that of the next read as well
	if string(magic) == "\x1f\x8b" || strings.HasSuffix(strings.ToLower(name), ".gz") {
		return gzip.NewReader(in)
	}
	return in, nil
}

func (r *run) readLines(ctx context.Context, file io.Reader) error {
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, maxLine+2) // with CR and LF
	for pending := flushEvery; len(r.errors) < MaxErrors && lines.Scan(); {
		if lines.Err() != nil { // the line is incomplete
			break
		}
		r.line++
		r.readLine(lines.Bytes())
		if pending -= len(lines.Bytes()) + 1; pending <= 0 {
			if err := r.flush(ctx); err != nil {
				return err
			}
			pending = flushEvery
		}
	}
	if err := lines.Err(); err != nil {
		r.line++
		r.unreadable(err)
	}
	return r.flush(ctx)
}

// unreadable reports a file that cannot be read on.
func (r *run) unreadable(err error) {
	if errors.Is(err, bufio.ErrTooLong) {
		r.report(r.line, invalid("", "a line of at most 8 MB", ""))
		return
	}
	r.report(r.line, invalid("", "a whole file, with nothing after its end if it is gzip",
		err.Error()))
}

// readLine reads one line into a row of its format.
func (r *run) readLine(line []byte) {
	if r.line == 1 {
		line = bytes.TrimPrefix(line, []byte("\uFEFF")) // a byte-order mark
	}
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	f, fault := r.formatOf(line)
	if f == nil {
		r.report(r.line, fault)
		return
	}
	row, faults := f.read(line)
	for _, fault := range faults {
		r.report(r.line, fault)
	}
	if len(r.errors) == 0 {
		f.pending = append(f.pending, append([]any{r.line}, row...))
		f.rows++
	}
}

// formatOf returns the format of the type that a line names, or an error of the line.
func (r *run) formatOf(line []byte) (f *format, fault string) {
	var header struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(line, &header); err != nil {
		return nil, unreadable(line, err)
	}
	for _, f := range r.formats {
		if f.name == header.Type {
			return f, ""
		}
	}
	var names []string
	for _, f := range r.formats {
		names = append(names, f.name)
	}
	return nil, invalid("type", "one of "+strings.Join(names, ", "), `"`+header.Type+`"`)
}

// flush copies the rows that wait.
func (r *run) flush(ctx context.Context) error {
	r.show("reading")
	for _, f := range r.formats {
		if err := f.copy(ctx, r.tx); err != nil {
			return err
		}
	}
	return ctx.Err()
}
