package auditlog

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/web/ui"
)

const entriesPerPage = 50

// The parameters of the log's address: the filters, and those that its links add. An unknown one is
// rejected: without its filter the page would show other entries than intended.
var (
	filterParameters = []string{"actor", "action", "key", "reason", "fork", "from", "to", "period"}
	linkParameters   = []string{"zone", "before", "after", "entry"}
)

var errNoEntry = apperr.New(apperr.NotFound,
	"Entry not found. The filters may exclude it: open the audit log without filters.")

// cursor is a page of the log, before or after the entry with an id, and its open entry.
type cursor struct{ before, after, entry int64 }

// parameters returns the ids by their names in the address.
func (at *cursor) parameters() map[string]*int64 {
	return map[string]*int64{"before": &at.before, "after": &at.after, "entry": &at.entry}
}

// addTo adds the cursor to the query of the filters.
func (at cursor) addTo(query url.Values) url.Values {
	for name, id := range at.parameters() {
		if *id != 0 {
			query.Set(name, strconv.FormatInt(*id, 10))
		}
	}
	return query
}

// parseAuditQuery reads the query of the address, as a copy, and the cursor in it.
func parseAuditQuery(c *fiber.Ctx) (url.Values, cursor, error) {
	var at cursor
	query, err := url.ParseQuery(string(c.Request().URI().QueryString()))
	if err != nil {
		return nil, at, apperr.New(apperr.Validation,
			"The address of this page is invalid. Open the audit log and set the filters there.")
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		ofLink := slices.Contains(linkParameters, name)
		if !ofLink && !slices.Contains(filterParameters, name) {
			return nil, at, apperr.NewField(name,
				"The parameter “%s” in the address of this page is unknown. Use %s.",
				ui.Shortened([]byte(name)), strings.Join(filterParameters, ", "))
		}
		// The fields of the other filters show this error themselves.
		if (ofLink || name == "period") && len(query[name]) > 1 {
			return nil, at, ui.Repeated(name)
		}
	}
	for name, id := range at.parameters() {
		text := query.Get(name)
		if text == "" {
			continue
		}
		if *id, err = strconv.ParseInt(text, 10, 64); err != nil || *id <= 0 {
			return nil, at, errNoEntry
		}
	}
	if at.before != 0 && at.after != 0 {
		return nil, at, apperr.New(apperr.Validation,
			"The address of this page has both “before” and “after”. Open the audit log again.")
	}
	return query, at, nil
}

func withQuery(path string, query url.Values) string {
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

// auditPage is the entries of a page, and whether there are newer or older ones.
type auditPage struct {
	entries      []audit.Entry
	newer, older bool
}

// loadPage returns the page at the cursor. It lists one entry more than the page has, to know
// whether the log goes on. The open entry is on the page, whatever was appended since the address
// was made. Errors: apperr.NotFound.
func loadPage(at cursor, list func(audit.Page) ([]audit.Entry, error)) (auditPage, error) {
	page, err := pageBeside(at, list)
	if err != nil || at.entry == 0 || page.has(at.entry) {
		return page, err
	}
	entries, err := list(audit.Page{From: at.entry, Limit: entriesPerPage + 1})
	if err != nil {
		return auditPage{}, err
	}
	if page = cutPage(entries, true); !page.has(at.entry) {
		return auditPage{}, errNoEntry
	}
	return page, nil
}

func pageBeside(at cursor, list func(audit.Page) ([]audit.Entry, error)) (auditPage, error) {
	if at.after != 0 {
		entries, err := list(audit.Page{After: at.after, Limit: entriesPerPage + 1})
		if err != nil {
			return auditPage{}, err
		}
		if len(entries) > entriesPerPage {
			return auditPage{entries: entries[1:], newer: true, older: true}, nil
		} // fewer than a page: show the first page, which has them too
	}
	entries, err := list(audit.Page{Before: at.before, Limit: entriesPerPage + 1})
	if err != nil {
		return auditPage{}, err
	}
	return cutPage(entries, at.before != 0), nil
}

func cutPage(entries []audit.Entry, newer bool) auditPage {
	return auditPage{
		entries: entries[:min(len(entries), entriesPerPage)],
		newer:   newer,
		older:   len(entries) > entriesPerPage,
	}
}

func (p auditPage) has(entry int64) bool {
	return slices.ContainsFunc(p.entries, func(e audit.Entry) bool { return e.ID == entry })
}
