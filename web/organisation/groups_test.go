package organisation_test

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/web/internal/webtest"
)

var commandOnPage = regexp.MustCompile(`<code id="command\d*">([^<]*)</code>`)

// parseCommand returns the request of a curl command.
func parseCommand(t *testing.T, text string) (address string, query url.Values) {
	t.Helper()
	m := regexp.MustCompile(
		`^curl -sS -G '([^']+)' \\\n  (-d .*) \\\n  -H @- <<<"Authorization: Bearer \$DG_KEY"$`,
	).FindStringSubmatch(text)
	require.NotNil(t, m, "%q", text)
	query, err := url.ParseQuery(strings.ReplaceAll(strings.TrimPrefix(m[2], "-d "), " -d ", "&"))
	require.NoError(t, err)
	return m[1], query
}

// The settings list groups with their ids, 100 a page. More than 20 are searched by name, without case
// and accents.
func TestSettingsListGroupIDs(t *testing.T) {
	t.Parallel()
	w, o, b := webtest.StartAsOwner(t)
	other := w.Organisation("other")
	ids := map[string]string{}
	for i := range 201 {
		name := fmt.Sprintf("Group %03d", i)
		ids[w.DB.GroupNamed(o.ID, name)] = name
	}
	foreign := w.DB.GroupNamed(other.ID, "theirs")
	listed := regexp.MustCompile(
		`<bdi>([^<]*)</bdi></th><td role="cell" data-label="Id"><span class="id"><code id="group-id\d+">([0-9a-f-]{36})</code>`,
	)
	found := map[string]string{}
	for page, want := range map[string]int{"": 100, "?page=2": 100, "?page=3": 1} {
		body := b.Get(o.At("/settings/organisation%s", page)).Body
		rows := listed.FindAllStringSubmatch(body, -1)
		require.Len(t, rows, want, page)
		for _, row := range rows {
			found[row[2]] = row[1]
		}
		require.NotContains(t, body, foreign)
	}
	require.Equal(t, ids, found)
	b.Get(o.At("/settings/organisation")).Has(t, `<span>1–100 of 201</span>`)
	w.SignedIn(t, other.Admin).Get(other.At("/settings/organisation")).
		Has(t, `<code id="group-id0">`+foreign+"</code>").Lacks(t, `role="search"`)
	for search, want := range map[string]int{"group+07": 10, "GROUP": 50, "theirs": 0} {
		body := b.Get(o.At("/settings/organisation?q=%s", search)).Body
		require.Len(t, listed.FindAllString(body, -1), want, search)
		require.Equal(t, want == 50, strings.Contains(body, "Only the first 50 matches"))
		require.Equal(t, want == 0, strings.Contains(body, "No group matches."))
		require.Contains(t, body, `role="search"`)
	}
}

// The dashboard has the ids of its fork and group, and a command that reads its figures from the API.
func TestDashboardShowsItsCall(t *testing.T) {
	t.Parallel()
	w, o, b := webtest.StartAsOwner(t)
	fork := w.Played(o)
	group := w.DB.GroupNamed(o.ID, "Sales") // its figures are hidden, its id is not
	get := w.API(t, o)
	for _, query := range []url.Values{
		{"from": {"2026-03-01"}, "to": {"2026-03-31"}},
		{"from": {"2026-03-01"}, "to": {"2026-03-31"}, "groupId": {group}},
	} {
		body := b.Get(o.At("/reports/%s?%s", fork, query.Encode())).Body
		address, asked := parseCommand(t,
			html.UnescapeString(commandOnPage.FindStringSubmatch(body)[1]))
		require.Equal(t, w.URL+"/api/v1/forks/"+fork+"/stats", address)
		require.Equal(t, query, asked)
		get("/forks/"+fork+"/stats?"+asked.Encode()).Is(t, 200)
		require.Contains(t, body, `<code id="fork-id">`+fork+`</code>`)
		require.Equal(t, query.Has("groupId"),
			strings.Contains(body, `<code id="group-id">`+group+`</code>`))
		require.Contains(t, body, `href="`+o.At("/settings/organisation#groups")+`"`)
	}
	b.Get(o.At("/reports/%s?from=x", fork)).Lacks(t, `id="command"`)
}
