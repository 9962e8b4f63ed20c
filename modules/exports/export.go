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
)

// export is a running export. It begins with its slot and ends with the entry export.finished.
type export struct {
	Request
	service *Service
	release func()                  // frees the slot
	ctx     context.Context         // outlives the handler
	stop    context.CancelCauseFunc // ends ctx
	plays   *reports.Export
	block   []byte
	began   time.Time // zero until export.started is recorded
	id      string    // joins the two audit entries: request ids may repeat
}

// recordStart commits export.started before anything is sent. Errors: apperr.Unavailable.
func (e *export) recordStart() error {
	err := e.record(audit.ExportStarted, map[string]any{"reportingMode": e.plays.ReportingMode})
	if err != nil {
		return apperr.Wrap(apperr.Unavailable, err,
			"The export could not be recorded in the audit log, so it was not started. Retry in a few seconds.")
	}
	e.began = time.Now()
	return nil
}

// Next rechecks the access, then returns a block of rows. Both together have BlockTimeout. Errors:
// io.EOF after the last row, errTimeLimit, the cause of e.ctx, those of recordStart and Recheck.
func (e *export) Next() ([]byte, error) {
	if e.began.IsZero() {
		if err := e.recordStart(); err != nil {
			return nil, err
		}
	}
	if time.Since(e.began) > timeLimit {
		return nil, errTimeLimit
	}
	select { // clients that read fast must not keep the processors from other requests
	case e.service.turns <- struct{}{}:
		defer func() { <-e.service.turns }()
	case <-time.After(turnWait): // those whose turn it is wait for the database
	}
	defer time.AfterFunc(BlockTimeout, func() { e.stop(context.DeadlineExceeded) }).Stop()
	err := e.Recheck(e.ctx)
	if err == nil {
		e.block, err = e.plays.AppendRows(e.ctx, e.block[:0], httpserver.BlockSize)
	}
	if e.ctx.Err() != nil { // the rows of a cancelled query may seem to have ended normally
		return nil, context.Cause(e.ctx)
	}
	return e.block, err
}

// Close records the end in the background, because the client waits for Close.
func (e *export) Close(_ int64, outcome error) {
	e.free()
	if e.began.IsZero() {
		return
	}
	name := outcomeOf(outcome)
	e.service.finished.WithLabelValues(name).Inc()
	e.service.recording.Go(func() {
		err := e.record(audit.ExportFinished, map[string]any{"rows": e.plays.Rows(), "outcome": name})
		if err != nil {
			slog.Error("the end of an export could not be recorded", "request_id",
				e.Request.Request.ID, "error", err)
		}
	})
}

func (e *export) free() {
	defer e.release() // also when closing panics
	e.stop(nil)
	e.plays.Close()
}

// record is not cancelled with the request: a cancelled insert may or may not have committed.
func (e *export) record(action audit.Action, details map[string]any) error {
	ctx, done := context.WithTimeout(context.WithoutCancel(e.ctx), recordTimeout)
	defer done()
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
