package reports_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/web/internal/webtest"
)

// Up to 20 groups are chosen from a list. More are found by name, which leads to the report or to a
// choice.
func TestGroupsAreFoundByName(t *testing.T) {
	t.Parallel()
	w, o, b := webtest.StartAsOwner(t)
	other := w.Organisation("other")
	fork := w.Played(o)
	for i := range 19 {
		w.DB.GroupNamed(o.ID, fmt.Sprintf("Group %03d", i))
	}
	w.DB.GroupNamed(other.ID, "Équipe of others")
	team := w.DB.GroupNamed(o.ID, "Équipe de nuit")
	b.Get(o.At("/reports/%s", fork)).Has(t, `<select id="group" name="groupId">`)
	twins := []string{w.DB.GroupNamed(o.ID, "Twins"), w.DB.GroupNamed(o.ID, "Twins")}
	for i := range 500 {
		w.DB.GroupNamed(o.ID, fmt.Sprintf("Many %03d", i))
	}
	last := w.DB.GroupNamed(o.ID, "Zz")

	b.Get(o.At("/reports/%s?groupId=%s", fork, last)).Lacks(t, `<select id="group"`).
		Has(t, `name="find" list="groups" value="Zz"`)
	ask := func(search, chosen string) webtest.Page {
		return b.Get(o.At("/reports/%s?from=2026-03-01&to=2026-03-31&skills=weakest&groupId=%s&find=%s",
			fork, chosen, url.QueryEscape(search)))
	}
	for name, c := range map[string]struct{ search, chosen, want string }{
		"by its name":           {"EQUIPE DE NUIT", "", team},
		"by a part of it":       {" nuit ", last, team},
		"none":                  {"  ", team, ""},
		"the chosen one of two": {"twins", twins[1], twins[1]},
		"beyond the first 500":  {"zz", "", last},
	} {
		p := ask(c.search, c.chosen).Is(t, 303)
		u, err := url.Parse(p.Header.Get("Location"))
		require.NoError(t, err)
		want := url.Values{"from": {"2026-03-01"}, "to": {"2026-03-31"}, "skills": {"weakest"}}
		if c.want != "" {
			want.Set("groupId", c.want)
		}
		require.Equal(t, want, u.Query(), name)
	}
	p := ask("Twins", "").Is(t, 200).Lacks(t, "Average score")
	links := webtest.Cells(
		`<li><a class="alone" href="([^"]*)"><bdi>Twins</bdi></a> <small class="mono">([^<]*)</small>`,
		p.Body,
	)
	require.ElementsMatch(t, twins, []string{links[0][1], links[1][1]})
	b.Get(links[0][0]).Has(t, "This group’s figures are hidden")
	require.Equal(t, 50, strings.Count(ask("many", "").Body, `<li><a class="alone"`))
	ask("many", "").Has(t, "These are the first.")
	ask("a"+strings.Repeat("é", 300), "").Lacks(t, "\xc3”") // cut between characters
	for _, unknown := range []string{"nobody", "%", "of others", "<script>"} {
		ask(unknown, "").Has(t, "No group matches “<bdi>")
	}
}
