package web_test

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
)

// label reads the pseudonym of a player.
func (w *world) label(t *testing.T, p fixtures.Player) (label string) {
	t.Helper()
	require.NoError(t, w.db.Owner.Pool.QueryRow(t.Context(), `select label from players where id = $1`, p.ID).Scan(&label))
	return label
}

// played60 stores a fork that 60 players have each played once, today.
func (w *world) played60(o *organisation) (fixtures.Fork, []fixtures.Player) {
	names := numbered(60)
	copy(names, []string{"Élodie Müller", "ELODIE", "Mélodie", "Straße", "محمد الأمين"})
	fork, players := w.fork(o), w.db.PlayersNamed(o.ID, names...)
	for i, p := range players {
		at := time.Now().UTC().Truncate(24 * time.Hour)
		w.db.Play(fixtures.Play{Fork: fork, Player: p, StartedAt: at, CompletedAt: at, Score: 100 * i})
	}
	return fork, players
}

// names are the labels in the list of players.
func names(p page) (all []string) {
	for _, row := range cells(playerCells, p.body) {
		all = append(all, row[0])
	}
	slices.Sort(all)
	return all
}

// Players are found by the label that is shown, without regard to case, accents and spaces around it.
func TestPlayersAreFoundByTheirLabel(t *testing.T) {
	t.Parallel()
	w := start(t)
	o := w.organisationOf(fixtures.Organisation{Slug: "acme", ReportingMode: "nominative"})
	fork, _ := w.played60(o)
	b := w.signedIn(t, o.owner)
	for search, want := range map[string][]string{
		"élo": {"ELODIE", "Mélodie", "Élodie Müller"}, "  muller ": {"Élodie Müller"}, "STRASSE": {"Straße"}, "الأمين": {"محمد الأمين"},
		"player 01": numbered(20)[10:], "%": nil, "<i>": nil, `\`: nil,
	} {
		p := b.get(o.at("/reports/%s?sort=label&player=%s", fork.ID, url.QueryEscape(search)))
		require.Equal(t, want, names(p), search)
		require.Contains(t, p.body, fmt.Sprintf("%d of 60 players.", len(want)))
		require.Contains(t, p.body, `value="`+html.EscapeString(strings.TrimSpace(search))+`"`)
		require.Contains(t, p.body, `<input type="hidden" name="sort" value="label">`)
		require.Equal(t, len(want) > 0, strings.Contains(p.body, `aria-sort="ascending"`), "sorted as before")
	}
	// The links of a search keep it, and the search keeps their choices.
	p := b.get(o.at("/reports/%s?from=2026-01-01&to=%s&player=player&sort=best&dir=asc&skills=weakest", fork.ID, time.Now().UTC().Format(time.DateOnly)))
	require.Contains(t, p.body, "55 of 60 players.")
	next, err := url.Parse(cells(`<a class="btn" href="([^"]*)">Next →</a>`, p.body)[0][0])
	require.NoError(t, err)
	require.Equal(t, "2", next.Query().Get("page"))
	for name, value := range map[string]string{"player": "player", "sort": "best", "dir": "asc", "skills": "weakest", "from": "2026-01-01"} {
		require.Equal(t, value, next.Query().Get(name), name)
	}
	all := cells(`<a class="alone" href="([^"]*)">Show all players</a>`, p.body)[0][0]
	require.NotContains(t, all, "player=")
	require.Contains(t, all, "dir=asc")
	require.Contains(t, b.get(strings.TrimSuffix(all, "#p-h")).body, "1–25 of 60")
}

// Under pseudonymous reporting nobody is found by a name, and a name is answered like any other text.
func TestSearchDoesNotKnowHiddenNames(t *testing.T) {
	t.Parallel()
	w := start(t)
	o := w.organisation("acme")
	fork, players := w.played60(o)
	b := w.signedIn(t, o.owner)
	ask := func(search string) page {
		return b.get(o.at("/reports/%s?player=%s", fork.ID, url.QueryEscape(search)))
	}
	hidden, unknown := ask("ELODIE"), ask("NOBODY")
	require.Empty(t, names(hidden))
	require.Contains(t, hidden.body, "0 of 60 players.")
	require.Equal(t, strings.ReplaceAll(unknown.body, "NOBODY", "ELODIE"), hidden.body)
	label := w.label(t, players[59])
	require.Equal(t, []string{label}, names(ask(strings.ToLower(label))))
}

// A page of players can be reached by its number.
func TestPageOfPlayersIsReachedByNumber(t *testing.T) {
	t.Parallel()
	w := start(t)
	o := w.organisationOf(fixtures.Organisation{Slug: "acme", ReportingMode: "nominative"})
	fork := w.fork(o)
	for _, p := range w.db.PlayersNamed(o.ID, numbered(101)...) {
		w.db.Play(fixtures.Play{Fork: fork, Player: p, StartedAt: time.Now()})
	}
	b := w.signedIn(t, o.owner)
	p := b.get(o.at("/reports/%s?sort=label&page=2", fork.ID))
	require.Contains(t, p.body, `<input id="page" name="page" type="number" min="1" max="5" value="2" required><span>of 5</span>`)
	form := regexpFind(t, `(?s)<form class="jump"(.*?)</form>`, p.body)
	query := url.Values{"page": {"4"}}
	for _, hidden := range cells(`<input type="hidden" name="([^"]*)" value="([^"]*)">`, form) {
		query.Set(hidden[0], hidden[1])
	}
	fourth := b.get(strings.TrimSuffix(regexpFind(t, `action="([^"]*)"`, form), "#p-h") + "?" + query.Encode())
	require.Equal(t, numbered(100)[75:], names(fourth))
	require.Equal(t, []string{"Player 100"}, names(b.get(o.at("/reports/%s?sort=label&page=77", fork.ID))), "the nearest page")
	require.Equal(t, "–", cells(playerCells, p.body)[0][2], "nothing was completed")
}
