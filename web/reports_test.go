package web_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// change sets fields of the organisation's line with the id.
func (o *organisation) change(id string, fields map[string]any) {
	for _, line := range o.more {
		if line["id"] == id {
			maps.Copy(line, fields)
		}
	}
}

const forkCells = `<a href="([^"]*)"><bdi>([^<]*)</bdi></a> <small class="mono"><bdi>([^<]*)</bdi></small></th>` +
	`<td role="cell" data-label="Status"><span class="state([^"]*)">([^<]*)</span></td><td role="cell" data-label="Visibility">([^<]*)</td>` +
	`<td role="cell" class="n" data-label="Release">([^<]*)</td><td role="cell" class="n" data-label="Plays \(28 days\)">([^<]*)</td>`

// The organisation's forks and no other, with how much they are played.
func TestReportsListForksByPlays(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme, other, empty := newOrganisation("acme"), newOrganisation("other"), newOrganisation("empty")
	archived, quiet, busy, suspended := acme.withFork(), acme.withFork(), acme.withFork(), acme.withFork()
	acme.change(archived, map[string]any{"title": "Old", "slug": "old", "status": "archived", "visibility": "public", "suspended": true})
	acme.change(quiet, map[string]any{"title": "Quiet", "slug": "quiet", "visibility": "restricted", "deployedReleaseNumber": nil})
	acme.change(busy, map[string]any{"title": "<b>Busy</b>", "slug": "busy", "deployedReleaseNumber": 1200})
	acme.change(suspended, map[string]any{"title": "Held", "slug": "held", "suspended": true})
	theirs := other.withFork()
	player, stranger := acme.withPlayers("Ada")[0], other.withPlayers("Bo")[0]
	today := time.Now().UTC().Truncate(24 * time.Hour)
	for i := range 3 {
		acme.withPlay(busy, player, today.Add(time.Duration(i)*time.Millisecond), -1)
	}
	acme.withPlay(suspended, player, today.AddDate(0, 0, -27), 100)
	acme.withPlay(suspended, player, today.AddDate(0, 0, -27).Add(-time.Millisecond), 100) // a day too early
	acme.withPlay(archived, player, today, 100)
	other.withPlay(theirs, stranger, today, 100)
	w.load(t, acme, other, empty)

	p := w.signedIn(t, acme.admin).get(acme.at("/reports"))
	require.Equal(t, http.StatusOK, p.StatusCode)
	require.Equal(t, [][]string{
		{acme.at("/reports/%s", busy), "<b>Busy</b>", "busy", " on", "Active", "Organisation", "1,200", "3"},
		{acme.at("/reports/%s", suspended), "Held", "held", " held", "Suspended", "Organisation", "1", "1"},
		{acme.at("/reports/%s", quiet), "Quiet", "quiet", " on", "Active", "Restricted", "None", "0"},
		{acme.at("/reports/%s", archived), "Old", "old", "", "Archived", "Public", "1", "1"},
	}, cells(forkCells, p.body))
	require.Contains(t, p.body, `<time datetime="2026-01-01T00:00:00.000Z" data-local="day">1 Jan 2026</time>`)
	require.NotContains(t, p.body, "Pages of forks")

	none := w.signedIn(t, empty.owner).get(empty.at("/reports"))
	require.Equal(t, http.StatusOK, none.StatusCode)
	require.Contains(t, none.body, "<h2>No forks yet</h2>")
	require.NotContains(t, none.body, "<table")
}

