package exports

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"time"

	"dg/modules/audit"
	"dg/modules/reports"
	"dg/platform/apperr"
	"dg/platform/httpserver"
	"dg/platform/limiter"
)

// The bounds of a running export (decisions, "CSV").
const (
	timeLimit     = 30 * time.Minute
	askEvery      = 500 * time.Millisecond
	askBound      = 1500 * time.Millisecond // without an answer for so long, the database counts as away
	recordTimeout = 20 * time.Second
)

// Why an export ends early, beside what httpserver knows.
var (
	errKeyUnusable error = apperr.New(apperr.AuthRequired, "This API key can no longer be used.")
	errAccessEnded error = apperr.New(apperr.AuthRequired, "Your session or your role in the organisation has ended. Sign in again.")
	errNoAnswer    error = &apperr.Error{
		Code: apperr.Unavailable, Message: "The database did not answer, so the export was not started. Try again in a few seconds.", RetryAfter: 5,
	}
	errOverTimeLimit error = apperr.New(apperr.Unavailable, "The export took longer than 30 minutes. Ask for a shorter period.")
)

// notAllowed is why an export of an actor ends that may no longer have it.
var notAllowed = map[audit.ActorKind]error{audit.Key: errKeyUnusable, audit.Person: errAccessEnded}

// running is one export from its audit entry export.started to export.finished. It is the stream's source.
type running struct {
	Order
	service *Service
	lease   *limiter.Lease
	stop    context.CancelCauseFunc
	export  *reports.Export
}

// watch returns the context of the export: it ends with stop, after the time limit, and soon after the actor may no longer
// have the export.
func (r *running) watch() context.Context {
	limited, stopClock := context.WithTimeoutCause(context.Background(), timeLimit, errOverTimeLimit)
	ctx, stop := context.WithCancelCause(limited)
	r.stop = func(cause error) { stop(cause); stopClock() }
	go r.watchActor(ctx)
	return ctx
}

// watchActor ends the export once the actor may no longer have it, or the database has not said for too long.
func (r *running) watchActor(ctx context.Context) {
	defer r.recoverPanic()
	tick := time.NewTicker(askEvery)
	defer tick.Stop()
	answered := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		ask, done := context.WithTimeout(ctx, askEvery)
		err := r.Recheck(ask)
		done()
		switch {
		case err == nil:
			answered = time.Now()
		case isNo(err):
			r.stop(notAllowed[r.Actor.Kind])
			return
		case time.Since(answered) > askBound:
			r.stop(fmt.Errorf("%w: %w", errNoAnswer, err))
			return
		}
	}
}

// recoverPanic is deferred by the goroutines of an export: a panic of theirs would end the process.
func (r *running) recoverPanic() {
	if p := recover(); p != nil {
		slog.Error("panic in the background of an export", "request_id", r.Request.ID, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		r.stop(fmt.Errorf("exports: panic: %v", p))
	}
}

// isNo tells an answer from a failure to get one.
func isNo(err error) bool {
	return apperr.Is(err, apperr.AuthRequired) || apperr.Is(err, apperr.AccessDenied) || apperr.Is(err, apperr.NotFound)
}

const notRecorded = "The export could not be recorded in the audit log, so it was not started. Try again in a moment."

// open begins the export. Its start is recorded before there is anything to send.
func (r *running) open(ctx context.Context, header map[string]string) (httpserver.Source, error) {
	export, err := r.service.reports.Export(ctx, r.Query)
	if err != nil {
		return nil, err
	}
	if err := r.record(ctx, audit.ExportStarted, nil); err != nil {
		export.Close()
		return nil, apperr.Wrap(apperr.Unavailable, err, notRecorded)
	}
	if export.Suppressed {
		header[suppressedHeader] = "k-anonymity"
	}
	r.export = export
	return r, nil
}

// Next appends the next row.
func (r *running) Next(b []byte) ([]byte, error) { return r.export.Next(b) }

// Close lets go of everything and sees to it that the end of the export is recorded. It does not wait for that: the last
// chunk of a whole file, or the end of a broken one, is sent when Close returns. So there are at most as many ends being
// recorded as exports ended within recordTimeout.
func (r *running) Close(outcome error) {
	r.closeExport()
	details := map[string]any{"rows": r.export.Rows(), "outcome": outcomeName(outcome)}
	r.service.recording.Go(func() {
		defer r.recoverPanic()
		ctx, done := context.WithTimeout(context.Background(), recordTimeout)
		defer done()
		if err := r.record(ctx, audit.ExportFinished, details); err != nil {
			slog.Error("the end of an export could not be recorded", "request_id", r.Request.ID, "error", err)
		}
	})
}

// closeExport lets go of the database, and gives the place back whatever happens: not only when the end is recorded.
func (r *running) closeExport() {
	defer r.lease.Release()
	r.stop(nil)
	r.export.Close()
}

func (r *running) record(ctx context.Context, action audit.Action, details map[string]any) error {
	q := r.Query
	about := map[string]any{"from": q.Period.Day(0), "to": q.Period.Day(q.Period.Days - 1)}
	if q.GroupID != "" {
		about["groupId"] = q.GroupID
	}
	maps.Copy(about, details)
	return r.service.log.Append(ctx, audit.Entry{
		OrganisationID: q.OrganisationID, Actor: r.Actor, Action: action,
		Target: audit.Target{Kind: "fork", ID: q.ForkID}, Details: about, Request: r.Request,
	})
}

// outcomeName is how an export ended, as the audit log says it.
func outcomeName(err error) string {
	switch {
	case err == nil:
		return "completed"
	case errors.Is(err, errKeyUnusable):
		return "key_unusable"
	case errors.Is(err, errAccessEnded):
		return "access_ended"
	case errors.Is(err, errNoAnswer):
		return "database_unavailable"
	case errors.Is(err, errOverTimeLimit):
		return "time_limit"
	case errors.Is(err, httpserver.ErrClientGone):
		return "client_gone"
	case errors.Is(err, httpserver.ErrStopped):
		return "server_stopped"
	}
	return "failed"
}
