package auditlog

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/exports"
	"dg/platform/apperr"
	"dg/platform/format"
	"dg/platform/httpserver"
	"dg/web/ui"
)

const (
	maxLogDownloads = 4   // concurrent downloads on an instance, twice those of an organisation
	entriesPerQuery = 500 // bounds the memory of a download
)

// csvHeader is the first row of the file. Programs read the file, so cells have codes, not labels.
const csvHeader = "entryId,at,actorKind,actorId,actorName,action,reason,targetKind,targetId," +
	"details,method,path,address,userAgent,requestId\n"

// DownloadAuditLog handles GET /settings/audit-log.csv with all entries that match the filters. It
// commits an entry about the download before it sends the first byte.
func (h *Handler) DownloadAuditLog(c *fiber.Ctx, p *ui.Principal) error {
	query, err := h.parse(c, p)
	if err != nil {
		return err
	}
	headers := map[string]string{
		fiber.HeaderContentType: "text/csv; charset=utf-8",
		fiber.HeaderContentDisposition: fmt.Sprintf(
			`attachment; filename="audit-log_%s.csv"`, h.Today().Format(time.DateOnly)),
	}
	if c.Method() == fiber.MethodHead {
		return httpserver.StreamHead(c, headers)
	}
	details := map[string]any{}
	for name, values := range query.Params() {
		details[name] = values[0]
	}
	ctx := c.UserContext()
	entry := audit.Entry{
		OrganisationID: p.Organisation.ID,
		Actor:          p.AuditActor(),
		Action:         audit.LogExported,
		Target:         audit.Target{Kind: "organisation", ID: p.Organisation.ID},
		Details:        details,
		Request:        apikeys.AuditRequest(c, c.Path()),
	}
	release, err := h.Downloads.Acquire(ctx, p.Organisation.ID)
	if err != nil {
		return err
	}
	d := &logDownload{
		dialect: query.dialect,
		record:  sync.OnceValue(func() error { return h.Log.Append(ctx, entry) }),
		page:    audit.Page{Filter: query.page.Filter, Limit: entriesPerQuery},
		release: release,
		gate:    h.Exports.NewGate(c, h.AccessCheck(p, audit.ReadAuditLog)),
		block:   query.dialect.AppendHeader(nil, csvHeader),
	}
	d.list = func() ([]audit.Entry, error) { return h.entries(d.gate.Context, p, d.page) }
	return httpserver.Stream(c, d, headers)
}

type logDownload struct {
	dialect      format.Dialect
	record       func() error                  // records the download once, before its first byte
	list         func() ([]audit.Entry, error) // reads the entries of page
	page         audit.Page                    // the page that list reads next
	release      func()                        // releases the slot of Downloads
	gate         *exports.Gate
	block        []byte // buffer of the next block; at first the header
	lastPageRead bool
}

func (d *logDownload) Next() ([]byte, error) {
	if d.lastPageRead {
		return nil, io.EOF
	}
	leave, err := d.gate.Enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	if err := d.record(); err != nil {
		return nil, apperr.Wrap(apperr.Unavailable, err,
			"The audit log could not record the download, so it was not started. Try again in a moment.")
	}
	entries, err := d.list()
	if err != nil {
		return nil, err
	}
	block := d.block
	for _, e := range entries {
		if block, err = appendEntry(block, d.dialect, e); err != nil {
			return nil, err
		}
		d.page.Before = e.ID
	}
	d.block = block[:0]
	d.lastPageRead = len(entries) < d.page.Limit
	if len(block) == 0 {
		return nil, io.EOF
	}
	return block, nil
}

func (d *logDownload) Close(int64, error) {
	d.gate.Close()
	d.release()
}

func appendEntry(b []byte, d format.Dialect, e audit.Entry) ([]byte, error) {
	details, err := json.Marshal(e.Details)
	if err != nil {
		return b, err
	}
	b = append(b, e.Ref()...)
	b = d.AppendInstant(append(b, d.Separator()), e.At.UnixMilli())
	for _, text := range []string{
		string(e.Actor.Kind), e.Actor.ID, e.Actor.Name, string(e.Action), string(e.Reason),
		e.Target.Kind, e.Target.ID, string(details),
		e.Request.Method, e.Request.Path, e.Request.Address, e.Request.UserAgent, e.Request.ID,
	} {
		b = d.AppendCell(append(b, d.Separator()), []byte(text))
	}
	return append(b, '\n'), nil
}
