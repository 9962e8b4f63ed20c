package reports_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit"
	"dg/web/internal/webtest"
)

const forkCells = `<a href="([^"]*)" title="[^"]*"><bdi class="cut">([^<]*)</bdi></a></th>` +
	`<td role="cell" data-label="12 weeks"><svg class="spark" role="img" aria-label="([^"]*)"[^>]*>(?:<path[^>]*>)*</svg></td>` +
	`<td role="cell" class="n" data-label="Plays">([^<]*)</td><td role="cell" class="n change" data-label="Change">(?:–|<b.*?</b>|0%)</td>` +
	`<td role="cell" class="n" data-label="Players">([^<]*)</td><td role="cell" class="n" data-label="Score">([^<]*)</td>` +
	`<td role="cell" data-label="Status"><span class="state([^"]*)">([^<]*)</span></td>`

const inWeeks = "Plays in each of the last 12 weeks, until yesterday: "

// The organisation's forks and no other, with how much they are played. They are found by title.
func TestReportsListForksByPlays(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
	other := w.Organisation("other")
	empty := w.Organisation("empty")
	fork := func(title, status string, suspended bool) testkit.Fork {
		return w.DB.Fork(testkit.Fork{
			OrganisationID: acme.ID, Title: title, Status: status, Suspended: suspended,
		})
	}
	archived := fork("Old", "archived", true)
	quiet := fork("Quiet", "", false)
	busy := fork("<b>Busy</b>", "", false)
	suspended := fork("Held", "", true)
	players := w.DB.Players(acme.ID, 2)
	last := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -1)
	for i := range 3 {
		w.DB.Play(testkit.Play{
			Fork: busy, Player: players[i/2],
			StartedAt: last.Add(time.Duration(i) * time.Millisecond),
		})
	}
	for fork, at := range map[testkit.Fork]time.Time{
		suspended: last.AddDate(0, 0, -27), archived: last,
	} {
		w.DB.Play(testkit.Play{Fork: fork, Player: players[0], StartedAt: at, CompletedAt: at})
	}
	// a day too early
	w.DB.Play(testkit.Play{
		Fork: suspended, Player: players[1],
		StartedAt: last.AddDate(0, 0, -27).Add(-time.Millisecond),
	})
	w.Played(other)

	b := w.SignedIn(t, acme.Admin)
	p := b.Get(acme.At("/reports")).Is(t, 200)
	require.Equal(t, [][]string{
		{
			acme.At("/reports/%s", busy.ID), "<b>Busy</b>",
			inWeeks + "0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3", "3", "2", "–", " on", "Active",
		},
		{
			acme.At("/reports/%s", suspended.ID), "Held",
			inWeeks + "0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0", "1", "1", "0.0%", " held", "Suspended",
		},
		{
			acme.At("/reports/%s", archived.ID), "Old",
			inWeeks + "0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1", "1", "1", "0.0%", "", "Archived",
		},
		{
			acme.At("/reports/%s", quiet.ID), "Quiet", "No plays in 12 weeks", "0", "0", "–",
			" on", "Active",
		},
	}, testkit.Cells(forkCells, p.Body))
	p.Has(t, `<time datetime="2026-01-01T00:00:00.000Z" data-local="day">1 Jan 2026</time>`)
	p.Lacks(t, "Next →")
	require.Equal(t, [][]string{{"Plays", "5"}, {"Players", "2"}, {"Completion rate", "40.0%"}},
		testkit.Cells(webtest.FigureCells, p.Body), "over all forks, the archived too")

	p = b.Get(acme.At("/reports?q=BUSY")).Has(t, "1 of 4 forks.")
	require.Equal(t, "<b>Busy</b>", testkit.Cells(forkCells, p.Body)[0][1])
	b.Get(acme.At("/reports?q=none+of+them")).Has(t, "No fork matches “<bdi>none of them</bdi>”</h2>")
	w.SignedIn(t, empty.Owner).Get(empty.At("/reports")).Is(t, 200).
		Has(t, "<h2>No forks yet</h2>").Lacks(t, "<table")
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
		w.DB.Plays(fork, len(players), time.Now().AddDate(0, 0, -1), 0)
	}
	b := w.SignedIn(t, o.Owner)
	list := b.Get(o.At("/reports")).Lacks(t, "<script>a", "<img", "<b>", "href=\"javascript:")
	for i, name := range names {
		p := b.Get(o.At("/reports/%s?groupId=%s", forks[i], groups[i])).Is(t, 200)
		p.Lacks(t, "<script>a", "<img", "<b>", "href=\"javascript:")
		all := b.Get(o.At("/reports/%s/players?groupId=%s", forks[i], groups[i])).
			Lacks(t, "<script>a", "<img", "<b>", "href=\"javascript:")
		require.Equal(t, [][]string{{name}}, testkit.Cells(`<h1><bdi>([^<]*)</bdi></h1>`, p.Body),
			"the title, isolated")
		require.Equal(t, [][]string{{name}},
			testkit.Cells(`<p class="lede[^"]*"><span class="only-print">[^<]*<bdi>([^<]*)</bdi> ·&nbsp;</span>Names</p>`, p.Body),
			"the group, isolated")
		require.Contains(t, fmt.Sprint(testkit.Cells(playerCells, all.Body)), name)
		require.Contains(t, fmt.Sprint(testkit.Cells(forkCells, list.Body)), name)
		csv := b.Get(o.At("/reports/%s/plays.csv?groupId=%s", forks[i], groups[i])).Is(t, 200)
		require.Regexp(t,
			`^attachment; filename="[A-Za-z0-9_-]{1,80}_[0-9-]{10}_[0-9-]{10}_group-[0-9a-f-]{36}\.csv"$`,
			csv.Header.Get("Content-Disposition"))
		require.NotRegexp(t, `(?m)(^|,)"?=`, csv.Body, "a formula begins a cell")
	}
}

// The list has the menu of groups: a group that is chosen there, or on the organisation's page, is that
// of the reports that open.
func TestReportsOpenForTheChosenGroup(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
	other := w.Organisation("other")
	group := w.DB.GroupNamed(acme.ID, "Night shift", w.DB.Players(acme.ID, 2)...)
	w.DB.GroupNamed(other.ID, "Theirs")
	fork := w.DB.Fork(testkit.Fork{OrganisationID: acme.ID, Title: "Fork"})
	b := w.SignedIn(t, acme.Admin)
	require.Equal(t, acme.At("/reports?groupId="+group), b.Get(acme.At("/settings/organisation")).Link("<bdi>Night shift"))
	list := b.Get(acme.At("/reports")).Lacks(t, "Theirs")
	chosen := b.Get(list.Link("<bdi>Night shift")).Has(t, "The links open the reports of <bdi>Night shift</bdi>")
	report := chosen.Link(`<bdi class="cut">Fork`)
	require.Equal(t, acme.At("/reports/%s?groupId=%s", fork.ID, group), report)
	b.Get(report).Has(t, "This group’s figures are hidden")
}
