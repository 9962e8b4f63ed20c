package auditlog

import (
	"context"
	"html/template"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/games"
	"dg/platform/authz"
	"dg/web/ui"
)

// auditView is a page of the log.
type auditView struct {
	ui.Layout
	Path, CSV    string // of the log without filters, and of the file with them
	Keys         string // path of the organisation's keys
	Filters      auditFilters
	Rows         []auditRow
	Newer, Older string // paths, or ""
}

// auditRow is an entry in the list.
type auditRow struct {
	entryView
	Number int    // on the page, from 1
	Path   string // opens the entry, or closes it
	Open   bool
	Same   string    // how many equal ones the row stands for, or "": one
	First  time.Time // of the oldest of them
}

// AuditLog answers GET /settings/audit-log: the newest entries first, in pages, with one entry
// open.
func (h *Handler) AuditLog(c *fiber.Ctx, p *ui.Principal) error {
	query, at, err := parseAuditQuery(c)
	if err != nil {
		return err
	}
	ctx := c.UserContext()
	filters, offered, err := h.auditFilters(ctx, p, query)
	if err != nil {
		return err
	}
	view := auditView{
		Path:    p.Path("/settings/audit-log"),
		Keys:    p.Path("/settings/api-keys"),
		Filters: filters,
	}
	if view.Layout, err = h.settings.Layout(c, p, "Audit log", "audit-log"); err != nil {
		return err
	}
	if len(filters.Errors()) > 0 {
		view.Title = ui.TitleOf(view.Title, fiber.StatusBadRequest)
		return h.Render(c, fiber.StatusBadRequest, "audit", &view)
	}
	view.CSV = withQuery(view.Path+".csv", filters.query())
	page, err := loadPage(at, func(page audit.Page) ([]audit.Entry, error) {
		page.Filter = filters.filter
		return h.entries(ctx, p, page)
	})
	if err != nil {
		return err
	}
	names, err := h.namesIn(ctx, p, page.entries, offered)
	if err != nil {
		return err
	}
	others, err := h.Log.Counterparts(ctx, p.Organisation.ID, page.entries)
	if err != nil {
		return err
	}
	view.fill(auditRows{page.entries, others, filters.filter, at.entry, h.Now()}, page, at, names)
	return h.Render(c, fiber.StatusOK, "audit", &view)
}

// Second shows an instant in the zone of the filters, which the script keeps.
func (view *auditView) Second(t time.Time) template.HTML {
	return ui.SecondIn(t, view.Filters.zone)
}

// entries returns a page of the organisation's log.
func (h *Handler) entries(
	ctx context.Context, p *ui.Principal, page audit.Page,
) ([]audit.Entry, error) {
	entries, err := h.Log.List(ctx, p.Organisation.ID, page)
	if err != nil {
		return nil, err
	}
	return entries, ui.AuthorizeAll(p, authz.ReadAuditLog, entries, func(e audit.Entry) string {
		return e.OrganisationID
	})
}

// auditFilters reads the filters of an address, and their options.
func (h *Handler) auditFilters(
	ctx context.Context, p *ui.Principal, query map[string][]string,
) (f auditFilters, offered auditOptions, err error) {
	if offered.keys, err = h.Keys.List(ctx, p.KeyActor()); err != nil {
		return f, offered, err
	}
	if offered.people, err = h.Log.People(ctx, p.Organisation.ID); err != nil {
		return f, offered, err
	}
	if offered.forks, err = ui.ForksOf(ctx, h.Forks, p); err != nil {
		return f, offered, err
	}
	return newAuditFilters(h.Now(), query, offered), offered, nil
}

// namesIn returns the names of what the entries mention. It loads groups only if an export is of
// one.
func (h *Handler) namesIn(
	ctx context.Context, p *ui.Principal, entries []audit.Entry, offered auditOptions,
) (nameIndex, error) {
	names := nameIndex{
		keys:   map[string]apikeys.Key{},
		forks:  map[string]games.Fork{},
		groups: map[string]string{},
	}
	for _, k := range offered.keys {
		names.keys[k.ID] = k
	}
	for _, f := range offered.forks {
		names.forks[f.ID] = f
	}
	i := slices.IndexFunc(entries, func(e audit.Entry) bool {
		return isExport(e) && e.Details["groupId"] != nil
	})
	if i < 0 {
		return names, nil
	}
	groups, err := ui.GroupsOf(ctx, h.Groups, p, authz.ReadAuditLog,
		textOf(entries[i].Details["groupId"]))
	for _, g := range groups {
		names.groups[g.ID] = g.Name
	}
	return names, err
}

// fill sets the rows and the paths of the neighbouring pages.
func (view *auditView) fill(rows auditRows, page auditPage, at cursor, names nameIndex) {
	path := func(at cursor) string { return withQuery(view.Path, at.addTo(view.Filters.query())) }
	for i, r := range rows.folded() {
		row := auditRow{
			entryView: names.view(r.Entry),
			Number:    i + 1,
			Open:      r.ID == at.entry,
			First:     r.last,
		}
		if r.same > 1 {
			row.Same = ui.Count(int64(r.same))
		}
		row.Details = append(row.Details, names.ended(r)...)
		if isExport(r.Entry) {
			row.Action = "Export"
			row.Outcome = names.exportState(r)
		}
		if row.Open {
			row.Path = path(cursor{before: at.before, after: at.after})
		} else {
			row.Path = path(cursor{before: at.before, after: at.after, entry: r.ID}) + "#entry"
		}
		view.Rows = append(view.Rows, row)
	}
	switch {
	case page.newer && len(page.entries) > 0:
		view.Newer = path(cursor{after: page.entries[0].ID})
	case page.newer:
		view.Newer = path(cursor{})
	}
	if page.older {
		view.Older = path(cursor{before: page.entries[len(page.entries)-1].ID})
	}
}

// truncate cuts a text to n characters.
func truncate(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return strings.TrimRight(string(runes[:n-1]), " ") + "…"
	}
	return text
}
