package web_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/fixtures"
)

const forkCells = `<a href="([^"]*)" title="[^"]*"><bdi class="cut">([^<]*)</bdi></a> <small class="mono"><bdi class="cut" title="[^"]*">([^<]*)</bdi></small></th>` +
	`<td role="cell" data-label="12 weeks"><svg class="spark" role="img" aria-label="([^"]*)"[^>]*>(?:<path[^>]*>)*</svg></td>` +
	`<td role="cell" class="n" data-label="Plays \(28 days\)">([^<]*)</td><td role="cell" class="n" data-label="Players \(28 days\)">([^<]*)</td>` +
	`<td role="cell" data-label="Status"><span class="state([^"]*)">([^<]*)</span></td><td role="cell" data-label="Visibility">([^<]*)</td>` +
	`<td role="cell" class="n" data-label="Release">([^<]*)</td>`

// titles are the forks in the list.
func titles(p page) (all []string) {
	for _, row := range cells(forkCells, p.body) {
		all = append(all, row[1])
	}
	return all
}

const inWeeks = "Plays in each of 12 weeks, the last one until today: "

// The organisation's forks and no other, with how much they are played.
func TestReportsListForksByPlays(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme, other, empty := w.organisation("acme"), w.organisation("other"), w.organisation("empty")
	archived := w.db.Fork(fixtures.Fork{OrganisationID: acme.ID, Title: "Old", Slug: "old", Status: "archived", Release: 1, Suspended: true})
	quiet := w.db.Fork(fixtures.Fork{OrganisationID: acme.ID, Title: "Quiet", Slug: "quiet", Visibility: "restricted"})
	busy := w.db.Fork(fixtures.Fork{OrganisationID: acme.ID, Title: "<b>Busy</b>", Slug: "busy", Visibility: "organization", Release: 1200})
	suspended := w.db.Fork(fixtures.Fork{OrganisationID: acme.ID, Title: "Held", Slug: "held", Visibility: "organization", Release: 1, Suspended: true})
	players := w.db.Players(acme.ID, 2)
	today := time.Now().UTC().Truncate(24 * time.Hour)
	for i := range 3 {
		w.db.Play(fixtures.Play{Fork: busy, Player: players[i/2], StartedAt: today.Add(time.Duration(i) * time.Millisecond)})
	}
	for fork, at := range map[fixtures.Fork]time.Time{suspended: today.AddDate(0, 0, -27), archived: today} {
		w.db.Play(fixtures.Play{Fork: fork, Player: players[0], StartedAt: at, CompletedAt: at})
	}
	w.db.Play(fixtures.Play{Fork: suspended, Player: players[1], StartedAt: today.AddDate(0, 0, -27).Add(-time.Millisecond)}) // a day too early
	w.played(other)

	p := w.signedIn(t, acme.admin).get(acme.at("/reports?archived=show"))
	require.Equal(t, http.StatusOK, p.StatusCode)
	require.Equal(t, [][]string{
		{acme.at("/reports/%s", busy.ID), "<b>Busy</b>", "busy", inWeeks + "0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3", "3", "2", " on", "Active", "Organisation", "1,200"},
		{acme.at("/reports/%s", suspended.ID), "Held", "held", inWeeks + "0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0", "1", "1", " held", "Suspended", "Organisation", "1"},
		{acme.at("/reports/%s", quiet.ID), "Quiet", "quiet", "No plays in 12 weeks", "0", "0", " on", "Active", "Restricted", "None"},
		{acme.at("/reports/%s", archived.ID), "Old", "old", inWeeks + "0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1", "1", "1", "", "Archived", "Public", "1"},
	}, cells(forkCells, p.body))
	require.Contains(t, p.body, `<time datetime="2026-01-01T00:00:00.000Z" data-local="day">1 Jan 2026</time>`)
	require.NotContains(t, p.body, "Pages of forks")
	require.Equal(t, [][]string{{"Plays", "5"}, {"Players", "2"}, {"Completion rate", "40.00%"}}, cells(figureCells, p.body), "over all forks, the archived too")

	none := w.signedIn(t, empty.owner).get(empty.at("/reports"))
	require.Equal(t, http.StatusOK, none.StatusCode)
	require.Contains(t, none.body, "<h2>No forks yet</h2>")
	require.NotContains(t, none.body, "<table")
}

// The overview stands beside the four weeks before, where there were plays.
func TestOverviewSaysWhatChanged(t *testing.T) {
	t.Parallel()
	w := start(t)
	o := w.organisation("acme")
	fork, today := w.fork(o), time.Now().UTC()
	w.db.Players(o.ID, 3)
	w.db.Plays(fork, 60, today, 0)
	b := w.signedIn(t, o.owner)
	require.NotContains(t, b.get(o.at("/reports")).body, "Compared with")
	w.db.Plays(fork, 50, today.AddDate(0, 0, -28), 0)
	p := b.get(o.at("/reports"))
	require.Contains(t, html.UnescapeString(p.body), "+10, up 20% from 50")
	require.Contains(t, p.body, ", the 28 days before.</p>")
}

// Forks are found by title and slug, archived ones too, which are folded otherwise.
func TestForksAreFoundAndFolded(t *testing.T) {
	t.Parallel()
	w := start(t)
	o := w.organisation("acme")
	for title, status := range map[string]string{"Alpha": "active", "Équipe": "active", "equipe 2": "archived", "Zulu": "archived", "B": "active", "C": "active"} {
		w.db.Fork(fixtures.Fork{OrganisationID: o.ID, Title: title, Slug: "slug-" + title, Status: status})
	}
	b := w.signedIn(t, o.owner)
	p := b.get(o.at("/reports?sort=title"))
	require.Equal(t, []string{"Alpha", "B", "C", "Équipe"}, titles(p))
	require.Contains(t, p.body, "2 archived forks")
	all := b.get(cells(`<a class="alone" href="([^"]*)">Show<`, p.body)[0][0])
	require.Equal(t, []string{"Alpha", "B", "C", "Équipe", "equipe 2", "Zulu"}, titles(all), "the order stays")
	require.Contains(t, all.body, `aria-sort="ascending"`)
	require.Equal(t, []string{"Équipe", "C", "B", "Alpha", "Zulu", "equipe 2"}, titles(b.get(o.at("/reports?sort=title&dir=desc&archived=show"))))
	for search, want := range map[string][]string{" EQUIPE ": {"Équipe", "equipe 2"}, "slug-z": {"Zulu"}, "none of them": nil, "%": nil} {
		p := b.get(o.at("/reports?sort=title&q=%s", url.QueryEscape(search)))
		require.Equal(t, want, titles(p), search)
		require.Contains(t, p.body, fmt.Sprintf("%d of 6 forks.", len(want)))
		require.Contains(t, p.body, `<input type="hidden" name="sort" value="title">`)
		require.Contains(t, cells(`<a class="alone" href="([^"]*)">Show all forks</a>`, p.body)[0][0], "/reports?sort=title")
	}
	// The heads of columns sort, and keep the rest.
	head := cells(`<th role="columnheader" scope="col" class="n"><a href="([^"]*)">Updated</a></th>`, b.get(o.at("/reports?archived=show")).body)[0][0]
	require.Equal(t, o.at("/reports?archived=show&sort=updated"), head)
}

// Every list has a bound: forks come a hundred to a page, each of them once.
func TestManyForksArePaged(t *testing.T) {
	t.Parallel()
	w := start(t)
	o := w.organisation("acme")
	var want []string
	for range 205 {
		want = append(want, o.at("/reports/%s", w.fork(o).ID))
	}
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
