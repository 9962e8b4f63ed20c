package reports_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit"
	"dg/web/internal/webtest"
)

// Players are sorted by each column in both directions, and paged. Order and page are in the address.
func TestPlayersAreSortedAndPaged(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	o := w.OrganisationOf(testkit.Organisation{Slug: "acme", ReportingMode: "nominative"})
	fork := w.Fork(o)
	names := numbered(60)
	for i := range names[:30] {
		names[i] = fmt.Sprintf("Twin %d", i/3)
	}
	random := rand.New(rand.NewPCG(11, 11))
	randomPlays(w, random, 200, 20, []testkit.Fork{fork}, w.DB.PlayersNamed(o.ID, names...),
		time.Now().UTC().AddDate(0, 0, -1))
	b := w.SignedIn(t, o.Owner)
	from := time.Now().UTC().AddDate(0, 0, -27).Format(time.DateOnly)
	to := time.Now().UTC().Format(time.DateOnly)
	base := o.At("/reports/%s?from=%s&to=%s", fork.ID, from, to)
	// the API's order: TestDashboardShowsTheFiguresOfTheAPI
	usual := allPlayers(b, b.Get(base))
	require.Greater(t, len(usual), 50)
	key := func(column int, row []string) string {
		if number := strings.TrimSuffix(row[column], "%"); column == 1 || column == 2 {
			return fmt.Sprintf("%8s", strings.Replace(number, "–", " ", 1))
		}
		return row[column]
	}
	for column, name := range []string{"label", "plays", "best", "passed", "last"} {
		for dir, sorted := range map[string]string{"": "ascending", "-": "descending"} {
			want := slices.Clone(usual)
			slices.SortStableFunc(want, func(a, b []string) int {
				if dir == "-" {
					a, b = b, a
				}
				return strings.Compare(key(column, a), key(column, b))
			})
			p := b.Get(base + "&sort=" + dir + name)
			require.Equal(t, want, allPlayers(b, p), "%s%s", dir, name)
			require.Len(t, webtest.Cells(`(aria-sort)="`+sorted+`"`, p.Body), 1)
			require.Len(t, webtest.Cells(`(aria-sort)=`, p.Body), 1)
		}
	}
	// The head of a column sorts by it, then in reverse, and keeps period and group.
	head := func(p webtest.Page) string {
		return strings.TrimSuffix(p.Link("Best score</a></th>"), "#p-h")
	}
	first := head(b.Get(base))
	require.Contains(t, first, "from="+from)
	once := b.Get(first).Has(t, `aria-sort="descending"><a href="`)
	twice := b.Get(head(once)).Has(t, `aria-sort="ascending"><a href="`)
	require.Contains(t, head(twice), "sort=-best&to=")
	// Invalid parameters give the usual order and the nearest page.
	for _, more := range []string{"&sort=nothing", "&page=0", "&page=x", "&sort=--plays"} {
		require.Equal(t, webtest.Cells(playerCells, b.Get(base).Body),
			webtest.Cells(playerCells, b.Get(base+more).Body), more)
	}
	require.Equal(t, usual[len(usual)-len(usual)%15:],
		webtest.Cells(playerCells, b.Get(base+"&page=9999999999").Body))
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
	o := w.OrganisationOf(testkit.Organisation{
		Slug: "acme", Name: names[0], ReportingMode: "nominative",
	})
	players := w.DB.PlayersNamed(o.ID, append(slices.Clone(names), numbered(5)...)...)
	forks := make([]string, len(names))
	groups := make([]string, len(names))
	for i, name := range names {
		fork := w.DB.Fork(testkit.Fork{
			OrganisationID: o.ID, Title: name, Slug: fmt.Sprintf("%.190s %d", name, i),
		})
		forks[i] = fork.ID
		groups[i] = w.DB.GroupNamed(o.ID, name, players...)
		w.DB.Plays(fork, len(players), time.Now(), 0)
	}
	b := w.SignedIn(t, o.Owner)
	list := b.Get(o.At("/reports")).Lacks(t, "<script>a", "<img", "<b>", "href=\"javascript:")
	for i, name := range names {
		p := b.Get(o.At("/reports/%s?groupId=%s", forks[i], groups[i])).Is(t, 200)
		p.Lacks(t, "<script>a", "<img", "<b>", "href=\"javascript:")
		require.Equal(t, [][]string{{name}}, webtest.Cells(`<h1><bdi>([^<]*)</bdi></h1>`, p.Body),
			"the title, isolated")
		require.Equal(t, [][]string{{name}},
			webtest.Cells(`<p class="lede">[^<]*<bdi>([^<]*)</bdi>&nbsp;· Names</p>`, p.Body),
			"the group, isolated")
		require.Contains(t, fmt.Sprint(webtest.Cells(playerCells, p.Body)), name)
		require.Contains(t, fmt.Sprint(webtest.Cells(forkCells, list.Body)), name)
		csv := b.Get(o.At("/reports/%s/plays.csv?groupId=%s", forks[i], groups[i])).Is(t, 200)
		require.Regexp(t,
			`^attachment; filename="[A-Za-z0-9_-]{1,80}_[0-9-]{10}_[0-9-]{10}_group-[0-9a-f-]{36}\.csv"$`,
			csv.Header.Get("Content-Disposition"))
		require.NotRegexp(t, `(?m)(^|,)"?=`, csv.Body, "a formula begins a cell")
	}
}
