package reports_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit"
	"dg/web/internal/webtest"
)

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
		return b.Get(o.At("/reports/%s?player=%s", fork.ID, url.QueryEscape(search)))
	}
	hidden := ask("ELODIE").Has(t, "0 of 2 players.")
	require.Equal(t, strings.ReplaceAll(ask("NOBODY").Body, "NOBODY", "ELODIE"), hidden.Body)
	label := testkit.One[string](w.DB, `select label from players where id = $1`, players[1].ID)
	found := testkit.Cells(playerCells, ask(strings.ToLower(label)).Has(t, "1 of 2 players.").Body)
	require.Equal(t, label, found[0][0])
}
