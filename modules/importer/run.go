package importer

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"
	"github.com/klauspost/compress/gzip"
)

const (
	// Pending rows are flushed after flushBytes of lines, which bounds their memory.
	flushBytes = 1 << 20
	maxLine    = 8 << 20 // bytes of the longest line
)

// MaxErrors bounds the errors that an import reports: it stops reading at this many.
const MaxErrors = 20

type run struct {
	Importer
	tx       pgx.Tx
	batches  []*batch  // one for each of formats
	progress io.Writer // the terminal; nil: none
	errors   []error

	file string // the name of the current file
	line int64  // the number of its current line, from 1
}

func (r *run) showProgress(step string) {
	if r.progress != nil {
		fmt.Fprintf(r.progress, "\r\x1b[K%s: %d lines, %s…", r.file, r.line, step)
	}
}

// addError adds an error such as "plays.ndjson:17: passed: expected true or false". After the first
// one nothing more is stored: files are only read for more errors.
func (r *run) addError(line int64, text string) {
	if len(r.errors) < MaxErrors {
		r.errors = append(r.errors, fmt.Errorf("%s:%d: %s", r.file, line, text))
	}
}

// importFile adds errors in the file's content to r.errors, and returns others.
func (r *run) importFile(ctx context.Context, input Input) error {
	r.file = input.Name
	r.line = 0
	if err := r.read(ctx, input); err != nil || len(r.errors) > 0 {
		return err
	}
	for _, b := range r.batches {
		if err := r.store(ctx, b); err != nil || len(r.errors) > 0 {
			return err
		}
	}
	return nil
}

func (r *run) store(ctx context.Context, b *batch) error {
	// autovacuum never analyses a temporary table
	if err := b.exec(ctx, r.tx, "analyze import_{table}"); err != nil {
		return err
	}
	r.showProgress("checking " + b.table)
	if err := r.check(ctx, b); err != nil || len(r.errors) > 0 {
		return err
	}
	r.showProgress("writing " + b.table)
	return b.apply(ctx, r.tx)
}

func (r *run) read(ctx context.Context, input Input) error {
	file, err := input.Open()
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // after reading, a failed close loses nothing
	// without the close, a read from a silent pipe would outlive ctx
	defer context.AfterFunc(ctx, func() { _ = file.Close() })()
	decompressed, err := decompress(input.Name, file)
	if err != nil {
		r.addReadError(err)
		return nil
	}
	return r.readLines(ctx, decompressed)
}

func decompress(name string, file io.Reader) (io.Reader, error) {
	in := bufio.NewReader(file)
	magic, _ := in.Peek(2) // the next read returns the error again
	if string(magic) == "\x1f\x8b" || strings.HasSuffix(strings.ToLower(name), ".gz") {
		return gzip.NewReader(in)
	}
	return in, nil
}

func (r *run) readLines(ctx context.Context, file io.Reader) error {
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, maxLine+2) // 2 for CR and LF
	for pending := flushBytes; len(r.errors) < MaxErrors && lines.Scan(); {
		if lines.Err() != nil { // the read failed within this line, which is incomplete
			break
		}
		r.line++
		r.readLine(lines.Bytes())
		if pending -= len(lines.Bytes()) + 1; pending <= 0 {
			if err := r.flush(ctx); err != nil {
				return err
			}
			pending = flushBytes
		}
	}
	if err := lines.Err(); err != nil {
		r.line++
		r.addReadError(err)
	}
	return r.flush(ctx)
}

func (r *run) addReadError(err error) {
	r.addError(r.line, faultText("", "a whole file with lines of at most 8 MB, and nothing after "+
		"its end if it is gzip", err.Error()))
}

func (r *run) readLine(line []byte) {
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	b, fault := r.batchOf(line)
	if b == nil {
		r.addError(r.line, fault)
		return
	}
	row, faults := b.read(line, r.Keyring)
	for _, fault := range faults {
		r.addError(r.line, fault)
	}
	if len(r.errors) == 0 {
		b.pending = append(b.pending, append([]any{r.line}, row...))
		b.count.Unchanged++
	}
}

func (r *run) batchOf(line []byte) (b *batch, fault string) {
	var header struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(line, &header); err != nil {
		return nil, decodeError(err)
	}
	for _, b := range r.batches {
		if b.name == header.Type {
			return b, ""
		}
	}
	const types = "one of organisation, user, membership, game, fork, player, group, play"
	return nil, faultText("type", types, `"`+header.Type+`"`)
}

// flush copies the pending rows, and returns ctx's error, which the last reads may have missed.
func (r *run) flush(ctx context.Context) error {
	r.showProgress("reading")
	for _, b := range r.batches {
		if err := b.copy(ctx, r.tx); err != nil {
			return err
		}
	}
	return ctx.Err()
}
