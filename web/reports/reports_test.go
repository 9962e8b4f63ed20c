package reports_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/fixtures"
	"dg/web/internal/webtest"
)

// Players can be sorted by every column, both ways, and paged; order and page are in the
// address. An oracle sorts the API's rows again.
func TestPlayersAreSortedAndPaged(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	o := w.OrganisationOf(fixtures.Organisation{Slug: "acme", ReportingMode: "nominative"})
	fork := w.Fork(o)
	names := numbered(60)
	for i := range names[:30] {
		names[i] = fmt.Sprintf("Twin %d", i/3)
	}
	random := rand.New(rand.NewPCG(11, 11))
	randomPlays(w, random, 200, 20, []fixtures.Fork{fork}, w.DB.PlayersNamed(o.ID, names...),
		time.Now().UTC().AddDate(0, 0, -1))
	b := w.SignedIn(t, o.Owner)
	from := time.Now().UTC().AddDate(0, 0, -27).Format(time.DateOnly)
	to := time.Now().UTC().Format(time.DateOnly)
	base := o.At("/reports/%s?from=%s&to=%s", fork.ID, from, to)
	// proved to be the API's, by TestDashboardShowsTheFiguresOfTheAPI
	usual := allPlayers(b, b.Get(base))
	require.Greater(t, len(usual), 50)
	key := func(column int, row []string) string {
		if number := strings.TrimSuffix(row[column], "%"); column == 1 || column == 2 {
			return fmt.Sprintf("%8s", strings.Replace(number, "–", " ", 1))
		}
		return row[column]
	}
	for column, name := range []string{"label", "plays", "best", "passed", "last"} {
		for _, dir := range []string{"asc", "desc"} {
			want := slices.Clone(usual)
			slices.SortStableFunc(want, func(a, b []string) int {
				if dir == "desc" {
					a, b = b, a
				}
				return strings.Compare(key(column, a), key(column, b))
			})
			p := b.Get(base + "&sort=" + name + "&dir=" + dir)
			require.Equal(t, want, allPlayers(b, p), "%s %s", name, dir)
			sorted := map[string]string{"asc": "ascending", "desc": "descending"}[dir]
			require.Len(t, webtest.Cells(`(aria-sort)="`+sorted+`"`, p.Body), 1)
			require.Len(t, webtest.Cells(`(aria-sort)=`, p.Body), 1)
		}
	}
	// The head of a column sorts by it, and a second click turns it round; both keep period and
	// group.
	head := func(p webtest.Page, column string) string {
		return strings.TrimSuffix(
			webtest.Cells(`<th scope="col"[^>]*><a href="([^"]*)">`+column+`</a></th>`,
				p.Body)[0][0], "#p-h",
		)
	}
	first := head(b.Get(base), "Best score")
	require.Contains(t, first, "from="+from)
	once := b.Get(first).Has(t, `aria-sort="descending"><a href="`)
	twice := b.Get(head(once, "Best score")).Has(t, `aria-sort="ascending"><a href="`)
	require.Contains(t, head(twice, "Best score"), "sort=best&to=")
	// What the address says wrongly is the usual order, and the nearest page.
	for _, more := range []string{"&sort=nothing", "&page=0", "&page=x", "&sort=plays&dir=down"} {
		require.Equal(t, webtest.Cells(playerCells, b.Get(base).Body),
			webtest.Cells(playerCells, b.Get(base+more).Body), more)
	}
	require.Equal(t, usual[len(usual)-len(usual)%15:], webtest.Cells(playerCells, b.Get(base+"&page=9999999999").Body),
		"beyond any number there is none: the first")
}

func TestReportsEscapeHostileNames(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	names := []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`,
		`=HYPERLINK("http://evil.example","x")`, "\u202egnp.exe\u2066",
		`{{.CSRF}}`, `</title></select></option><b>`, strings.Repeat("W", 200),
		"javascript:alert(1)", "' onload='x", "日本語 — Ünïcödé 🎲",
	}
	o := w.OrganisationOf(fixtures.Organisation{
		Slug: "acme", Name: names[0], ReportingMode: "nominative",
	})
	players := w.DB.PlayersNamed(o.ID, append(slices.Clone(names), numbered(5)...)...)
	forks := make([]string, len(names))
	groups := make([]string, len(names))
	for i, name := range names {
		fork := w.DB.Fork(fixtures.Fork{
			OrganisationID: o.ID, Title: name, Slug: fmt.Sprintf("%.190s %d", name, i),
		})
		forks[i] = fork.ID
		groups[i] = w.DB.GroupNamed(o.ID, name, players...)
		w.DB.Plays(fork, len(players), time.Now(), 0)
	}
	b := w.SignedIn(t, o.Owner)
	list := b.Get(o.At("/reports"))
	for i, name := range names {
		p := b.Get(o.At("/reports/%s?groupId=%s", forks[i], groups[i])).Is(t, 200)
		for _, page := range []webtest.Page{list, p} {
			page.Lacks(t, "<script>a", "<img", "<b>", "href=\"javascript:")
		}
		require.Equal(t, [][]string{{name}}, webtest.Cells(`<h1><bdi>([^<]*)</bdi></h1>`, p.Body),
			"the title, isolated")
		require.Equal(t, [][]string{{name}},
			webtest.Cells(`<p class="lede">[^<]*<bdi>([^<]*)</bdi>&nbsp;· Names</p>`, p.Body),
			"the group, isolated")
		require.Contains(t,
			webtest.Cells(playerCells+"()", p.Body)[0][0]+
				fmt.Sprint(webtest.Cells(playerCells, p.Body)), name)
		require.Contains(t, fmt.Sprint(webtest.Cells(forkCells, list.Body)), name)
		csv := b.Get(o.At("/reports/%s/plays.csv?groupId=%s", forks[i], groups[i])).Is(t, 200)
		require.Regexp(t,
			`^attachment; filename="[A-Za-z0-9_-]{1,80}_[0-9-]{10}_[0-9-]{10}_group-[0-9a-f-]{36}\.csv"$`,
			csv.Header.Get("Content-Disposition"))
		require.NotRegexp(t, `(?m)(^|,)"?=`, csv.Body, "a formula begins a cell")
	}
}
