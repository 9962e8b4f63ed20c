package publicapi

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/reports"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/httpserver"
)

// suppressedHeader says that k-anonymity left only the header row (specification, section 4.4).
const suppressedHeader = "X-DG-Report-Suppressed"

// exportForkPlays answers GET /api/v1/forks/{forkId}/exports/csv (specification, section 4.4).
func (a *API) exportForkPlays(c *fiber.Ctx, caller apikeys.Caller) error {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	fork, err := a.forkOf(ctx, c, caller, authz.ExportReport)
	if err != nil {
		return err
	}
	query, err := reportQuery(c, fork)
	if err != nil {
		return err
	}
	options := httpserver.StreamOptions{
		ContentType: "text/csv; charset=utf-8",
		Gzip:        true,
		Header: map[string]string{
			fiber.HeaderContentDisposition: `attachment; filename="` + fileName(fork.Slug, query.Period) + `"`,
			fiber.HeaderCacheControl:       "no-store",
		},
	}
	if c.Method() == fiber.MethodHead {
		return a.headOfExport(ctx, c, caller, query, options)
	}
	leave, err := a.exports.take(caller.KeyID)
	if err != nil {
		return err
	}
	e := &runningExport{api: a, caller: caller, query: query, request: requestOf(c), leave: leave}
	options.Context = e.watch()
	err = httpserver.Stream(c, func(ctx context.Context) (httpserver.Source, error) {
		return e.open(ctx, options.Header)
	}, options)
	if err != nil {
		e.stop(nil)
		leave()
		return a.groupError(ctx, c, caller, query.GroupID, err)
	}
	return nil
}

// headOfExport sends the headers that GET would have sent. It exports nothing and records no export.
func (a *API) headOfExport(ctx context.Context, c *fiber.Ctx, caller apikeys.Caller, query reports.Query, o httpserver.StreamOptions) error {
	suppressed, err := a.reports.Suppressed(ctx, query)
	if err != nil {
		return a.groupError(ctx, c, caller, query.GroupID, err)
	}
	if suppressed {
		o.Header[suppressedHeader] = "k-anonymity"
	}
	return httpserver.Stream(c, nil, o)
}

// fileName names the fork's slug and the period, in ASCII that needs no quoting.
func fileName(slug string, p reports.Period) string {
	ascii := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '-'
	}, slug)
	return ascii[:min(len(ascii), 80)] + "_" + p.String() + ".csv"
}

// The bounds of a running export (decisions, "CSV").
const (
	exportTimeLimit = 30 * time.Minute
	keyCheckEvery   = 500 * time.Millisecond
	keyCheckBound   = 1500 * time.Millisecond // without a good answer for so long, the key counts as unusable
	recordTimeout   = 5 * time.Second
)

// Why an export ends early, beside what httpserver knows.
var (
	errKeyUnusable error = apperr.New(apperr.AuthRequired, "This API key can no longer be used.")
	errTimeLimit   error = apperr.New(apperr.Unavailable, "The export took longer than 30 minutes. Ask for a shorter period.")
)

// runningExport is one export from its audit entry export.started to export.finished. It is the stream's source.
type runningExport struct {
	api     *API
	caller  apikeys.Caller
	query   reports.Query
	request audit.Request
	leave   func() // gives the place back; may be called again
	stop    context.CancelCauseFunc
	export  *reports.Export
}

// watch returns the context of the export: it ends with stop, after the time limit, and soon after the key was revoked,
// expired or paused.
func (e *runningExport) watch() context.Context {
	limited, stopClock := context.WithTimeoutCause(context.Background(), exportTimeLimit, errTimeLimit)
	ctx, stop := context.WithCancelCause(limited)
	e.stop = func(cause error) { stop(cause); stopClock() }
	go e.watchKey(ctx)
	return ctx
}

func (e *runningExport) watchKey(ctx context.Context) {
	tick := time.NewTicker(keyCheckEvery)
	defer tick.Stop()
	good := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		check, done := context.WithTimeout(ctx, keyCheckEvery)
		err := e.api.keys.StillUsable(check, e.caller.OrganisationID, e.caller.KeyID)
		done()
		if err == nil {
			good = time.Now()
		} else if apperr.Is(err, apperr.AuthRequired) || time.Since(good) > keyCheckBound {
			e.stop(errKeyUnusable)
			return
		}
	}
}

const notRecorded = "The export could not be recorded in the audit log, so it was not started. Try again in a moment."

// open begins the export. Its start is recorded before there is anything to send.
func (e *runningExport) open(ctx context.Context, header map[string]string) (httpserver.Source, error) {
	export, err := e.api.reports.Export(ctx, e.query)
	if err != nil {
		return nil, err
	}
	if err := e.record(ctx, audit.ExportStarted, nil); err != nil {
		export.Close()
		return nil, apperr.Wrap(apperr.Unavailable, err, notRecorded)
	}
	if export.Suppressed {
		header[suppressedHeader] = "k-anonymity"
	}
	e.export = export
	return e, nil
}

// Next appends the next row.
func (e *runningExport) Next(b []byte) ([]byte, error) { return e.export.Next(b) }

// Close lets go of everything and records how the export ended.
func (e *runningExport) Close(outcome error) {
	e.stop(nil)
	e.export.Close()
	e.leave()
	ctx, done := context.WithTimeout(context.Background(), recordTimeout)
	defer done()
	details := map[string]any{"rows": e.export.Rows(), "outcome": outcomeName(outcome)}
	if err := e.record(ctx, audit.ExportFinished, details); err != nil {
		slog.Error("the end of an export could not be recorded", "request_id", e.request.ID, "error", err)
	}
}

func (e *runningExport) record(ctx context.Context, action audit.Action, details map[string]any) error {
	about := map[string]any{"from": e.query.Period.Day(0), "to": e.query.Period.Day(e.query.Period.Days - 1)}
	if e.query.GroupID != "" {
		about["groupId"] = e.query.GroupID
	}
	maps.Copy(about, details)
	return e.api.log.Append(ctx, audit.Entry{
		OrganisationID: e.query.OrganisationID, Actor: e.caller.Actor(), Action: action,
		Target: audit.Target{Kind: "fork", ID: e.query.ForkID}, Details: about, Request: e.request,
	})
}

// outcomeName is how an export ended, as the audit log says it.
func outcomeName(err error) string {
	switch {
	case err == nil:
		return "completed"
	case errors.Is(err, errKeyUnusable):
		return "key_unusable"
	case errors.Is(err, errTimeLimit):
		return "time_limit"
	case errors.Is(err, httpserver.ErrClientGone):
		return "client_gone"
	case errors.Is(err, httpserver.ErrStopped):
		return "server_stopped"
	}
	return "failed"
}
