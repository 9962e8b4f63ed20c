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

	"dg/platform/testkit"
	"dg/web/internal/webtest"
)

// played60 stores a fork that 60 players have each played today. The last one did not complete it.
func played60(w *webtest.World, o *webtest.Organisation) (testkit.Fork, []testkit.Player) {
	names := numbered(60)
	copy(names, []string{"Élodie Müller", "ELODIE", "Mélodie", "Straße", "محمد الأمين"})
	fork := w.Fork(o)
	players := w.DB.PlayersNamed(o.ID, names...)
	at := time.Now().UTC().Truncate(24 * time.Hour)
	for i, p := range players {
		play := testkit.Play{Fork: fork, Player: p, StartedAt: at}
		if i < 59 {
			play.CompletedAt = at
			play.Score = 100 * i
		}
		w.DB.Play(play)
	}
	return fork, players
}

// names returns the labels in the list of players, sorted.
func names(p webtest.Page) (all []string) {
	for _, row := range webtest.Cells(playerCells, p.Body) {
		all = append(all, row[0])
	}
	slices.Sort(all)
	return all
}

// Players are found by their shown label, without regard to case, accents and surrounding spaces.
func TestPlayersAreFoundByTheirLabel(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	o := w.OrganisationOf(testkit.Organisation{Slug: "acme", ReportingMode: "nominative"})
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
	p := b.Get(o.At("/reports/%s?from=2026-01-01&to=%s&player=player&sort=best&skills=weakest",
		fork.ID, time.Now().UTC().Format(time.DateOnly))).Has(t, "55 of 60 players.")
	next, err := url.Parse(p.Link("Next →"))
	require.NoError(t, err)
	for name, value := range map[string]string{
		"page": "2", "player": "player", "sort": "best", "skills": "weakest",
		"from": "2026-01-01",
	} {
		require.Equal(t, value, next.Query().Get(name), name)
	}
	all := p.Link("Show all players")
	require.NotContains(t, all, "player=")
	require.Contains(t, all, "sort=best")
	b.Get(strings.TrimSuffix(all, "#p-h")).Has(t, "1–15 of 60")
}

// Under pseudonymous reporting the search does not know names: a name is answered like any text.
func TestSearchDoesNotKnowHiddenNames(t *testing.T) {
	t.Parallel()
	w, o, b := webtest.StartAsOwner(t)
	fork, players := played60(w, o)
	ask := func(search string) webtest.Page {
		return b.Get(o.At("/reports/%s?player=%s", fork.ID, url.QueryEscape(search)))
	}
	hidden := ask("ELODIE").Has(t, "0 of 60 players.")
	require.Empty(t, names(hidden))
	require.Equal(t, strings.ReplaceAll(ask("NOBODY").Body, "NOBODY", "ELODIE"), hidden.Body)
	label := testkit.One[string](w.DB, `select label from players where id = $1`, players[59].ID)
	require.Equal(t, []string{label}, names(ask(strings.ToLower(label))))
}
