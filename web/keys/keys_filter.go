package keys

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/web/ui"
)

// keysQuery selects and sorts the keys of the list. Unknown values are ignored.
type keysQuery struct{ Search, Show, Sort string }

// The first option of each field is the default.
var (
	showOptions = [][2]string{
		{"", "All"}, {"unused", "Unused in 30 days"}, {"expiring", "Expiring soon"}, {"expired", "Expired"},
	}
	sortOptions = [][2]string{
		{"", "Newest"}, {"name", "Name"}, {"used", "Last used"}, {"expiry", "Expires"},
	}
)

// ShowOptions and SortOptions are for the template.
func (keysQuery) ShowOptions() [][2]string { return showOptions }
func (keysQuery) SortOptions() [][2]string { return sortOptions }

func parseKeysQuery(c *fiber.Ctx) keysQuery {
	chosen := func(name string, options [][2]string) string {
		i := slices.IndexFunc(options, func(o [2]string) bool { return o[0] == c.Query(name) })
		return options[max(i, 0)][0]
	}
	// a token is redacted to its keyRow.MaskedID
	search := apikeys.Redact(strings.ToValidUTF8(strings.TrimSpace(c.Query("q")), "\uFFFD"))
	return keysQuery{search, chosen("show", showOptions), chosen("sort", sortOptions)}
}

// IsSet reports whether the query filters the list. Sorting does not count.
func (q keysQuery) IsSet() bool { return q.Search != "" || q.Show != "" }

func (q keysQuery) path(list, page string) string {
	query := url.Values{"q": {q.Search}, "show": {q.Show}, "sort": {q.Sort}, "page": {page}}
	maps.DeleteFunc(query, func(_ string, values []string) bool { return values[0] == "" })
	return list + "?" + query.Encode()
}

func (q keysQuery) filter(keys []apikeys.Key, now time.Time) []apikeys.Key {
	text := strings.ToLower(q.Search)
	keys = slices.DeleteFunc(slices.Clone(keys), func(k apikeys.Key) bool {
		searchable := strings.ToLower(strings.Join(
			[]string{k.Name, k.Description, apikeys.Mask(k.ID), k.CreatedBy.Name}, "\n"))
		// no key matches "…" and "_…", which are a redacted secret without an id
		return strings.TrimPrefix(text, "_") == "…" || !strings.Contains(searchable, text) || !q.matches(k, now)
	})
	if q.Sort != "" {
		slices.SortStableFunc(keys, q.compare)
	}
	return keys
}

func (q keysQuery) matches(k apikeys.Key, now time.Time) bool {
	expired := k.ExpiresAt != nil && !k.ExpiresAt.After(now) && !k.Revoked(now)
	usable := !expired && !k.Revoked(now)
	switch q.Show {
	case "unused":
		return usable && (k.LastUsedAt == nil || now.Sub(*k.LastUsedAt) > 30*ui.OneDay)
	case "expiring":
		return usable && k.ExpiresSoon(now)
	case "expired":
		return expired
	}
	return true
}

func (q keysQuery) compare(a, b apikeys.Key) int {
	instant := func(at *time.Time, none time.Time) time.Time {
		if at == nil {
			return none
		}
		return *at
	}
	switch q.Sort {
	case "used":
		return instant(b.LastUsedAt, time.Time{}).Compare(instant(a.LastUsedAt, time.Time{}))
	case "expiry":
		never := time.Unix(1<<40, 0)
		return instant(a.ExpiresAt, never).Compare(instant(b.ExpiresAt, never))
	}
	return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
}