// Every list has a bound: forks come a hundred to a page, each of them once.
func TestManyForksArePaged(t *testing.T) {
	t.Parallel()
	w := start(t)
	o := newOrganisation("acme")
	var want []string
	for range 205 {
		want = append(want, o.at("/reports/%s", o.withFork()))
	}
	w.load(t, o)
	b := w.signedIn(t, o.owner)
	var got []string
	p := b.get(o.at("/reports"))
	for _, shown := range []string{"1–100 of 205", "101–200 of 205", "201–205 of 205"} {
		require.Contains(t, p.body, shown)
		for _, row := range cells(forkCells, p.body) {
			got = append(got, row[0])
		}
		if next := cells(`<a class="btn" href="([^"]*)">Next →</a>`, p.body); next != nil {
			p = b.get(next[0][0])
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	require.Equal(t, want, got)
	require.Contains(t, b.get(o.at("/reports?page=99")).body, "201–205 of 205")
	require.Contains(t, b.get(o.at("/reports?page=-1")).body, "1–100 of 205")
}

// Players can be sorted by every column, both ways, and paged; order and page are in the
// address. An oracle sorts the API's rows again.
func TestPlayersAreSortedAndPaged(t *testing.T) {
	t.Parallel()
	w := start(t)
	o := newOrganisation("acme")
	o.mode = "nominative"
	fork := o.withFork()
	names := numbered(60)
	for i := range names[:30] {
		names[i] = fmt.Sprintf("Twin %d", i/3)
	}
	random := rand.New(rand.NewPCG(11, 11))
	o.withRandomPlays(random, 200, 20, []string{fork}, o.withPlayers(names...), time.Now().UTC().AddDate(0, 0, -1))
	w.load(t, o)
	b := w.signedIn(t, o.owner)
	from, to := time.Now().UTC().AddDate(0, 0, -27).Format(time.DateOnly), time.Now().UTC().Format(time.DateOnly)
	base := o.at("/reports/%s?from=%s&to=%s", fork, from, to)
	usual := allPlayers(b, b.get(base)) // proved to be the API's, by TestDashboardShowsTheFiguresOfTheAPI
	require.Greater(t, len(usual), 50)
	key := func(column int, row []string) string {
		if number := strings.TrimSuffix(row[column], "%"); column == 1 || column == 2 {
			return fmt.Sprintf("%8s", number)
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
			p := b.get(base + "&sort=" + name + "&dir=" + dir)
			require.Equal(t, want, allPlayers(b, p), "%s %s", name, dir)
			sorted := map[string]string{"asc": "ascending", "desc": "descending"}[dir]
			require.Len(t, cells(`(aria-sort)="`+sorted+`"`, p.body), 1)
			require.Len(t, cells(`(aria-sort)=`, p.body), 1)
		}
	}
	// The head of a column sorts by it, and a second click turns it round; both keep period and group.
	head := func(p page, column string) string {
		return strings.TrimSuffix(cells(`<th scope="col"[^>]*><a href="([^"]*)">`+column+`</a></th>`, p.body)[0][0], "#p-h")
	}
	first := head(b.get(base), "Best score")
	require.Contains(t, first, "from="+from)
	once := b.get(first)
	require.Contains(t, once.body, `aria-sort="descending"><a href="`)
	twice := b.get(head(once, "Best score"))
	require.Contains(t, twice.body, `aria-sort="ascending"><a href="`)
	require.Contains(t, head(twice, "Best score"), "sort=best&to=")
	// What the address says wrongly is the usual order, and the nearest page.
	for _, more := range []string{"&sort=nothing", "&page=0", "&page=x", "&sort=plays&dir=down"} {
		require.Equal(t, cells(playerCells, b.get(base).body), cells(playerCells, b.get(base+more).body), more)
	}
	require.Equal(t, usual[50:], cells(playerCells, b.get(base+"&page=9999999999").body), "beyond any number there is none: the first")
}

// Without days in the address it is the last 28.
func TestDashboardPeriodsAndPresets(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 23, 59, 59, 0, time.UTC)
	w := start(t)
	o := newOrganisation("acme")
	fork := o.withFork()
	group := o.withGroup("Western region", o.withPlayers(numbered(6)...)...)
	w.load(t, o)
	w = startOn(t, w.db, func() time.Time { return now })
	b := w.signedIn(t, o.owner)
	current := func(p page) string {
		return strings.Join(slices.Concat(cells(`<a href="[^"]*" aria-current="true">([^<]*days|[^<]*month[s]?)</a>`, p.body)...), ",")
	}
	for query, want := range map[string][2]string{ // the sentence under the title, and the presets that are marked
		"":                                  {"25 October to 21 November 2026, all players, with pseudonyms", "28 days"},
		"?group=" + group:                   {"25 October to 21 November 2026, <bdi>Western region</bdi>, with pseudonyms", "28 days"},
		"?from=2026-11-15&to=2026-11-21":    {"15 to 21 November 2026, all players, with pseudonyms", "7 days"},
		"?from=2025-11-22&to=2026-11-21":    {"22 November 2025 to 21 November 2026, all players, with pseudonyms", "12 months"},
		"?from=2026-10-01&to=2026-10-31":    {"1 to 31 October 2026, all players, with pseudonyms", "Last month"},
		"?from=2026-11-01&to=2026-11-21":    {"1 to 21 November 2026, all players, with pseudonyms", "This month"},
		"?from=2026-10-24&to=2026-11-20":    {"24 October to 20 November 2026, all players, with pseudonyms", ""},
		"?from=2026-11-21&to=2026-11-21":    {"21 November 2026, all players, with pseudonyms", ""},
		"?from=2025-11-21&to=2026-11-21&x=": {"21 November 2025 to 21 November 2026, all players, with pseudonyms", ""},
	} {
		p := b.get(o.at("/reports/%s%s", fork, query))
		require.Equal(t, http.StatusOK, p.StatusCode, query)
		require.Contains(t, p.body, `<p class="lede">`+want[0]+`</p>`, query)
		require.Equal(t, want[1], current(p), query)
		if strings.Contains(query, group) {
			require.Contains(t, p.body, `<option value="`+group+`" selected>Western region</option>`)
			require.Contains(t, p.body, "This group’s figures are hidden", "an idle group looks like a small one")
			require.Equal(t, 7, strings.Count(p.body, "from="), "six presets, and the way to all players")
			require.Equal(t, 6, strings.Count(p.body, "group="+group), "presets keep the group")
		}
	}
}

func TestInvalidPeriodIsExplained(t *testing.T) {
	t.Parallel()
	w := start(t)
	o := newOrganisation("acme")
	fork := o.withFork()
	group := o.withGroup("Western region", o.withPlayers(numbered(6)...)...)
	w.load(t, o)
	b := w.signedIn(t, o.owner)
	hostile := `"><script>alert(1)</script>`
	for query, want := range map[string]struct {
		sentence string
		invalid  int
	}{
		"?from=2025-01-01&to=2026-11-21":                            {"The period has 690 days. Choose 366 days or fewer.", 2},
		"?from=2000-01-01&to=2199-12-31":                            {"has 73,049 days", 2},
		"?from=2026-11-21&to=2026-11-20":                            {"“To” (20 November 2026) is before “From” (21 November 2026).", 2},
		"?from=2026-02-30&to=2026-11-20":                            {"“From” is not a date. Choose a date from 1 January 2000 to 31 December 2199.", 1},
		"?from=2026-11-20":                                          {"“To” is not a date.", 1},
		"?from=&to=":                                                {"“From” and “To” are not dates.", 2},
		"?from=1999-12-31&to=2000-01-01":                            {"“From” is not a date.", 1},
		"?to=2026-11-20&from=" + url.QueryEscape(hostile):           {"“From” is not a date.", 1},
		"?to=2026-11-20&from=" + strings.Repeat("9", 2_000):         {"“From” is not a date.", 1},
		"?to=%00&from=%FF%FE&group=" + url.QueryEscape(hostile+"'"): {"“From” and “To” are not dates.", 2},
	} {
		p := b.get(o.at("/reports/%s%s", fork, query))
		require.Equal(t, http.StatusBadRequest, p.StatusCode, query)
		require.Contains(t, p.body, want.sentence, query)
		require.Equal(t, want.invalid, strings.Count(p.body, `aria-invalid="true" aria-describedby="period-error"`), query)
		require.Contains(t, p.body, "<title>Error: ", query)
		require.Contains(t, p.body, "Invalid period", query)
		require.NotContains(t, p.body, "<script>alert", query)
		require.Less(t, len(p.body), 10_000)
		require.NotContains(t, p.body, "plays.csv", query)
	}
	kept := b.get(o.at("/reports/%s?from=2025-01-01&to=2026-11-21&group=%s", fork, group))
	require.Contains(t, kept.body, `name="from" type="date" value="2025-01-01"`)
	require.Contains(t, kept.body, `name="to" type="date" value="2026-11-21"`)
	require.Contains(t, kept.body, `<option value="`+group+`" selected>`)
}

// rules.md, Order of checks: an unknown fork or group, and another organisation's, are the same page.
func TestUnknownForkOrGroupIsNotFound(t *testing.T) {
	t.Parallel()
	w := start(t)
	o, other := newOrganisation("acme"), newOrganisation("other")
	fork, foreign := o.withFork(), other.withFork()
	group := other.withGroup("Secret group")
	w.load(t, o, other)
	b := w.signedIn(t, o.owner)
	for _, path := range []string{
		"/reports/" + foreign, "/reports/" + strings.ToUpper(fork), "/reports/x", "/reports/%00",
		"/reports/" + fork + "?group=" + group, "/reports/" + fork + "?group=x", "/reports/" + fork + "?group=00000000-0000-4000-8000-000000000000",
	} {
		p := b.get(o.at("%s", path))
		require.Equal(t, http.StatusNotFound, p.StatusCode, path)
		require.Contains(t, p.body, " not found. ", path)
		require.NotContains(t, p.body, "Secret")
	}
	require.Equal(t, http.StatusBadRequest, b.get(o.at("/reports/%s?group=%s&group=", fork, group)).StatusCode)
}

// Every list has a bound: 500 groups to choose from, by name, the chosen one among them in any case, and no other
// organisation's.
func TestDashboardOffersGroups(t *testing.T) {
	t.Parallel()
	w := start(t)
	o, other := newOrganisation("acme"), newOrganisation("other")
	fork := o.withFork()
	last := o.withGroup("Zebra")
	for i := range 501 {
		o.withGroup(fmt.Sprintf("Group %03d", i))
	}
	other.withGroup("Group 000 of others")
	w.load(t, o, other)
	b := w.signedIn(t, o.owner)
	offered := func(query string) [][]string {
		return cells(`<option value="[^"]+"(?: selected)?>([^<]*)</option>`, b.get(o.at("/reports/%s%s", fork, query)).body)
	}
	want := make([][]string, 500)
	for i := range want {
		want[i] = []string{fmt.Sprintf("Group %03d", i)}
	}
	require.Equal(t, want, offered(""))
	require.Equal(t, slices.Concat(want, [][]string{{"Zebra"}}), offered("?group="+last))
	require.Contains(t, b.get(o.at("/reports/%s?group=%s", fork, last)).body, `, <bdi>Zebra</bdi>, with pseudonyms</p>`)
}

// Reports are for owners and admins, at each request; the three screens alike.
func TestReportsAreForOwnersAndAdmins(t *testing.T) {
	t.Parallel()
	w := start(t)
	o, other := newOrganisation("acme"), newOrganisation("other")
	fork := o.withFork()
	o.withPlay(fork, o.withPlayers("Ada")[0], time.Now(), 5000)
	w.load(t, o, other)
	for _, path := range []string{o.at("/reports"), o.at("/reports/%s", fork), o.at("/reports/%s/plays.csv", fork)} {
		for want, b := range map[int][]*browser{
			http.StatusOK:        {w.signedIn(t, o.owner), w.signedIn(t, o.admin), w.signedIn(t, o.adminPlain)},
			http.StatusForbidden: {w.signedIn(t, o.member)}, http.StatusNotFound: {w.signedIn(t, other.owner)}, http.StatusSeeOther: {w.browser(t)},
		} {
			for _, b := range b {
				require.Equal(t, want, b.get(path).StatusCode, path)
			}
		}
		require.Equal(t, http.StatusMethodNotAllowed, w.signedIn(t, o.owner).post(path, url.Values{}).StatusCode)
	}
}

// The import refuses names of more than 200 characters or with control characters.
func TestReportsEscapeHostileNames(t *testing.T) {
	t.Parallel()
	w := start(t)
	names := []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `=HYPERLINK("http://evil.example","x")`, "\u202egnp.exe\u2066",
		`{{.CSRF}}`, `</title></select></option><b>`, strings.Repeat("W", 200), "javascript:alert(1)", "' onload='x", "日本語 — Ünïcödé 🎲",
	}
	o := newOrganisation("acme")
	o.mode, o.name = "nominative", names[0]
	players := o.withPlayers(append(slices.Clone(names), numbered(5)...)...)
	forks, groups := make([]string, len(names)), make([]string, len(names))
	for i, name := range names {
		forks[i], groups[i] = o.withFork(), o.withGroup(name, players...)
		o.change(forks[i], map[string]any{"title": name, "slug": fmt.Sprintf("%.190s %d", name, i)})
		for _, player := range players {
			o.withPlay(forks[i], player, time.Now(), 5000)
		}
	}
	w.load(t, o)
	for _, name := range []string{strings.Repeat("W", 10_000), "NUL \x00", "", " \t "} {
		o.change(groups[0], map[string]any{"name": name})
		require.ErrorContains(t, w.importing(t, o), "expected a text of 1 to 200 characters without control characters")
	}
	b := w.signedIn(t, o.owner)
	list := b.get(o.at("/reports"))
	for i, name := range names {
		p := b.get(o.at("/reports/%s?group=%s", forks[i], groups[i]))
		require.Equal(t, http.StatusOK, p.StatusCode, name)
		for _, page := range []page{list, p} {
			require.NotContains(t, page.body, "<script>a")
			require.NotContains(t, page.body, "<img")
			require.NotContains(t, page.body, "<b>")
			require.NotContains(t, page.body, "href=\"javascript:")
		}
		require.Equal(t, [][]string{{name}}, cells(`<h1><bdi>([^<]*)</bdi></h1>`, p.body), "the title, isolated")
		require.Equal(t, [][]string{{name}}, cells(`<p class="lede">[^<]*<bdi>([^<]*)</bdi>, with names</p>`, p.body), "the group, isolated")
		require.Contains(t, cells(playerCells+"()", p.body)[0][0]+fmt.Sprint(cells(playerCells, p.body)), name)
		require.Contains(t, fmt.Sprint(cells(forkCells, list.body)), name)
		csv := b.get(o.at("/reports/%s/plays.csv?group=%s", forks[i], groups[i]))
		require.Equal(t, http.StatusOK, csv.StatusCode)
		require.Regexp(t, `^attachment; filename="[A-Za-z0-9_-]{1,80}_[0-9-]{10}_[0-9-]{10}\.csv"$`, csv.Header.Get("Content-Disposition"))
		require.NotRegexp(t, `(?m)(^|,)"?=`, csv.body, "a formula begins a cell")
	}
}

