package exports

import (
	"context"
	"errors"
	"fmt"
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

// errKeyUnusable is why an export ends when its key loses access.
var errKeyUnusable error = apperr.New(apperr.AuthRequired, "This API key can no longer be used.")

// ErrAccessEnded is why a person's download ends when they lose access.
var ErrAccessEnded error = apperr.New(apperr.AuthRequired,
	"Your session or your role in the organisation has ended. Sign in again.")

// job is one export from its audit entry export.started to export.finished. It is the source of the
// stream.
type job struct {
	request Request
	service *Service
	release func() // of the place
	ctx     context.Context
	stop    context.CancelCauseFunc
	access  *Recheck
	plays   *reports.Export
	block   []byte
	id      string // joins the two entries; request ids may repeat
}

func newJob(
	s *Service, ctx context.Context, r Request, plays *reports.Export, release func(),
) *job {
	j := &job{request: r, service: s, release: release, plays: plays, id: uuid.NewString()}
	limited, stopClock := context.WithTimeoutCause(ctx, timeLimit, ErrTimeLimit)
	ctx, cancel := context.WithCancelCause(limited)
	j.ctx = ctx
	j.stop = func(cause error) {
		cancel(cause)
		stopClock()
	}
	lost := errKeyUnusable
	if r.Actor.Kind == audit.Person {
		lost = ErrAccessEnded
	}
	j.access = NewRecheck(r.Recheck, lost)
	return j
}

const recordTimeout = 20 * time.Second

// start records the start before anything is sent. Errors: apperr.Unavailable.
func (j *job) start(ctx context.Context) error {
	// not cancelled with the request: a cancelled insert may or may not have committed
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer done()
	err := j.record(ctx, audit.ExportStarted,
		map[string]any{"reportingMode": j.plays.ReportingMode})
	if err != nil {
		return apperr.Wrap(apperr.Unavailable, err,
			"The export could not be recorded in the audit log, so it was not started. Retry in a few seconds.")
	}
	return nil
}

// Next returns the next rows. Between two blocks it checks that the actor still has access. The
// database has BlockTimeout for each.
func (j *job) Next() ([]byte, error) {
	if err := j.access.Check(j.ctx); err != nil {
		return nil, err
	}
	defer time.AfterFunc(BlockTimeout, func() { j.stop(ErrNoAnswer) }).Stop()
	if j.block == nil {
		j.block = make([]byte, 0, httpserver.BlockSize+4096)
		j.plays.Begin(j.ctx)
	}
	var err error
	for j.block = j.block[:0]; len(j.block) < httpserver.BlockSize && err == nil; {
		j.block, err = j.plays.AppendNext(j.block)
	}
	switch {
	case j.ctx.Err() != nil: // the rows of a cancelled query may seem to have ended normally
		return nil, context.Cause(j.ctx)
	case err == io.EOF && len(j.block) > 0: //nolint:errorlint // a wrapped one is a lost connection
		return j.block, nil
	case err != nil:
		return nil, err
	}
	return j.block, nil
}

// Close frees the connection and the place. It records the end in the background, because the client
// waits for Close.
func (j *job) Close(_ int64, outcome error) {
	j.free()
	name := outcomeName(outcome)
	rows := j.plays.Rows()
	j.service.OnFinish(name, rows)
	j.service.recording.Go(func() {
		ctx, done := context.WithTimeout(context.Background(), recordTimeout)
		defer done()
		err := j.record(ctx, audit.ExportFinished, map[string]any{"rows": rows, "outcome": name})
		if err != nil {
			slog.Error("the end of an export could not be recorded", "request_id",
				j.request.Request.ID, "error", err)
		}
	})
}

func (j *job) free() {
	defer j.release() // also when closing panics
	j.stop(nil)
	j.plays.Close()
}

func (j *job) record(
	ctx context.Context, action audit.Action, details map[string]any,
) (err error) {
	defer func() {
		if p := recover(); p != nil { // in the background it would end the process
			err = fmt.Errorf("panic while an export is recorded: %v", p)
		}
	}()
	q := j.request.Query
	about := map[string]any{
		"exportId": j.id,
		"from":     q.Period.Day(0),
		"to":       q.Period.Day(q.Period.Days - 1),
	}
	if q.GroupID != "" {
		about["groupId"] = q.GroupID
	}
	maps.Copy(about, details)
	return j.service.log.Append(ctx, audit.Entry{
		OrganisationID: q.OrganisationID,
		Actor:          j.request.Actor,
		Action:         action,
		Target:         audit.Target{Kind: "fork", ID: q.ForkID},
		Details:        about,
		Request:        j.request.Request,
	})
}

// outcomes are how an export ends early, as its audit entry names it.
var outcomes = []struct {
	err  error
	name string
}{
	{errKeyUnusable, "key_unusable"},
	{ErrAccessEnded, "access_ended"},
	{ErrNoAnswer, "database_unavailable"},
	{ErrTimeLimit, "time_limit"},
	{httpserver.ErrClientGone, "client_gone"},
	{httpserver.ErrStopped, "server_stopped"},
}

// The outcomes of exports that do not end early, and of those that fail otherwise.
const (
	completed = "completed"
	failed    = "failed"
)

// Outcomes returns every outcome that OnFinish is called with.
func Outcomes() []string {
	names := []string{completed, failed}
	for _, o := range outcomes {
		names = append(names, o.name)
	}
	return names
}

func outcomeName(err error) string {
	if err == nil {
		return completed
	}
	for _, o := range outcomes {
		if errors.Is(err, o.err) {
			return o.name
		}
	}
	return failed
}
