package web

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/authz"
)

func (h *Handler) mountAuditLog(router routes) {
	router.Get("/settings/audit-log", h.member(authz.ReadAuditLog, h.showAuditLog))
	router.Get("/settings/audit-log.csv", h.member(authz.ReadAuditLog, h.downloadAuditLog()))
}

// entriesOnPage is how many entries a page of the log has.
const entriesOnPage = 50

// auditView is a page of the log, under what it is filtered by.
type auditView struct {
	layout
	Path, CSV    string // of the log without filters, and of the file with them
	Keys         string // of the organisation's keys
	Filters      auditFilters
	Rows         []auditRow
	Newer, Older string // paths, or ""
}

// auditRow is an entry in words.
type auditRow struct {
	entryView
	Nth  int    // on the page, from 1
	Path string // where it is opened, or closed
	Open bool
}

var errNoEntry = apperr.New(apperr.NotFound, "There is no such entry in this log, or the filters leave it out. Open the log without filters.")

// showAuditLog shows the log: newest first, by pages, with one entry opened.
func (h *Handler) showAuditLog(c *fiber.Ctx, p *principal) error {
	query, place, err := auditAddress(c)
	if err != nil {
		return err
	}
	ctx, stop := bounded(c.UserContext())
	defer stop()
	keys, err := h.Keys.List(ctx, p.actor())
	if err != nil {
		return err
	}
	people, err := h.Log.People(ctx, p.Organisation.ID)
	if err != nil {
		return err
	}
	view := auditView{Path: p.path("/settings/audit-log"), Keys: p.path("/settings/api-keys"), Filters: newAuditFilters(query, people, keys)}
	if view.layout, err = h.settingsLayout(c, p, "Audit log", "audit-log"); err != nil {
		return err
	}
	if view.Filters.wrong() {
		view.Title = titleOf(view.Title, fiber.StatusBadRequest)
		return h.render(c, fiber.StatusBadRequest, "audit", &view)
	}
	view.CSV = withQuery(view.Path+".csv", view.Filters.query())

	found, err := pageOfLog(place, func(page audit.Page) ([]audit.Entry, error) {
		page.Filter = view.Filters.filter
		return h.Log.List(ctx, p.Organisation.ID, page)
	})
	if err != nil {
		return err
	}
	forks, err := h.forksOf(ctx, p, found.entries)
	if err != nil {
		return err
	}
	names := nameIndex{keys: map[string]apikeys.Key{}, forks: forks}
	for _, k := range keys {
		names.keys[k.ID] = k
	}
	view.render(found, place, names)
	return h.render(c, fiber.StatusOK, "audit", &view)
}

// show turns the entries into rows and the places around them into paths.
func (view *auditView) render(found logPage, place logPlace, names nameIndex) {
	at := func(p logPlace) string { return withQuery(view.Path, p.in(view.Filters.query())) }
	for i, e := range found.entries {
		row := auditRow{entryView: names.words(e), Nth: i + 1, Open: e.ID == place.entry}
		if row.Open {
			row.Path = at(logPlace{before: place.before, after: place.after})
		} else {
			row.Path = at(logPlace{before: place.before, after: place.after, entry: e.ID}) + "#entry"
		}
		view.Rows = append(view.Rows, row)
	}
	switch {
	case found.newer && len(found.entries) > 0:
		view.Newer = at(logPlace{after: found.entries[0].ID})
	case found.newer:
		view.Newer = at(logPlace{})
	}
	if found.older {
		view.Older = at(logPlace{before: found.entries[len(found.entries)-1].ID})
	}
}

// logPlace is what an address says of a place in the log: the entries before or after one, and the one that is opened.
type logPlace struct{ before, after, entry int64 }

// in adds the place to the query of the filters.
func (p logPlace) in(query url.Values) url.Values {
	for name, id := range map[string]int64{"before": p.before, "after": p.after, "entry": p.entry} {
		if id != 0 {
			query.Set(name, strconv.FormatInt(id, 10))
		}
	}
	return query
}

// auditAddress reads the query of the request, which is not kept beyond it, and the place in the log that it names.
func auditAddress(c *fiber.Ctx) (url.Values, logPlace, error) {
	var p logPlace
	query, err := url.ParseQuery(string(c.Request().URI().QueryString()))
	if err != nil {
		return nil, p, apperr.New(apperr.Validation, "The address of this page cannot be read. Open the log again and choose the filters there.")
	}
	for name, id := range map[string]*int64{"before": &p.before, "after": &p.after, "entry": &p.entry} {
		text := query.Get(name)
		if text == "" {
			continue
		}
		if *id, err = strconv.ParseInt(text, 10, 64); err != nil || *id <= 0 {
			return nil, p, errNoEntry
		}
	}
	if p.before != 0 && p.after != 0 {
		return nil, p, apperr.New(apperr.Validation, "The address of this page names two places in the log. Open the log again.")
	}
	return query, p, nil
}

func withQuery(path string, query url.Values) string {
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

// logPage are the entries of a page, and whether there are others on either side of them.
type logPage struct {
	entries      []audit.Entry
	newer, older bool
}

// pageOfLog finds the page at a place. It asks for one entry more than it shows: whether there is one tells of the next page.
// The entry that is opened is on it, whatever has been appended since the address was made. Errors: ErrNotFound.
func pageOfLog(place logPlace, list func(audit.Page) ([]audit.Entry, error)) (logPage, error) {
	found, err := pageAt(place, list)
	if err != nil || place.entry == 0 || found.has(place.entry) {
		return found, err
	}
	entries, err := list(audit.Page{From: place.entry, Limit: entriesOnPage + 1})
	if err != nil {
		return logPage{}, err
	}
	if found = cutPage(entries, true); !found.has(place.entry) {
		return logPage{}, errNoEntry
	}
	return found, nil
}

func pageAt(place logPlace, list func(audit.Page) ([]audit.Entry, error)) (logPage, error) {
	if place.after != 0 {
		entries, err := list(audit.Page{After: place.after, Limit: entriesOnPage + 1})
		if err != nil {
			return logPage{}, err
		}
		if len(entries) > entriesOnPage {
			return logPage{entries: entries[1:], newer: true, older: true}, nil
		} // else these are fewer than a page: the first one has them too
	}
	entries, err := list(audit.Page{Before: place.before, Limit: entriesOnPage + 1})
	if err != nil {
		return logPage{}, err
	}
	return cutPage(entries, place.before != 0), nil
}

func cutPage(entries []audit.Entry, newer bool) logPage {
	return logPage{entries: entries[:min(len(entries), entriesOnPage)], newer: newer, older: len(entries) > entriesOnPage}
}

func (p logPage) has(entry int64) bool {
	return slices.ContainsFunc(p.entries, func(e audit.Entry) bool { return e.ID == entry })
}

// shortened is a text of at most n characters, for a place where there is no room for more.
func shortened(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return strings.TrimRight(string(runes[:n-1]), " ") + "…"
	}
	return text
}
