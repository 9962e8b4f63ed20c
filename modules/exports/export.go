package exports

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"dg/modules/audit"
	"dg/modules/reports"
	"dg/platform/apperr"
	"dg/platform/httpserver"
	"dg/platform/postgres"
)

// export is a running export. It begins with its slot and ends with the entry export.finished.
type export struct {
	Request
	service  *Service
	release  func() // frees the slot
	gate     *Gate
	plays    *reports.Export
	block    []byte
	recorded bool   // whether export.started is
	id       string // joins the two audit entries: request ids may repeat
}

// recordStart commits export.started before anything is sent. It is not cancelled with the request: a
// cancelled insert may or may not have committed. Errors: apperr.Unavailable.
func (e *export) recordStart() error {
	ctx, done := context.WithDeadline(context.WithoutCancel(e.gate.Context), e.gate.firstByte)
	defer done()
	err := e.record(ctx, audit.ExportStarted, map[string]any{"reportingMode": e.plays.ReportingMode})
	if err != nil {
		return apperr.Wrap(apperr.Unavailable, err,
			"The export could not be recorded in the audit log, so it was not started. Retry in a few seconds.")
	}
	e.recorded = true
	return nil
}

// Next rechecks the access, then returns a block of rows. Errors: io.EOF after the last row, those
// of recordStart, Gate.Enter and the rows.
func (e *export) Next() ([]byte, error) {
	if !e.recorded {
		if err := e.recordStart(); err != nil {
			return nil, err
		}
	}
	leave, err := e.gate.Enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	ctx := e.gate.Context
	e.block, err = e.plays.AppendRows(ctx, e.block[:0], httpserver.BlockSize)
	if ctx.Err() != nil { // the rows of a cancelled query may seem to have ended normally
		return nil, context.Cause(ctx)
	}
	return e.block, err
}

// Close records the end in the background, because the client waits for Close.
func (e *export) Close(_ int64, outcome error) {
	e.free()
	if !e.recorded {
		return
	}
	name := outcomeOf(outcome)
	e.service.finished.WithLabelValues(name).Inc()
	e.service.recording.Go(func() {
		err := e.recordEnd(name)
		if err != nil {
			slog.Error("the end of an export could not be recorded", "request_id",
				e.Request.Request.ID, "error", err)
		}
	})
}

func (e *export) free() {
	defer e.release() // also when closing panics
	e.gate.Close()
	e.plays.Close()
}

const (
	recordTimeout = 20 * time.Second       // of export.finished
	recordPause   = 200 * time.Millisecond // between two attempts
)

// recordEnd tries again while PostgreSQL says that the entry was not written: a restart takes less
// than recordTimeout.
func (e *export) recordEnd(outcome string) error {
	ctx, done := context.WithTimeout(context.WithoutCancel(e.gate.Context), recordTimeout)
	defer done()
	for {
		err := e.record(ctx, audit.ExportFinished,
			map[string]any{"rows": e.plays.Rows(), "outcome": outcome})
		if err == nil || !postgres.NotExecuted(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(recordPause):
		}
	}
}

func (e *export) record(ctx context.Context, action audit.Action, details map[string]any) error {
	details["exportId"] = e.id
	details["from"] = e.Query.Period.Day(0)
	details["to"] = e.Query.Period.Day(e.Query.Period.Days - 1)
	if e.Query.GroupID != "" {
		details["groupId"] = e.Query.GroupID
	}
	return e.service.log.Append(ctx, audit.Entry{
		OrganisationID: e.Query.OrganisationID,
		Actor:          e.Actor,
		Action:         action,
		Target:         audit.Target{Kind: "fork", ID: e.Query.ForkID},
		Details:        details,
		Request:        e.Request.Request,
	})
}

// outcomes are the ends of an export, with their names in the audit entry and the metrics.
var outcomes = []struct {
	err  error
	name string
}{
	{nil, "completed"},
	{errAccessEnded, "access_ended"},
	{context.DeadlineExceeded, "database_unavailable"},
	{errTimeLimit, "time_limit"},
	{httpserver.ErrClientGone, "client_gone"},
	{httpserver.ErrStopped, "server_stopped"},
}

const otherOutcome = "failed"

func outcomeOf(err error) string {
	for _, o := range outcomes {
		if errors.Is(err, o.err) {
			return o.name
		}
	}
	return otherOutcome
}
