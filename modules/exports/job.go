package exports

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"time"

	"github.com/google/uuid"

	"dg/modules/audit"
	"dg/modules/reports"
	"dg/platform/apperr"
	"dg/platform/fairshare"
	"dg/platform/httpserver"
	"dg/platform/httpserver/body"
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
	lease   *fairshare.Lease
	ctx     context.Context
	stop    context.CancelCauseFunc
	export  *reports.Export
	id      string // joins the two entries; request ids may repeat
}

// watch begins the context of the export.
func (j *job) watch() {
	lost := errKeyUnusable
	if j.request.Actor.Kind == audit.Person {
		lost = ErrAccessEnded
	}
	j.ctx, j.stop = RecheckContext(j.request.Recheck, lost)
}

// start records the start. The entry commits while the first rows are read; nothing is sent before
// both finish. If reading fails, AppendNext returns the error and the end is recorded.
func (j *job) start(ctx context.Context) (_ body.Source, err error) {
	j.id = uuid.NewString()
	recorded := make(chan error, 1)
	go func() {
		recorded <- j.recordStart(ctx, map[string]any{"reportingMode": j.export.ReportingMode})
	}()
	j.export.Begin(ctx)
	select {
	case err = <-recorded:
	case <-ctx.Done():
		j.abandon(context.Cause(ctx), recorded)
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, apperr.Wrap(apperr.Unavailable, err,
			"The export could not be recorded in the audit log, so it was not started. Retry in a few seconds.")
	}
	return j, nil
}

// AppendNext appends the next row.
func (j *job) AppendNext(b []byte) ([]byte, error) { return j.export.AppendNext(b) }

// Close frees the connection and the slot. It records the end in the background, because the client
// waits for Close.
func (j *job) Close(outcome error) {
	j.free()
	j.finish(outcome, j.export.Rows())
}

// abandon ends an export whose client has gone while its start is being recorded. A recorded start
// gets its end.
func (j *job) abandon(outcome error, recorded <-chan error) {
	j.service.recording.Go(func() {
		if <-recorded == nil {
			j.finish(outcome, 0)
		}
	})
}

func (j *job) finish(outcome error, rows int64) {
	name := outcomeName(outcome)
	j.service.OnFinish(name, rows)
	details := map[string]any{"rows": rows, "outcome": name}
	j.service.recording.Go(func() { j.recordEnd(details) })
}

func (j *job) free() {
	defer j.lease.Release() // also when closing panics
	j.stop(nil)
	j.export.Close()
}

const recordTimeout = 20 * time.Second

// recordStart outlives its client: a cancelled insert may or may not have committed.
func (j *job) recordStart(ctx context.Context, details map[string]any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic while the start of an export is recorded: %v", p)
		}
	}()
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer done()
	return j.record(ctx, audit.ExportStarted, details)
}

func (j *job) recordEnd(details map[string]any) {
	defer recoverPanic(j.stop)
	ctx, done := context.WithTimeout(context.Background(), recordTimeout)
	defer done()
	if err := j.record(ctx, audit.ExportFinished, details); err != nil {
		slog.Error("the end of an export could not be recorded", "request_id", j.request.Request.ID,
			"error", err)
	}
}

// record queues its statement in a flow of its own per organisation, so that other requests do not
// delay the entry.
func (j *job) record(ctx context.Context, action audit.Action, details map[string]any) error {
	q := j.request.Query
	ctx = fairshare.WithTenant(ctx, "exports of "+q.OrganisationID)
	about := map[string]any{
		audit.ExportID: j.id,
		"from":         q.Period.Day(0),
		"to":           q.Period.Day(q.Period.Days - 1),
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
	{body.ErrClientGone, "client_gone"},
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
