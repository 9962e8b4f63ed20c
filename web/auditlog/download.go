package auditlog

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/exports"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/csvcell"
	"dg/platform/fairshare"
	"dg/platform/httpserver"
	"dg/platform/httpserver/body"
	"dg/platform/instant"
	"dg/web/ui"
)

// The limits of downloads of the log at once, and how many entries one reads in a query.
const (
	maxLogDownloads = 4 // on one instance; one organisation gets half of them
	entriesPerQuery = 500
)

const auditHeader = "entryId,at,actorKind,actorId,actorName,action,reason," +
	"targetKind,targetId,details,method,path,address,userAgent,requestId\n"

// DownloadAuditLog answers GET /settings/audit-log.csv with all entries that match the filters. Its
// own entry is committed before anything is sent, so it is the first row of the file unless the
// filters exclude it. The download ends within two seconds after the person loses access or the
// database stops answering.
func (h *Handler) DownloadAuditLog(c *fiber.Ctx, p *ui.Principal) error {
	filter, details, err := h.downloadFilter(c, p)
	if err != nil {
		return err
	}
	options := httpserver.StreamOptions{
		ContentType: "text/csv; charset=utf-8",
		Gzip:        true,
		Header: map[string]string{
			fiber.HeaderContentDisposition: fmt.Sprintf(
				`attachment; filename="audit-log_%s.csv"`, h.Today().Format(time.DateOnly)),
			fiber.HeaderCacheControl: "no-store",
		},
	}
	if c.Method() == fiber.MethodHead {
		return httpserver.Stream(c, nil, options)
	}
	lease, err := h.downloads.Acquire(c.UserContext(),
		fairshare.Request{OrganisationID: p.Organisation.ID})
	if err != nil {
		return err
	}
	d := &logDownload{page: audit.Page{Filter: filter, Limit: entriesPerQuery}, lease: lease}
	d.list = func() ([]audit.Entry, error) { return h.entries(d.ctx, p, d.page) }
	options.Context, d.stop = exports.RecheckContext(h.Recheck(p, authz.ReadAuditLog),
		exports.ErrAccessEnded)
	entry := audit.Entry{
		OrganisationID: p.Organisation.ID,
		Actor:          p.AuditActor(),
		Action:         audit.LogExported,
		Target:         audit.Target{Kind: "organisation", ID: p.Organisation.ID},
		Details:        details,
		Request:        apikeys.RequestOf(c, c.Path()),
	}
	err = httpserver.Stream(c, func(ctx context.Context) (body.Source, error) {
		d.ctx = fairshare.WithTenant(ctx, p.Organisation.ID)
		if err := h.Log.Append(d.ctx, entry); err != nil {
			return nil, apperr.Wrap(apperr.Unavailable, err,
				"The audit log could not record the download, so it was not started. Try again in a moment.")
		}
		return d, nil
	}, options)
	if err != nil {
		d.Close(nil)
	}
	return err
}

// downloadFilter is the filter of a download, and the same as details of its entry.
func (h *Handler) downloadFilter(
	c *fiber.Ctx, p *ui.Principal,
) (audit.Filter, map[string]any, error) {
	query, _, err := parseAuditQuery(c)
	if err != nil {
		return audit.Filter{}, nil, err
	}
	f, _, err := h.auditFilters(c.UserContext(), p, query)
	if err != nil {
		return audit.Filter{}, nil, err
	}
	for _, e := range f.Errors() {
		return audit.Filter{}, nil, apperr.NewField(e.Field, "%s", e.Message)
	}
	details := map[string]any{}
	for name, values := range f.query() {
		details[name] = strings.Clone(values[0])
	}
	return f.filter, details, nil
}

// logDownload is the log as CSV, the newest entries first. It holds one batch of entries at a time.
type logDownload struct {
	list    func() ([]audit.Entry, error) // reads the page
	page    audit.Page
	lease   *fairshare.Lease
	ctx     context.Context
	stop    context.CancelCauseFunc
	batch   []audit.Entry
	started bool
	last    bool // whether batch is the last one
}

// AppendNext appends the header, or a row.
func (d *logDownload) AppendNext(b []byte) ([]byte, error) {
	if !d.started {
		d.started = true
		return append(b, auditHeader...), nil
	}
	if len(d.batch) == 0 {
		if err := d.readBatch(); err != nil {
			return b, err
		}
	}
	e := d.batch[0]
	d.batch = d.batch[1:]
	return appendEntry(b, e)
}

// readBatch reads the next batch. Errors: io.EOF after the last.
func (d *logDownload) readBatch() error {
	if d.last {
		return io.EOF
	}
	var err error
	if d.batch, err = d.list(); err != nil {
		return err
	}
	d.last = len(d.batch) < d.page.Limit
	if len(d.batch) == 0 {
		return io.EOF
	}
	d.page.Before = d.batch[len(d.batch)-1].ID
	return nil
}

// Close ends the watch and releases the place among the downloads. It may be called twice.
func (d *logDownload) Close(error) {
	d.stop(nil)
	d.lease.Release()
}

// appendEntry appends a row. Programs read it, so it has codes in place of labels.
func appendEntry(b []byte, e audit.Entry) ([]byte, error) {
	details, err := json.Marshal(e.Details)
	if err != nil {
		return b, err
	}
	b = strconv.AppendInt(b, e.ID, 10)
	b = append(b, ',')
	b = instant.Append(b, e.At)
	for _, text := range []string{
		string(e.Actor.Kind), e.Actor.ID, e.Actor.Name, string(e.Action), string(e.Reason),
		e.Target.Kind, e.Target.ID, string(details),
		e.Request.Method, e.Request.Path, e.Request.Address, e.Request.UserAgent, e.Request.ID,
	} {
		b = csvcell.AppendText(append(b, ','), text)
	}
	return append(b, '\n'), nil
}
