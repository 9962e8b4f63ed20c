package web

import (
	"context"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/csvcell"
	"dg/platform/httpserver"
	"dg/platform/limiter"
)

// The bounds of a download of the log.
const (
	maxLogDownloads  = 4 // at once, on one instance; of one organisation half as many
	maxLogTime       = 30 * time.Minute
	entriesInBatch   = 500
	auditInstantForm = "2006-01-02T15:04:05.000Z"
)

// auditHeader is the first row of the file.
const auditHeader = "entryId,at,actorKind,actorId,actorName,action,reason,targetKind,targetId,details,method,path,address,userAgent,requestId\n"

var errLogTime = apperr.New(apperr.Unavailable, "The download took longer than 30 minutes. Choose fewer days.")

// downloadAuditLog answers with the whole log that the filters leave, as CSV. Its own entry is committed before there is
// anything to send (decisions, "Audit"): it is the first row of a file that it is not filtered out of.
func (h *Handler) downloadAuditLog() func(*fiber.Ctx, *principal) error {
	running := limiter.New(limiter.Limits{Places: maxLogDownloads, Busy: "Too many downloads of audit logs are running."})
	return func(c *fiber.Ctx, p *principal) error {
		filter, params, err := h.auditFilter(c, p)
		if err != nil {
			return err
		}
		options := httpserver.StreamOptions{ContentType: "text/csv; charset=utf-8", Gzip: true, Header: map[string]string{
			fiber.HeaderContentDisposition: `attachment; filename="audit-log_` + h.today().Format(time.DateOnly) + `.csv"`,
			fiber.HeaderCacheControl:       "no-store",
		}}
		if c.Method() == fiber.MethodHead {
			return httpserver.Stream(c, nil, options)
		}
		lease, err := running.Acquire(c.UserContext(), limiter.Request{OrganisationID: p.Organisation.ID})
		if err != nil {
			return err
		}
		f := &logFile{page: audit.Page{Filter: filter, Limit: entriesInBatch}, ends: time.Now().Add(maxLogTime), lease: lease}
		organisation, still := p.Organisation.ID, h.recheck(p, authz.ReadAuditLog)
		entry := audit.Entry{
			OrganisationID: organisation, Actor: p.audited(), Action: audit.LogExported,
			Target: audit.Target{Kind: "organisation", ID: organisation}, Details: params, Request: requestOf(c),
		}
		err = httpserver.Stream(c, func(ctx context.Context) (httpserver.Source, error) {
			if err := h.Log.Append(ctx, entry); err != nil {
				return nil, apperr.Wrap(apperr.Unavailable, err, "The download could not be recorded in the audit log, so it was not started. Try again in a moment.")
			}
			f.list = func(p audit.Page) ([]audit.Entry, error) {
				if err := still(ctx); err != nil { // a download may outlive the session and the role by far
					return nil, err
				}
				return h.Log.List(ctx, organisation, p)
			}
			return f, nil
		}, options)
		if err != nil {
			lease.Release()
		}
		return err
	}
}

// auditFilter is what the address of a download asks for, and the same as the details of an entry.
func (h *Handler) auditFilter(c *fiber.Ctx, p *principal) (audit.Filter, map[string]any, error) {
	query, _, err := auditAddress(c)
	if err != nil {
		return audit.Filter{}, nil, err
	}
	ctx, stop := bounded(c.UserContext())
	defer stop()
	keys, err := h.Keys.List(ctx, p.actor())
	if err != nil {
		return audit.Filter{}, nil, err
	}
	people, err := h.Log.People(ctx, p.Organisation.ID)
	if err != nil {
		return audit.Filter{}, nil, err
	}
	f := newAuditFilters(query, people, keys)
	for _, wrong := range f.Errors() {
		return audit.Filter{}, nil, apperr.NewField(wrong.Name, "%s", wrong.Message)
	}
	params := map[string]any{}
	for name, values := range f.query() {
		params[name] = strings.Clone(values[0])
	}
	return f.filter, params, nil
}

// logFile is a log as CSV, newest first. It reads a batch when it needs one, and holds no other.
type logFile struct {
	page  audit.Page
	list  func(audit.Page) ([]audit.Entry, error)
	ends  time.Time
	lease *limiter.Lease
	batch []audit.Entry
	begun bool
	last  bool // whether the batch is the last one
}

// Next appends the header, or a row.
func (f *logFile) Next(b []byte) ([]byte, error) {
	if !f.begun {
		f.begun = true
		return append(b, auditHeader...), nil
	}
	if len(f.batch) == 0 {
		if err := f.read(); err != nil {
			return b, err
		}
	}
	e := f.batch[0]
	f.batch = f.batch[1:]
	return appendEntry(b, e)
}

// read reads the next batch. Errors: io.EOF after the last.
func (f *logFile) read() error {
	if f.last {
		return io.EOF
	}
	if time.Now().After(f.ends) {
		return errLogTime
	}
	var err error
	if f.batch, err = f.list(f.page); err != nil {
		return err
	}
	f.last = len(f.batch) < f.page.Limit
	if len(f.batch) == 0 {
		return io.EOF
	}
	f.page.Before = f.batch[len(f.batch)-1].ID
	return nil
}

// Close gives the place back.
func (f *logFile) Close(error) { f.lease.Release() }

// appendEntry appends a row: the codes of the log, for programs, not its words.
func appendEntry(b []byte, e audit.Entry) ([]byte, error) {
	details, err := json.Marshal(e.Details)
	if err != nil {
		return b, err
	}
	b = strconv.AppendInt(b, e.ID, 10)
	b = append(b, ',')
	b = e.At.UTC().AppendFormat(b, auditInstantForm)
	for _, text := range []string{
		string(e.Actor.Kind), e.Actor.ID, e.Actor.Name, string(e.Action), string(e.Reason), e.Target.Kind, e.Target.ID, string(details),
		e.Request.Method, e.Request.Path, e.Request.Address, e.Request.UserAgent, e.Request.ID,
	} {
		b = csvcell.AppendText(append(b, ','), text)
	}
	return append(b, '\n'), nil
}
