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
	request Request
	service *Service
	release func() // of the slot
	ctx     context.Context
	stop    context.CancelCauseFunc // ends ctx
	access  *Recheck
	plays   *reports.Export
	block   []byte
	id      string // joins the two audit entries: request ids may repeat
}

// The export runs under the context stream, which outlives the handler, for at most timeLimit.
func (s *Service) open(ctx, stream context.Context, r Request) (*export, error) {
	release, err := s.slots.Acquire(ctx, r.Query.OrganisationID)
	if err != nil {
		return nil, err
	}
	plays, err := s.reports.OpenExport(ctx, r.Query, r.Format)
	if err != nil {
		release()
		return nil, err
	}
	lost := errKeyUnusable
	if r.Actor.Kind == audit.Person {
		lost = ErrAccessEnded
	}
	e := &export{request: r, service: s, release: release, plays: plays, id: uuid.NewString()}
	e.access = NewRecheck(r.Recheck, lost)
	limited, stopClock := context.WithTimeoutCause(stream, timeLimit, ErrTimeLimit)
	running, cancel := context.WithCancelCause(limited)
	e.ctx = running
	e.stop = func(cause error) {
		cancel(cause)
		stopClock()
	}
	return e, nil
}

const recordTimeout = 20 * time.Second

// recordStart commits export.started before anything is sent. Errors: apperr.Unavailable.
func (e *export) recordStart(ctx context.Context) error {
	// not cancelled with the request: a cancelled insert may or may not have committed
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer done()
	err := e.record(ctx, audit.ExportStarted,
		map[string]any{"reportingMode": e.plays.ReportingMode})
	if err != nil {
		return apperr.Wrap(apperr.Unavailable, err,
			"The export could not be recorded in the audit log, so it was not started. Retry in a few seconds.")
	}
	return nil
}

// Next calls Recheck.Check before each block. The database has BlockTimeout for a block. Errors:
// io.EOF after the last row, those of Recheck.Check, ErrNoAnswer, ErrTimeLimit, and other causes of
// the end of the stream.
func (e *export) Next() ([]byte, error) {
	if err := e.access.Check(e.ctx); err != nil {
		return nil, err
	}
	defer e.service.acquireCPU(e.ctx)()
	defer time.AfterFunc(BlockTimeout, func() { e.stop(ErrNoAnswer) }).Stop()
	if e.block == nil {
		e.block = make([]byte, 0, httpserver.BlockSize+4096)
		e.plays.SetContext(e.ctx)
	}
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

// An export that waits for the database keeps its CPU. After cpuWait, others go on without one.
const cpuWait = 100 * time.Millisecond

// A limit on CPUs keeps exports with fast clients from slowing down other requests.
func (s *Service) acquireCPU(ctx context.Context) (release func()) {
	if s.cpus.TryAcquire(1) {
		return func() { s.cpus.Release(1) }
	}
	waiting, stop := context.WithTimeout(ctx, cpuWait)
	defer stop()
	if s.cpus.Acquire(waiting, 1) != nil {
		return func() {}
	}
	return func() { s.cpus.Release(1) }
}

// Close records the end in the background, because the client waits for Close.
func (e *export) Close(_ int64, outcome error) {
	e.free()
	name := outcomeOf(outcome)
	rows := e.plays.Rows()
	e.service.finished.WithLabelValues(name).Inc()
	e.service.rows.Add(float64(rows))
	e.service.recording.Go(func() {
		ctx, done := context.WithTimeout(context.Background(), recordTimeout)
		defer done()
		err := e.record(ctx, audit.ExportFinished, map[string]any{"rows": rows, "outcome": name})
		if err != nil {
			slog.Error("the end of an export could not be recorded", "request_id",
				e.request.Request.ID, "error", err)
		}
	})
}

func (e *export) free() {
	defer e.release() // also when closing panics
	e.stop(nil)
	e.plays.Close()
}

func (e *export) record(ctx context.Context, action audit.Action, details map[string]any) error {
	q := e.request.Query
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
		Actor:          e.request.Actor,
		Action:         action,
		Target:         audit.Target{Kind: "fork", ID: q.ForkID},
		Details:        about,
		Request:        e.request.Request,
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
	{ErrTimeLimit, "time_limit"},
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