// A screen is under 60 KB transferred, all its files together, and answered in under 50 ms. This is the
// heaviest: twelve months, every skill, a full page of players.
func TestYearDashboardIsSmall(t *testing.T) {
	t.Parallel()
	w := start(t)
	o := newOrganisation("acme")
	fork := o.withFork()
	o.withRandomPlays(rand.New(rand.NewPCG(12, 12)), 6_000, 365, []string{fork}, o.withPlayers(numbered(200)...), time.Now().UTC())
	for i := range 40 {
		o.withGroup(fmt.Sprintf("Group %d of the %s region", i, []string{"western", "eastern"}[i%2]))
	}
	w.load(t, o)
	b := w.signedIn(t, o.owner)
	now := time.Now().UTC()
	path := o.at("/reports/%s?from=%s&to=%s", fork, now.AddDate(-1, 0, 1).Format(time.DateOnly), now.Format(time.DateOnly))
	packed := func(path string) int {
		p := b.send(http.MethodGet, path, "", http.Header{"Accept-Encoding": {"gzip"}})
		require.Equal(t, "gzip", p.Header.Get("Content-Encoding"), path)
		z, err := gzip.NewReader(strings.NewReader(p.body))
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, z)
		require.NoError(t, err)
		return len(p.body)
	}
	total := packed(path)
	t.Logf("the page: %d bytes", total)
	for _, file := range regexp.MustCompile(`(?:href|src)="(/static/[^"]*\.(?:css|js)[^"]*)"`).FindAllStringSubmatch(b.get(path).body, -1) {
		total += packed(file[1])
	}
	t.Logf("with its files: %d bytes", total)
	require.Less(t, total, 60_000)
	best := time.Hour
	for range 5 {
		begun := time.Now()
		b.get(path)
		best = min(best, time.Since(begun))
	}
	t.Logf("answered in %s", best)
}
