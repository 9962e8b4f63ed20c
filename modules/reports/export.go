package reports

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"strconv"

	"dg/modules/reports/snapshot"
)

// Export is every play of a fork over a period as CSV, from one snapshot. It holds a connection
// until it is closed. The zero Export is the header row alone.
type Export struct {
	Header // suppressed: the file is its header row alone

	ctx     context.Context
	snap    *snapshot.Snapshot
	forkID  string
	format  Format
	state   exportState
	failed  error // of Begin
	reader  *exportReader
	rows    *exportRows // nil: the report is suppressed
	players *labels     // each player's cells, playerKey and playerLabel; nil: each row has its own
	count   int64
}

// exportState is what AppendNext appends next.
type exportState byte

const (
	exportHeader    exportState = iota
	exportFirstRows             // each has its own player
	exportRest
)

// firstRows are read with their own players, so that the file begins before all players are read.
const firstRows = 500

// OpenExport opens an export and reads no play. The caller authorises the read of the group by the
// header, and closes the export. Errors: those of Open.
func (s *Service) OpenExport(ctx context.Context, q Query, f Format) (*Export, error) {
	snap, err := snapshot.Open(ctx, s.db, q, false)
	if err != nil {
		return nil, err
	}
	return &Export{Header: snap.Meta.Header(), snap: snap, forkID: q.ForkID, format: f}, nil
}

// Begin reads the first row. Its error is returned by AppendNext. A panic becomes an error too, so
// that the caller still records the end of the export. When ctx ends, the query is cancelled and
// AppendNext returns the cause.
func (e *Export) Begin(ctx context.Context) {
	e.ctx = ctx
	defer func() {
		if p := recover(); p != nil {
			e.failed = fmt.Errorf("panic at the first row of an export: %v\n%s", p, debug.Stack())
		}
	}()
	if e.snap == nil {
		return
	}
	e.failed = e.snap.ReadWithFailover(ctx, func() error {
		// The caller knows the first snapshot's header: with another one, the replica's failure stands.
		if e.snap.Meta.Header() == e.Header {
			e.failed = e.begin()
		}
		return e.failed
	})
}

func (e *Export) begin() (err error) {
	if e.Suppressed {
		return nil
	}
	e.reader = newExportReader(e.snap)
	if e.rows, err = e.reader.first(e.ctx, firstRows); err == nil {
		e.rows.unread, err = e.rows.next()
	}
	return err
}

// Rows returns the number of plays returned so far.
func (e *Export) Rows() int64 { return e.count }

// Close releases the connection. It may be called at any time, repeatedly, and on nil.
func (e *Export) Close() {
	if e != nil && e.snap != nil {
		e.snap.Close()
	}
}

// AppendNext appends the next row to b, the header first. It returns io.EOF after the last row.
func (e *Export) AppendNext(b []byte) ([]byte, error) {
	if e.failed != nil {
		return b, e.failed
	}
	if e.state == exportHeader {
		e.state = exportFirstRows
		return e.format.appendHeader(b), nil
	}
	if e.rows == nil {
		return b, io.EOF
	}
	more, err := e.rows.next()
	if err == nil && !more && e.state == exportFirstRows && e.rows.read == firstRows {
		if err = e.readRest(); err == nil {
			more, err = e.rows.next()
		}
	}
	if err != nil {
		return b, err
	}
	if !more {
		return b, io.EOF
	}
	e.count++
	return e.append(b), nil
}

// readRest reads all players, and then the rows after the first ones.
func (e *Export) readRest() (err error) {
	e.state = exportRest
	if e.players, err = e.reader.readPlayers(e.ctx, e.format); err != nil {
		return err
	}
	e.rows, err = e.reader.after(e.ctx, &e.rows.row, e.players == nil)
	return err
}

func (e *Export) appendPlayer(b []byte) []byte {
	if e.players == nil {
		return e.format.appendPlayer(b, e.rows.row.key, e.rows.row.label)
	}
	return append(b, e.players.of(e.rows.row.Player)...)
}

// append appends the current row.
func (e *Export) append(b []byte) []byte {
	r := &e.rows.row
	f := e.format
	separator := f.separator()
	b = append(csvUUID(b, r.id[:]), separator)
	b = append(append(b, e.forkID...), separator)
	if r.released {
		b = strconv.AppendInt(b, int64(r.release), 10)
	}
	b = append(e.appendPlayer(append(b, separator)), separator)
	b = append(f.appendInstant(b, r.StartedAt), separator)
	if r.Completed {
		b = append(f.appendInstant(b, r.completedAt), separator)
		b = append(strconv.AppendInt(b, (r.completedAt-r.StartedAt)/1000, 10), separator)
		b = append(append(b, "true"...), separator)
		b = append(f.appendScore(b, int64(r.Score)), separator)
		b = append(strconv.AppendBool(b, r.Passed), separator)
	} else {
		b = append(append(b, separator, separator), "false"...)
		b = append(b, separator, separator, separator)
	}
	return append(f.appendSkills(b, r.Answers), '\n')
}
