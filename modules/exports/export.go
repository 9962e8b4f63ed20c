package exports

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"time"

	"github.com/google/uuid"

	"dg/modules/audit"
	"dg/modules/reports"
	"dg/platform/apperr"
	"dg/platform/httpserver"
)

// export lasts from its slot to its audit entry export.finished.
type export struct {
	Request
	service *Service
	release func() // of the slot
	ctx     context.Context
	stop    context.CancelCauseFunc // ends ctx
	recheck func(context.Context) error
	plays   *reports.Export
	block   []byte
	began   time.Time // zero until export.started is recorded
	id      string    // joins the two audit entries: request ids may repeat
}

// The export runs under the context stream, which outlives the handler.
func (s *Service) open(ctx, stream context.Context, r Request) (*export, error) {
	release, err := s.slots.Acquire(ctx, r.Query.OrganisationID)
	if err != nil {
		return nil, err
	}
	lost := errKeyUnusable
	if r.Actor.Kind == audit.Person {
		lost = ErrAccessEnded
	}
	e := &export{Request: r, service: s, release: release, id: uuid.NewString()}
	e.recheck = Recheck(r.Recheck, lost)
	e.ctx, e.stop = context.WithCancelCause(stream)
	e.plays, err = s.reports.OpenExport(ctx, r.Query, r.Format)
	if err == nil {
		err = r.Authorize(e.plays.Header)
	}
	if err == nil {
		err = e.plays.CheckGroup(r.Query.OrganisationID)
	}
	if err != nil {
		e.free()
		return nil, err
	}
	return e, nil
}

const recordTimeout = 20 * time.Second

// recordStart commits export.started before anything is sent. Errors: apperr.Unavailable.
func (e *export) recordStart() error {
	err := e.record(audit.ExportStarted, map[string]any{"reportingMode": e.plays.ReportingMode})
	if err != nil {
		return apperr.Wrap(apperr.Unavailable, err,
			"The export could not be recorded in the audit log, so it was not started. Retry in a few seconds.")
	}
	e.began = time.Now()
	e.block = make([]byte, 0, httpserver.BlockSize+4096)
	e.plays.SetContext(e.ctx)
	return nil
}

// Next rechecks the access before each block. The database has BlockTimeout for a block. Errors:
// io.EOF after the last row, those of recordStart and Recheck, errTimeLimit, and other causes of
// the end of the stream.
func (e *export) Next() ([]byte, error) {
	if e.began.IsZero() {
		if err := e.recordStart(); err != nil {
			return nil, err
		}
	}
	if time.Since(e.began) > timeLimit {
		return nil, errTimeLimit
	}
	if err := e.recheck(e.ctx); err != nil {
		return nil, err
	}
	defer time.AfterFunc(BlockTimeout, func() { e.stop(ErrNoAnswer) }).Stop()
	var err error
	for e.block = e.block[:0]; len(e.block) < httpserver.BlockSize && err == nil; {
		e.block, err = e.plays.AppendNext(e.block)
	}
	switch {
	case e.ctx.Err() != nil: // the rows of a cancelled query may seem to have ended normally
		return nil, context.Cause(e.ctx)
	case err == io.EOF && len(e.block) > 0: //nolint:errorlint // a wrapped one is a lost connection
		return e.block, nil
	case err != nil:
		return nil, err
	}
	return e.block, nil
}

// Close records the end in the background, because the client waits for Close.
func (e *export) Close(_ int64, outcome error) {
	e.free()
	if e.began.IsZero() {
		return
	}
	name := outcomeOf(outcome)
	rows := e.plays.Rows()
	e.service.finished.WithLabelValues(name).Inc()
	e.service.recording.Go(func() {
		err := e.record(audit.ExportFinished, map[string]any{"rows": rows, "outcome": name})
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

// record does not end with the request: a cancelled insert may or may not have committed.
func (e *export) record(action audit.Action, details map[string]any) error {
	ctx, done := context.WithTimeout(context.WithoutCancel(e.ctx), recordTimeout)
	defer done()
	q := e.Query
	about := map[string]any{
		"exportId": e.id,
		"from":     q.Period.Day(0),
		"to":       q.Period.Day(q.Period.Days - 1),
	}
	if q.GroupID != "" {
		about["groupId"] = q.GroupID
	}
	maps.Copy(about, details)
	return e.service.log.Append(ctx, audit.Entry{
		OrganisationID: q.OrganisationID,
		Actor:          e.Actor,
		Action:         action,
		Target:         audit.Target{Kind: "fork", ID: q.ForkID},
		Details:        about,
		Request:        e.Request.Request,
	})
}

// outcomes are the ends of an export, by the names that its audit entry and the metrics give them.
var outcomes = []struct {
	err  error
	name string
}{
	{nil, "completed"},
	{errKeyUnusable, "key_unusable"},
	{ErrAccessEnded, "access_ended"},
	{ErrNoAnswer, "database_unavailable"},
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
