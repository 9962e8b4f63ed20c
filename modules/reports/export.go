package reports

import (
	"context"
	"io"
	"strconv"

	"dg/platform/csvcell"
)

// Export is every play of a fork over a period as CSV, from one snapshot. It holds a connection until it is closed.
type Export struct {
	Suppressed bool // whether k-anonymity hides the plays: then the file is its header row alone

	ctx     context.Context
	snap    *snapshot
	started bool
	forkID  string
	rows    *exportRows // nil: the report is suppressed
	first   bool        // whether rows are the first ones only
	labels  *labels
	count   int64
}

// firstRows are read with the labels of their players alone, so that the file begins before all labels are there.
const firstRows = 500

// Export opens the export of a report. Next yields its text; Close lets go of the connection. ctx bounds the whole
// export: when it ends, the query is cancelled and Next returns its cause.
// Errors: ErrGroupNotFound, ErrUnavailable with RetryAfter when too many exports run.
func (s *Service) Export(ctx context.Context, q Query) (*Export, error) {
	snap, err := open(ctx, s.exports, q, false)
	if err != nil {
		return nil, err
	}
	e := &Export{Suppressed: snap.meta.suppressed(), ctx: ctx, snap: snap, forkID: q.ForkID}
	if e.Suppressed {
		return e, nil
	}
	if e.labels, err = snap.labelsOfFirst(ctx, firstRows); err == nil {
		e.first = true
		e.rows, err = snap.firstRows(ctx, firstRows)
	}
	if err != nil {
		snap.close()
		return nil, err
	}
	return e, nil
}

// Rows returns how many plays were yielded.
func (e *Export) Rows() int64 { return e.count }

// Close lets go of the connection. It may be called in the midst of the rows, and more than once.
func (e *Export) Close() { e.snap.close() }

// Next appends one more row to b, the header first, and returns it; io.EOF says that all rows were yielded.
func (e *Export) Next(b []byte) ([]byte, error) {
	if !e.started {
		e.started = true
		return append(b, csvHeader...), nil
	}
	if e.rows == nil {
		return b, io.EOF
	}
	more, err := e.rows.next()
	if err == nil && !more && e.first && e.count == firstRows {
		if err = e.goOn(); err == nil {
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

// goOn reads all labels, and then the rows after the first ones.
func (e *Export) goOn() (err error) {
	e.first = false
	if e.labels, err = e.snap.labels(e.ctx); err != nil {
		return err
	}
	e.rows, err = e.snap.rowsAfter(e.ctx, e.rows)
	return err
}

// append appends the current row.
func (e *Export) append(b []byte) []byte {
	r := &e.rows.row
	b = csvUUID(b, r.id[:])
	b = append(b, ',')
	b = append(b, e.forkID...)
	b = append(b, ',')
	if r.released {
		b = strconv.AppendInt(b, int64(r.release), 10)
	}
	b = append(b, ',')
	b = csvcell.AppendText(b, e.labels.of(r.Player))
	b = append(b, ',')
	b = AppendInstant(b, r.StartedAt)
	b = append(b, ',')
	if r.Completed {
		b = AppendInstant(b, r.completedAt)
		b = append(b, ',')
		b = strconv.AppendInt(b, (r.completedAt-r.StartedAt)/1000, 10)
		b = append(b, ",true,"...)
		b = appendDecimal(b, int64(r.Score), 2)
		b = append(b, ',')
		b = strconv.AppendBool(b, r.Passed)
		b = append(b, ',')
	} else {
		b = append(b, ",,false,,,"...)
	}
	b = csvSkills(b, r.Answers)
	return append(b, '\n')
}
