package auditlog

import (
	"context"
	"embed"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"dg/modules/audit"
	"dg/platform/format"
	"dg/platform/limit"
	"dg/web/ui"
)

//go:embed templates/*.html
var templates embed.FS

// Handler serves the audit log of an organisation, as a page and as a file.
type Handler struct {
	ui.Base
	Downloads *limit.Limiter // bounds concurrent downloads; exported for metrics
}

// New returns the handler.
func New(b ui.Base) *Handler {
	return &Handler{b.With(templates), limit.New(limit.Options{
		Max:         maxLogDownloads,
		PerKey:      maxLogDownloads / 2,
		BusyMessage: "Too many downloads of audit logs are running.",
	})}
}

const entriesPerPage = 50

type logView struct {
	ui.Layout
	Path          string      // path of the log without filters
	Download      ui.Download // paths of the file with the same filters
	Filters       logQuery
	Rows          []entryView
	Newest, Older string // paths of the first page and of the next; "": no link
}

// AuditLog handles GET /settings/audit-log with one page of entries, newest first.
func (h *Handler) AuditLog(c *fiber.Ctx, p *ui.Principal) error {
	at, err := h.parse(c, p)
	if err != nil {
		return err
	}
	path := p.Path("/settings/audit-log")
	view := logView{Path: path, Filters: at}
	view.Download.CSV = at.with(path+".csv", "", "")
	view.Download.Excel = at.with(path+".csv", "format", format.ExcelName)
	if view.Layout, err = h.SettingsLayout(c, p, "Audit log", "audit-log"); err != nil {
		return err
	}
	at.page.Limit = entriesPerPage + 1 // one more entry shows whether there is an older page
	entries, err := h.entries(c.UserContext(), p, at.page)
	if err != nil {
		return err
	}
	if len(entries) > entriesPerPage {
		entries = entries[:entriesPerPage]
		view.Older = at.with(path, "before", strconv.FormatInt(entries[entriesPerPage-1].ID, 10))
	}
	if at.page.Before != 0 {
		view.Newest = at.with(path, "", "")
	}
	names, err := h.namesIn(c.UserContext(), p, entries, at.keys)
	if err != nil {
		return err
	}
	for i, e := range entries {
		row := names.newEntryView(e)
		row.NewDay = i == 0 || ui.Day(e.At) != ui.Day(entries[i-1].At)
		row.Refused = e.Action == audit.KeyRefused
		row.ByAction = at.with(path, "action", string(e.Action))
		for _, name := range []string{"person", "key"} {
			if at.hasOption(name, e.Actor.ID) {
				row.ByActor = at.with(path, name, e.Actor.ID)
			}
		}
		view.Rows = append(view.Rows, row)
	}
	return h.Render(c, fiber.StatusOK, "audit", &view)
}

func (h *Handler) entries(
	ctx context.Context, p *ui.Principal, page audit.Page,
) ([]audit.Entry, error) {
	entries, err := h.Log.List(ctx, p.Organisation.ID, page)
	if err != nil {
		return nil, err
	}
	return entries, ui.AuthorizeAll(p, audit.ReadAuditLog, entries, audit.Entry.Owner)
}
