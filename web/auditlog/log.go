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

// New returns the handler, which also renders the templates of this package.
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
	Newest, Older string // paths of the first page and of the next, or ""
}

// AuditLog handles GET /settings/audit-log with one page of entries, newest first.
func (h *Handler) AuditLog(c *fiber.Ctx, p *ui.Principal) error {
	query, err := h.parse(c, p)
	if err != nil {
		return err
	}
	path := p.Path("/settings/audit-log")
	view := logView{Layout: ui.Layout{Title: "Audit log"}, Path: path, Filters: query}
	view.Download.CSV = query.pathWith(path+".csv", "", "")
	view.Download.Excel = query.pathWith(path+".csv", "format", format.ExcelName)
	query.page.Limit = entriesPerPage + 1 // one more entry shows whether there is an older page
	entries, err := h.entries(c.UserContext(), p, query.page)
	if err != nil {
		return err
	}
	if len(entries) > entriesPerPage {
		entries = entries[:entriesPerPage]
		view.Older = query.pathWith(path, "before", strconv.FormatInt(entries[entriesPerPage-1].ID, 10))
	}
	if query.page.Before != 0 {
		view.Newest = query.pathWith(path, "", "")
	}
	names, err := h.namesIn(c.UserContext(), p, entries, query.keys)
	if err != nil {
		return err
	}
	for i, e := range entries {
		row := names.newEntryView(e)
		row.NewDay = i == 0 || ui.Day(e.At) != ui.Day(entries[i-1].At)
		row.ByAction = query.pathWith(path, "action", string(e.Action))
		for _, name := range []string{"person", "key"} {
			if query.hasOption(name, e.Actor.ID) {
				row.ByActor = query.pathWith(path, name, e.Actor.ID)
			}
		}
		view.Rows = append(view.Rows, row)
	}
	return h.RenderSettings(c, p, fiber.StatusOK, "audit", &view)
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
