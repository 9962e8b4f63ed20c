package importer

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/klauspost/compress/gzip"

	"dg/modules/audit"
	"dg/modules/identity"
	"dg/platform/apperr"
	"dg/platform/postgres"
)

// Importer imports files. Pool must connect as the owner of the tables.
type Importer struct {
	Pool    *pgxpool.Pool
	Keyring identity.Keyring // encrypts two-step secrets
	Request audit.Request    // recorded in audit entries
}

// Input is a file to import. Errors begin with Name. The file is decompressed if Name ends in .gz
// or the content begins with gzip's magic number.
type Input struct {
	Name string
	Open func() (io.ReadCloser, error)
}

// ErrUnconfirmed says that the outcome of the commit is unknown: all or nothing is imported.
var ErrUnconfirmed = errors.New("the connection to the database was lost during the commit, so " +
	"the import is in wholly or not at all: " +
	"import again, which changes nothing that is in already")

// Import imports all files or none. After any error but ErrUnconfirmed, nothing has changed. It
// shows its progress on a line of terminal, which may be nil. Errors: at most MaxErrors errors of
// the files, joined; postgres.ErrLocked after ten minutes; ErrUnconfirmed; those of Input.Open, the
// database and ctx.
func (im Importer) Import(
	ctx context.Context, inputs []Input, terminal io.Writer,
) ([]ObjectCount, error) {
	if _, set := os.LookupEnv("GOGC"); !set {
		defer debug.SetGCPercent(debug.SetGCPercent(400)) // for speed: the default is 100
	}
	tx, err := im.Pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
	if err != nil {
		return nil, err
	}
	// If Rollback fails, the connection is lost, and the database rolls back.
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	if err := beginImport(ctx, tx); err != nil {
		return nil, err
	}
	r := &run{Importer: im, tx: tx, terminal: terminal}
	for _, f := range formats {
		b := &batch{format: f, count: ObjectCount{ObjectType: f.name}}
		err := b.exec(ctx, tx, `create temporary table import_{table} on commit drop as
			select 0::bigint as line, {staged} from {table} with no data;
			create temporary table last_{table} (like import_{table}) on commit drop`)
		if err != nil {
			return nil, err
		}
		r.batches = append(r.batches, b)
	}
	for _, input := range inputs {
		if err := r.importFile(ctx, input); err != nil {
			return nil, fmt.Errorf("%s: %w", input.Name, err)
		}
	}
	if len(r.errors) > 0 {
		return nil, errors.Join(r.errors...)
	}
	if err := r.storeLast(ctx); err != nil {
		return nil, err
	}
	var counts []ObjectCount
	for _, b := range r.batches {
		counts = append(counts, b.count)
	}
	// without cancellation, because the outcome of an interrupted commit is unknown
	return counts, commit(context.WithoutCancel(ctx), tx)
}

// commit returns ErrUnconfirmed unless the database has confirmed or refused the commit.
func commit(ctx context.Context, tx pgx.Tx) error {
	err := tx.Commit(ctx)
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	if err == nil || ok && pgErr.SeverityUnlocalized == "ERROR" {
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnconfirmed, err)
}

// beginImport disables the transaction's timeouts, because an import may take hours. It waits at
// most ten minutes for the import lock.
func beginImport(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `/* importer.begin */
		set local statement_timeout = 0;
		set local lock_timeout = 0;
		set local idle_in_transaction_session_timeout = 0;
		set local work_mem = '64MB';
		set local jit = off;
		set local client_min_messages = error;
		set constraints organisations_slug_key, forks_slug_key deferred`)
	if err != nil {
		return err
	}
	err = postgres.AwaitLock(ctx, slog.Default(), "import", 10*time.Minute, tx)
	return apperr.Annotate(err, "wait for the import lock")
}

const (
	flushBytes = 1 << 20 // pending rows are flushed after this many bytes of lines, to bound memory
	maxLine    = 8 << 20 // maximum bytes of a line
)

// MaxErrors bounds the errors that an import reports. An import with MaxErrors stops reading.
const MaxErrors = 20

type run struct {
	Importer
	tx       pgx.Tx
	batches  []*batch  // one for each of formats
	terminal io.Writer // for the progress; may be nil
	errors   []error

	file string // name of the current file
	line int64  // number of the current line, from 1
}

func (r *run) showProgress(step string) {
	if r.terminal != nil {
		fmt.Fprintf(r.terminal, "\r\x1b[K%s: %d lines, %s…", r.file, r.line, step)
	}
}

// addError adds an error such as "plays.ndjson:17: passed: expected true or false".
func (r *run) addError(line int64, text string) {
	if len(r.errors) < MaxErrors {
		r.errors = append(r.errors, fmt.Errorf("%s:%d: %s", r.file, line, text))
	}
}

// importFile reads, checks and stores a file. It adds errors of the file, also a failed read, to
// r.errors, and returns other errors. Once there are errors, it only reads, to find more.
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
	if err := r.runChecks(ctx, b); err != nil || len(r.errors) > 0 {
		return err
	}
	r.showProgress("writing " + b.table)
	return b.apply(ctx, r.tx)
}

// read opens and reads the file in a goroutine, so that ctx can end a wait for a pipe's writer. The
// goroutine then leaks.
func (r *run) read(ctx context.Context, input Input) error {
	out, in := io.Pipe()
	defer func() { _ = out.Close() }()
	opened := make(chan error, 2)
	defer context.AfterFunc(ctx, func() {
		opened <- ctx.Err()
		_ = out.Close()
	})()
	go func() {
		file, err := input.Open()
		if opened <- err; err == nil {
			_, err = io.Copy(in, file)
			_ = in.CloseWithError(err)
			_ = file.Close() // a failed close after reading loses nothing
		}
	}()
	if err := <-opened; err != nil {
		return err
	}
	decompressed, err := decompress(input.Name, out)
	if err != nil {
		r.addReadError(err)
		return ctx.Err()
	}
	return r.readLines(ctx, decompressed)
}

func decompress(name string, file io.Reader) (io.Reader, error) {
	reader := bufio.NewReader(file)
	magic, _ := reader.Peek(2) // ignored: the next read returns the error again
	if string(magic) == "\x1f\x8b" || strings.HasSuffix(strings.ToLower(name), ".gz") {
		return gzip.NewReader(reader)
	}
	return reader, nil
}

func (r *run) readLines(ctx context.Context, file io.Reader) error {
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, maxLine+2) // 2 for CR and LF
	for untilFlush := flushBytes; len(r.errors) < MaxErrors && lines.Scan(); {
		if lines.Err() != nil { // the read failed within this line
			break
		}
		r.line++
		r.readLine(bytes.TrimPrefix(lines.Bytes(), []byte("\ufeff"))) // joined files have byte order marks inside
		if untilFlush -= len(lines.Bytes()) + 1; untilFlush <= 0 {
			if err := r.flush(ctx); err != nil {
				return err
			}
			untilFlush = flushBytes
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

// flush copies the pending rows. It returns ctx.Err() even without any: a cancelled ctx closes the
// pipe, which readLines otherwise reports as a failed read of the file.
func (r *run) flush(ctx context.Context) error {
	r.showProgress("reading")
	for _, b := range r.batches {
		if err := b.copyRows(ctx, r.tx); err != nil {
			return err
		}
	}
	return ctx.Err()
}
