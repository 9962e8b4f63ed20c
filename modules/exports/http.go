package exports

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/google/uuid"

	"dg/modules/audit"
	"dg/modules/reports"
	"dg/platform/apperr"
	"dg/platform/format"
	"dg/platform/httpserver"
	"dg/platform/postgres"
)

// Request is a request for an export of a fork that the actor may read.
type Request struct {
	Query   reports.Query
	Dialect format.Dialect
	Slug    string // slug of the fork, for the file name
	Actor   audit.Actor
	Request audit.Request
	Recheck Recheck
}

// Export is an open export. It holds a connection and a slot until Close or, after Send has begun a
// stream, until the stream ends.
type Export struct {
	reports.Header

	request  Request
	service  *Service
	release  func() // frees the slot
	gate     *Gate
	plays    *reports.Export
	block    []byte
	streamed bool
	recorded bool   // whether export.started has committed
	id       string // links the two audit entries, because request ids may repeat
}

// Open opens the export. The caller then authorises the read of the group by Export.Header, calls
// Send, and closes the export. Errors: those of reports.Service.OpenExport, apperr.Unavailable if
// too many exports run.
func (s *Service) Open(c *fiber.Ctx, r Request) (*Export, error) {
	release, err := s.slots.Acquire(c.UserContext(), r.Query.OrganisationID)
	if err != nil {
		return nil, err
	}
	e := &Export{
		request: r, service: s, release: release, gate: s.NewGate(c, r.Recheck), id: uuid.NewString(),
	}
	defer func() {
		if e.plays == nil { // OpenExport failed or panicked
			e.free()
		}
	}()
	if e.plays, err = s.reports.OpenExport(c.UserContext(), r.Query, r.Dialect); err != nil {
		return nil, err
	}
	e.Header = e.plays.Header
	return e, nil
}

// Send responds to GET with the plays or 304, and to HEAD with the headers of GET. HEAD and 304
// transfer no plays, so they have no audit entry. Errors: those of the first block,
// reports.ErrGroupNotFound, 505 over HTTP/1.0, 400 for a Range header.
func (e *Export) Send(c *fiber.Ctx) error {
	if err := e.CheckGroup(e.request.Query.OrganisationID); err != nil {
		return err
	}
	headers := e.headers(c)
	if tag := headers[fiber.HeaderETag]; tag != "" && httpserver.NotModified(c, tag) {
		return httpserver.StreamNotModified(c,
			map[string]string{fiber.HeaderETag: tag, monthsHeader: headers[monthsHeader]})
	}
	if c.Method() == fiber.MethodHead {
		return httpserver.StreamHead(c, headers)
	}
	e.streamed = true
	return httpserver.Stream(c, source{e}, headers)
}

// Close frees the connection and the slot. If Send has begun a stream, source.Close frees them.
func (e *Export) Close() {
	if !e.streamed {
		e.free()
	}
}

func (e *Export) free() {
	defer e.release() // also if Close panics
	e.gate.Close()
	e.plays.Close()
}

const monthsHeader = "DG-Months" // reports.Fingerprint.Months

func (e *Export) headers(c *fiber.Ctx) map[string]string {
	name := fileName(e.request.Slug, e.request.Query)
	headers := map[string]string{
		fiber.HeaderContentType:        "text/csv; charset=utf-8",
		fiber.HeaderContentDisposition: `attachment; filename="` + name + `"`,
	}
	if e.Suppressed {
		headers["X-DG-Report-Suppressed"] = "k-anonymity"
	}
	if p := e.Fingerprint; p != nil {
		headers[monthsHeader] = p.Months
		if p.Tag != "" {
			headers[fiber.HeaderETag] = httpserver.ETag(c, name, p.Tag)
		}
	}
	return headers
}

var unsafeCharsPattern = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// fileName contains the group's id, not its name: headers of a suppressed report reveal no data.
func fileName(slug string, q reports.Query) string {
	name := slug[:min(len(slug), 80)] + "_" + q.Period.String()
	if q.GroupID != "" {
		name += "_group-" + q.GroupID
	}
	return strings.TrimLeft(unsafeCharsPattern.ReplaceAllString(name, "-"), "-_") + ".csv"
}

// source yields the blocks of a streamed export. Its Close records export.finished.
type source struct{ *Export }

// Next rechecks the access, then returns a block of rows. Errors: io.EOF after the last row, those
// of recordStart, Gate.Enter and reports.Export.AppendRows.
func (e source) Next() ([]byte, error) {
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
	if ctx.Err() != nil { // AppendRows may report the end of the rows after a cancelled query
		return nil, context.Cause(ctx)
	}
	return e.block, err
}

// Close records the end in the background, because the client waits for Close.
func (e source) Close(_ int64, cause error) {
	e.free()
	if !e.recorded {
		return
	}
	outcome := outcomeOf(cause)
	e.service.finishedTotal.WithLabelValues(outcome).Inc()
	e.service.pendingRecords.Go(func() {
		if err := e.recordEnd(outcome); err != nil {
			e.service.logger.Error("the end of an export could not be recorded", "request_id",
				e.request.Request.ID, "error", err)
		}
	})
}

// recordStart commits export.started before anything is sent. Only the deadline of the first byte
// cancels the insert, because the outcome of a cancelled insert is unknown. Errors:
// apperr.Unavailable.
func (e *Export) recordStart() error {
	ctx, cancel := context.WithDeadline(context.WithoutCancel(e.gate.Context), e.gate.firstByteDeadline)
	defer cancel()
	err := e.record(ctx, audit.ExportStarted, map[string]any{"reportingMode": e.plays.ReportingMode})
	if err != nil {
		return apperr.Wrap(apperr.Unavailable, err,
			"The export could not be recorded in the audit log, so it was not started. Retry in a few seconds.")
	}
	e.recorded = true
	return nil
}

const (
	recordTimeout = 20 * time.Second // longer than a restart of PostgreSQL
	recordPause   = 200 * time.Millisecond
)

// recordEnd retries for recordTimeout, while each error proves that the entry was not written.
func (e *Export) recordEnd(outcome string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(e.gate.Context), recordTimeout)
	defer cancel()
	for {
		err := e.record(ctx, audit.ExportFinished,
			map[string]any{"rows": e.plays.PlaysReturned, "outcome": outcome})
		if err == nil || !postgres.HadNoEffect(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(recordPause):
		}
	}
}

func (e *Export) record(ctx context.Context, action audit.Action, details map[string]any) error {
	details["exportId"] = e.id
	details["from"] = e.request.Query.Period.Day(0)
	details["to"] = e.request.Query.Period.Day(e.request.Query.Period.Days - 1)
	if e.request.Query.GroupID != "" {
		details["groupId"] = e.request.Query.GroupID
	}
	return e.service.auditLog.Append(ctx, audit.Entry{
		OrganisationID: e.request.Query.OrganisationID,
		Actor:          e.request.Actor,
		Action:         action,
		Target:         audit.Target{Kind: "fork", ID: e.request.Query.ForkID},
		Details:        details,
		Request:        e.request.Request,
	})
}

// outcomes maps the error that ended an export to its name in the audit entry and the metrics.
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

const failedOutcome = "failed"

func outcomeOf(err error) string {
	for _, o := range outcomes {
		if errors.Is(err, o.err) {
			return o.name
		}
	}
	return failedOutcome
}
