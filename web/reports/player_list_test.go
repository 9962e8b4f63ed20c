package reports_test

import (
	"fmt"
	"html"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/fixtures"
	"dg/web/internal/webtest"
)

// label reads the pseudonym of a player.
func label(t *testing.T, w *webtest.World, p fixtures.Player) (label string) {
	t.Helper()
	require.NoError(t,
		w.DB.Owner.Pool.QueryRow(t.Context(), `select label from players where id = $1`, p.ID).
			Scan(&label))
	return label
}

// played60 stores a fork that 60 players have each played once, today.
func played60(w *webtest.World, o *webtest.Organisation) (fixtures.Fork, []fixtures.Player) {
	names := numbered(60)
	copy(names, []string{"Élodie Müller", "ELODIE", "Mélodie", "Straße", "محمد الأمين"})
	fork := w.Fork(o)
	players := w.DB.PlayersNamed(o.ID, names...)
	for i, p := range players {
		at := time.Now().UTC().Truncate(24 * time.Hour)
		w.DB.Play(fixtures.Play{
			Fork: fork, Player: p, StartedAt: at, CompletedAt: at, Score: 100 * i,
		})
	}
	return fork, players
}

// names are the labels in the list of players.
func names(p webtest.Page) (all []string) {
	for _, row := range webtest.Cells(playerCells, p.Body) {
		all = append(all, row[0])
	}
	slices.Sort(all)
	return all
}

// Players are found by the label that is shown, without regard to case, accents and spaces around
// it.
func TestPlayersAreFoundByTheirLabel(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	o := w.OrganisationOf(fixtures.Organisation{Slug: "acme", ReportingMode: "nominative"})
	fork, _ := played60(w, o)
	b := w.SignedIn(t, o.Owner)
	for search, want := range map[string][]string{
		"élo":       {"ELODIE", "Mélodie", "Élodie Müller"},
		"  muller ": {"Élodie Müller"},
		"STRASSE":   {"Straße"},
		"الأمين":    {"محمد الأمين"},
		"player 01": numbered(20)[10:],
		"%":         nil,
		"<i>":       nil,
		`\`:         nil,
	} {
		p := b.Get(o.At("/reports/%s?sort=label&player=%s", fork.ID, url.QueryEscape(search)))
		require.Equal(t, want, names(p), search)
		p.Has(t, fmt.Sprintf("%d of 60 players.", len(want)),
			`value="`+html.EscapeString(strings.TrimSpace(search))+`"`,
			`<input type="hidden" name="sort" value="label">`)
		require.Equal(t, len(want) > 0, strings.Contains(p.Body, `aria-sort="ascending"`),
			"sorted as before")
	}
	// The links of a search keep it, and the search keeps their choices.
	p := b.Get(
		o.At("/reports/%s?from=2026-01-01&to=%s&player=player&sort=best&dir=asc&skills=weakest",
			fork.ID, time.Now().UTC().Format(time.DateOnly)),
	)
	p.Has(t, "55 of 60 players.")
	next, err := url.Parse(webtest.Cells(`<a class="btn" href="([^"]*)">Next →</a>`, p.Body)[0][0])
	require.NoError(t, err)
	require.Equal(t, "2", next.Query().Get("page"))
	for name, value := range map[string]string{
		"player": "player",
		"sort":   "best",
		"dir":    "asc",
		"skills": "weakest",
		"from":   "2026-01-01",
	} {
		require.Equal(t, value, next.Query().Get(name), name)
	}
	all := webtest.Cells(`<a class="alone" href="([^"]*)">Show all players</a>`, p.Body)[0][0]
	require.NotContains(t, all, "player=")
	require.Contains(t, all, "dir=asc")
	b.Get(strings.TrimSuffix(all, "#p-h")).Has(t, "1–15 of 60")
}

// Under pseudonymous reporting nobody is found by a name, and a name is answered like any other
// text.
func TestSearchDoesNotKnowHiddenNames(t *testing.T) {
	t.Parallel()
	w, o, b := webtest.StartAsOwner(t)
	fork, players := played60(w, o)
	ask := func(search string) webtest.Page {
		return b.Get(o.At("/reports/%s?player=%s", fork.ID, url.QueryEscape(search)))
	}
	hidden := ask("ELODIE")
	unknown := ask("NOBODY")
	require.Empty(t, names(hidden))
	hidden.Has(t, "0 of 60 players.")
	require.Equal(t, strings.ReplaceAll(unknown.Body, "NOBODY", "ELODIE"), hidden.Body)
	label := label(t, w, players[59])
	require.Equal(t, []string{label}, names(ask(strings.ToLower(label))))
}

// A page of players can be reached by its number.
func TestPageOfPlayersIsReachedByNumber(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	o := w.OrganisationOf(fixtures.Organisation{Slug: "acme", ReportingMode: "nominative"})
	fork := w.Fork(o)
	for _, p := range w.DB.PlayersNamed(o.ID, numbered(101)...) {
		w.DB.Play(fixtures.Play{Fork: fork, Player: p, StartedAt: time.Now()})
	}
	b := w.SignedIn(t, o.Owner)
	p := b.Get(o.At("/reports/%s?sort=label&page=2", fork.ID))
	p.Has(t,
		`<input id="page" name="page" type="number" min="1" max="7" value="2" required><span>of 7</span>`)
	form := webtest.RegexpFind(t, `(?s)<form class="jump"(.*?)</form>`, p.Body)
	query := url.Values{"page": {"4"}}
	for _, hidden := range webtest.Cells(`<input type="hidden" name="([^"]*)" value="([^"]*)">`,
		form) {
		query.Set(hidden[0], hidden[1])
	}
	fourth := b.Get(strings.TrimSuffix(webtest.RegexpFind(t, `action="([^"]*)"`, form), "#p-h") +
		"?" + query.Encode())
	require.Equal(t, numbered(60)[45:], names(fourth))
	require.Equal(t, numbered(101)[90:],
		names(b.Get(o.At("/reports/%s?sort=label&page=77", fork.ID))), "the nearest page")
	require.Equal(t, "–", webtest.Cells(playerCells, p.Body)[0][2], "nothing was completed")
}
