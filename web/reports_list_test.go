package web_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/fixtures"
)

const forkCells = `<a href="([^"]*)"><bdi>([^<]*)</bdi></a> <small class="mono"><bdi>([^<]*)</bdi></small></th>` +
	`<td role="cell" data-label="Status"><span class="state([^"]*)">([^<]*)</span></td><td role="cell" data-label="Visibility">([^<]*)</td>` +
	`<td role="cell" class="n" data-label="Release">([^<]*)</td><td role="cell" class="n" data-label="Plays \(28 days\)">([^<]*)</td>`

// The organisation's forks and no other, with how much they are played.
func TestReportsListForksByPlays(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme, other, empty := w.organisation("acme"), w.organisation("other"), w.organisation("empty")
	archived := w.db.Fork(fixtures.Fork{OrganisationID: acme.ID, Title: "Old", Slug: "old", Status: "archived", Release: 1, Suspended: true})
	quiet := w.db.Fork(fixtures.Fork{OrganisationID: acme.ID, Title: "Quiet", Slug: "quiet", Visibility: "restricted"})
	busy := w.db.Fork(fixtures.Fork{OrganisationID: acme.ID, Title: "<b>Busy</b>", Slug: "busy", Visibility: "organization", Release: 1200})
	suspended := w.db.Fork(fixtures.Fork{OrganisationID: acme.ID, Title: "Held", Slug: "held", Visibility: "organization", Release: 1, Suspended: true})
	player := w.db.Players(acme.ID, 1)[0]
	today := time.Now().UTC().Truncate(24 * time.Hour)
	for i := range 3 {
		w.db.Play(fixtures.Play{Fork: busy, Player: player, StartedAt: today.Add(time.Duration(i) * time.Millisecond)})
	}
	for fork, at := range map[fixtures.Fork]time.Time{suspended: today.AddDate(0, 0, -27), archived: today} {
		w.db.Play(fixtures.Play{Fork: fork, Player: player, StartedAt: at})
	}
	w.db.Play(fixtures.Play{Fork: suspended, Player: player, StartedAt: today.AddDate(0, 0, -27).Add(-time.Millisecond)}) // a day too early
	w.played(other)

	p := w.signedIn(t, acme.admin).get(acme.at("/reports"))
	require.Equal(t, http.StatusOK, p.StatusCode)
	require.Equal(t, [][]string{
		{acme.at("/reports/%s", busy.ID), "<b>Busy</b>", "busy", " on", "Active", "Organisation", "1,200", "3"},
		{acme.at("/reports/%s", suspended.ID), "Held", "held", " held", "Suspended", "Organisation", "1", "1"},
		{acme.at("/reports/%s", quiet.ID), "Quiet", "quiet", " on", "Active", "Restricted", "None", "0"},
		{acme.at("/reports/%s", archived.ID), "Old", "old", "", "Archived", "Public", "1", "1"},
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
