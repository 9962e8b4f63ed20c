package web

import (
	"context"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/games"
	"dg/platform/authz"
)

// auditView is a page of the log.
type auditView struct {
	layout
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
}

// auditLog answers GET /settings/audit-log: the newest entries first, in pages, with one entry open.
func (h *Handler) auditLog(c *fiber.Ctx, p *principal) error {
	query, at, err := parseAuditQuery(c)
	if err != nil {
		return err
	}
	ctx := c.UserContext()
	filters, keys, err := h.auditFilters(ctx, p, query)
	if err != nil {
		return err
	}
	view := auditView{Path: p.path("/settings/audit-log"), Keys: p.path("/settings/api-keys"), Filters: filters}
	if view.layout, err = h.settingsLayout(c, p, "Audit log", "audit-log"); err != nil {
		return err
	}
	if len(filters.Errors()) > 0 {
		view.Title = titleOf(view.Title, fiber.StatusBadRequest)
		return h.render(c, fiber.StatusBadRequest, "audit", &view)
	}
	view.CSV = withQuery(view.Path+".csv", filters.query())
	page, err := loadPage(at, func(page audit.Page) ([]audit.Entry, error) {
		page.Filter = filters.filter
		return h.entries(ctx, p, page)
	})
	if err != nil {
		return err
	}
	names, err := h.namesIn(ctx, p, page.entries, keys)
	if err != nil {
		return err
	}
	view.fill(page, at, names)
	return h.render(c, fiber.StatusOK, "audit", &view)
}

// entries returns a page of the organisation's log.
func (h *Handler) entries(ctx context.Context, p *principal, page audit.Page) ([]audit.Entry, error) {
	entries, err := h.Log.List(ctx, p.Organisation.ID, page)
	if err != nil {
		return nil, err
	}
	return entries, authorizeAll(p, authz.ReadAuditLog, entries, func(e audit.Entry) string { return e.OrganisationID })
}

// auditFilters reads the filters of an address, and the keys that they offer.
func (h *Handler) auditFilters(ctx context.Context, p *principal, query map[string][]string) (auditFilters, []apikeys.Key, error) {
	keys, err := h.Keys.List(ctx, p.keyActor())
	if err != nil {
		return auditFilters{}, nil, err
	}
	people, err := h.Log.People(ctx, p.Organisation.ID)
	if err != nil {
		return auditFilters{}, nil, err
	}
	return newAuditFilters(p.locale, query, people, keys), keys, nil
}

// namesIn returns the names of what the entries mention. It loads forks only if an entry mentions one.
func (h *Handler) namesIn(ctx context.Context, p *principal, entries []audit.Entry, keys []apikeys.Key) (nameIndex, error) {
	names := nameIndex{locale: p.locale, keys: map[string]apikeys.Key{}, forks: map[string]games.Fork{}}
	for _, k := range keys {
		names.keys[k.ID] = k
	}
	if !slices.ContainsFunc(entries, func(e audit.Entry) bool { return e.Target.Kind == "fork" && e.Action != audit.KeyRefused }) {
		return names, nil
	}
	forks, err := h.forks(ctx, p)
	for _, f := range forks {
		names.forks[f.ID] = f
	}
	return names, err
}

// fill sets the rows and the paths of the neighbouring pages.
func (view *auditView) fill(page auditPage, at cursor, names nameIndex) {
	path := func(at cursor) string { return withQuery(view.Path, at.addTo(view.Filters.query())) }
	for i, e := range page.entries {
		row := auditRow{entryView: names.view(e), Number: i + 1, Open: e.ID == at.entry}
		if row.Open {
			row.Path = path(cursor{before: at.before, after: at.after})
		} else {
			row.Path = path(cursor{before: at.before, after: at.after, entry: e.ID}) + "#entry"
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
