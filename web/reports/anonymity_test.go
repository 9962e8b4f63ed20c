package reports_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit"
	"dg/web/internal/webtest"
)

// rules.md, Anonymity: a report by pseudonym warns of groups that lack 1 to 4 of its players, says
// what to do, and names neither a person nor a hidden group. The API and files do not warn.
func TestReportWarnsOfGroupsThatLackFewPlayers(t *testing.T) {
	t.Parallel()
	w, o, b := webtest.StartAsOwner(t)
	fork := w.Fork(o)
	players := w.DB.Players(o.ID, 14)
	day := time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC)
	for _, p := range players[:12] {
		w.DB.Play(testkit.Play{Fork: fork, Player: p, StartedAt: day})
	}
	sales := w.DB.GroupNamed(o.ID, "Sales", players[:9]...)
	w.DB.GroupNamed(o.ID, "Sales EU", players[:8]...)
	w.DB.GroupNamed(o.ID, "<Hidden>", players[8:13]...) // four played
	w.DB.GroupNamed(o.ID, "Half", players[:5]...)
	warnings := func(page string) (all []string) {
		for _, c := range testkit.Cells(`<li>(\w+ p[^<]* not in <bdi>[^<]*</bdi>: [^<]*)</li>`, page) {
			all = append(all, c[0])
		}
		return all
	}
	// a busy machine may take longer for a warning than it may take
	read := func(group string, count int) (page string) {
		path := o.At("/reports/%s?from=2026-03-11&to=2026-03-11&groupId=%s", fork.ID, group)
		require.Eventually(t, func() bool {
			page = b.Get(path).Is(t, 200).Body
			return len(warnings(page)) == count
		}, 20*time.Second, time.Millisecond)
		return page
	}
	page := read(sales, 2)
	require.Equal(t, []string{
		"4 people in this report are not in <bdi>Half</bdi>: comparing the two reports shows these people’s results.",
		"1 person in this report is not in <bdi>Sales EU</bdi>: comparing the two reports shows that person’s results.",
	}, warnings(page))
	require.Contains(t, page, "change the groups until they differ by at least 5 people")
	require.Contains(t, page, `<details class="compared warn no-print" id="overlaps">`, "what is printed is passed on")
	w.DB.Exec(`update organisations set reporting_mode = 'nominative' where id = $1`, o.ID)
	require.Empty(t, warnings(read(sales, 0)), "a name needs no comparison")
}

// rules.md, Anonymity: the list of groups marks those whose reports are hidden, idle ones too, and
// those of no other period, fork or organisation.
func TestHiddenGroupsAreMarked(t *testing.T) {
	t.Parallel()
	w, o, b := webtest.StartAsOwner(t)
	fork := w.Fork(o)
	players := w.DB.Players(o.ID, 9)
	day := time.Date(2026, 3, 11, 23, 59, 0, 0, time.UTC)
	for i, p := range players[:5] {
		w.DB.Play(testkit.Play{Fork: fork, Player: p, StartedAt: day})
		w.DB.Play(testkit.Play{Fork: fork, Player: p, StartedAt: day.AddDate(0, 0, 1)})
		w.DB.Play(testkit.Play{Fork: w.Fork(o), Player: players[4+i], StartedAt: day})
	}
	w.DB.GroupNamed(o.ID, "All", players...)
	w.DB.GroupNamed(o.ID, "Four", players[1:]...)
	w.DB.GroupNamed(o.ID, "Idle", players[5:]...)
	path := o.At("/reports/%s?from=2026-03-11&to=2026-03-11", fork.ID)
	require.Eventually(t, func() bool { // a busy machine may take longer than a mark may take
		marked := testkit.Cells(`<bdi>(\w+)</bdi>( <small>Hidden</small>)?</a>`, b.Get(path).Body)
		return fmt.Sprint(marked) == "[[All ] [Four  <small>Hidden</small>] [Idle  <small>Hidden</small>]]"
	}, 10*time.Second, 10*time.Millisecond)
}

// Under pseudonymous reporting the search does not know names: a name is answered like any text.
func TestSearchDoesNotKnowHiddenNames(t *testing.T) {
	t.Parallel()
	w, o, b := webtest.StartAsOwner(t)
	fork := w.Fork(o)
	players := w.DB.PlayersNamed(o.ID, "ELODIE", "Mélodie")
	for _, p := range players {
		w.DB.Play(testkit.Play{Fork: fork, Player: p, StartedAt: time.Now().AddDate(0, 0, -1)})
	}
	ask := func(search string) testkit.Page {
		return b.Get(o.At("/reports/%s/players?player=%s", fork.ID, url.QueryEscape(search)))
	}
	hidden := ask("ELODIE").Has(t, "0 of 2 players.")
	require.Equal(t, strings.ReplaceAll(ask("NOBODY").Body, "NOBODY", "ELODIE"), hidden.Body)
	label := testkit.One[string](w.DB, `select label from players where id = $1`, players[1].ID)
	found := testkit.Cells(playerCells, ask(strings.ToLower(label)).Has(t, "1 of 2 players.").Body)
	require.Equal(t, label, found[0][0])
}
