package web_test

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var commandOnPage = regexp.MustCompile(`<code id="command\d*">([^<]*)</code>`)

// parseCommand returns the request that a command on a page makes.
func parseCommand(t *testing.T, text string) (address string, query url.Values) {
	t.Helper()
	m := regexp.MustCompile(`^curl -sS -G '([^']+)' \\\n  (-d .*) \\\n  -H "Authorization: Bearer \$DG_KEY"$`).FindStringSubmatch(text)
	require.NotNil(t, m, "%q", text)
	query, err := url.ParseQuery(strings.ReplaceAll(strings.TrimPrefix(m[2], "-d "), " -d ", "&"))
	require.NoError(t, err)
	return m[1], query
}

// The settings list every group with its id to copy, 100 on a page, and a command for each that the API answers.
func TestSettingsListGroupIDs(t *testing.T) {
	t.Parallel()
	w := start(t)
	o, other := w.organisation("acme"), w.organisation("other")
	fork := w.played(o)
	ids := map[string]string{}
	for i := range 201 {
		name := fmt.Sprintf("Group %03d", i)
		ids[w.db.GroupNamed(o.ID, name)] = name
	}
	foreign := w.db.GroupNamed(other.ID, "theirs")
	b, get := w.signedIn(t, o.owner), w.beside(t, o)
	listed := regexp.MustCompile(`<bdi>([^<]*)</bdi></th><td role="cell" data-label="Id"><div class="id-and-command"><span class="id"><code id="group-id\d+">([0-9a-f-]{36})</code>`)
	found := map[string]string{}
	for page, want := range map[string]int{"": 100, "?page=2": 100, "?page=3": 1} {
		body := b.get(o.at("/settings/organisation%s", page)).body
		rows := listed.FindAllStringSubmatch(body, -1)
		require.Len(t, rows, want, page)
		for _, row := range rows {
			found[row[2]] = row[1]
		}
		require.NotContains(t, body, foreign)
		commands := commandOnPage.FindAllStringSubmatch(body, -1)
		require.Len(t, commands, want)
		address, query := parseCommand(t, html.UnescapeString(commands[0][1]))
		require.Equal(t, w.url+"/api/v1/forks/"+fork+"/stats", address)
		require.Equal(t, rows[0][2], query.Get("groupId"))
		require.Equal(t, 200, get("/forks/"+fork+"/stats?"+query.Encode()).StatusCode)
	}
	require.Equal(t, ids, found)
	require.Contains(t, b.get(o.at("/settings/organisation")).body, `<span>1–100 of 201</span>`)
	require.Contains(t, w.get(t, other).body, "<code id=\"group-id0\">"+foreign+"</code>")
	require.NotContains(t, w.get(t, other).body, `<code id="command`, "without a fork there is nothing to read")
}

func (w *world) get(t *testing.T, o *organisation) page {
	t.Helper()
	return w.signedIn(t, o.admin).get(o.at("/settings/organisation"))
}

// The dashboard shows the ids of its fork and group, and the command for its own period.
func TestDashboardShowsItsCall(t *testing.T) {
	t.Parallel()
	w := start(t)
	o := w.organisation("acme")
	fork := w.played(o)
	group := w.db.GroupNamed(o.ID, "Sales") // its figures are hidden, its id is not
	b, get := w.signedIn(t, o.owner), w.beside(t, o)
	for _, query := range []url.Values{
		{"from": {"2026-03-01"}, "to": {"2026-03-31"}},
		{"from": {"2026-03-01"}, "to": {"2026-03-31"}, "groupId": {group}},
	} {
		body := b.get(o.at("/reports/%s?%s", fork, query.Encode())).body
		address, asked := parseCommand(t, html.UnescapeString(commandOnPage.FindStringSubmatch(body)[1]))
		require.Equal(t, w.url+"/api/v1/forks/"+fork+"/stats", address)
		require.Equal(t, query, asked)
		require.Equal(t, 200, get("/forks/"+fork+"/stats?"+asked.Encode()).StatusCode)
		require.Contains(t, body, `<code id="fork-id">`+fork+`</code>`)
		require.Equal(t, query.Has("groupId"), strings.Contains(body, `<code id="group-id">`+group+`</code>`))
		require.Contains(t, body, `href="`+o.at("/settings/organisation#groups")+`"`)
	}
	require.NotContains(t, b.get(o.at("/reports/%s?from=x", fork)).body, `id="command"`, "an invalid period makes no command")
}
