package publicapi_test

import (
	"encoding/csv"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// rules.md, CSV: playerKey is unique within the organisation and stable: two players of one name
// have two, a change of mode changes none, and two organisations share none.
func TestPlayerKeyIsOnePerPlayer(t *testing.T) {
	t.Parallel()
	w := start(t)
	random := rand.New(rand.NewPCG(50, 50))
	h := newHistory(random, 1, 8)
	other := newHistory(random, 1, 8)
	h.mode = "nominative"
	for _, h := range []*history{h, other} {
		// more than are read with their own players
		h.playRandomly(random, 700, day("2024-05-01"), day("2024-05-31"))
	}
	w.load(t, h, other)
	playerOf := map[string]string{}
	for _, h := range []*history{h, other} {
		for _, p := range h.plays {
			playerOf[p.id] = h.players[p.player].id
		}
	}
	named := w.playersOf(t, h, playerOf)
	require.Len(t, named, 8)
	labels := map[string]int{}
	for _, who := range named {
		labels[who.label]++
	}
	require.Equal(t, map[string]int{
		"Player 00": 2,
		"Player 01": 2,
		"Player 02": 2,
		"Player 03": 2,
	}, labels, "two players share each name")

	w.exec(t, `update organisations set reporting_mode = 'pseudonymous' where id = $1`, h.id)
	keys := map[string]bool{}
	for id, who := range w.playersOf(t, h, playerOf) {
		require.Equal(t, named[id].key, who.key, "the change of mode left it")
		require.Equal(t, who.key, who.label)
		keys[who.key] = true
	}
	require.Len(t, keys, 8)
	for _, who := range w.playersOf(t, other, playerOf) {
		require.False(t, keys[who.key], "a key of another organisation")
	}
}

type exportedPlayer struct{ key, label string }

// playersOf exports all plays and returns how their rows name each player, which must be in one
// way.
func (w *world) playersOf(
	t *testing.T, h *history, playerOf map[string]string,
) map[string]exportedPlayer {
	t.Helper()
	rows, err := csv.NewReader(
		strings.NewReader(w.get(t, "/api/v1/forks/"+h.forks[0]+wholeYear, w.key(t, h.id)).body),
	).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"playerKey", "playerLabel"}, rows[0][3:5])
	require.Len(t, rows, len(h.plays)+1)
	players := map[string]exportedPlayer{}
	for _, row := range rows[1:] {
		id := playerOf[row[0]]
		who := exportedPlayer{row[3], row[4]}
		if players[id].key != "" {
			require.Equal(t, players[id], who)
		}
		players[id] = who
	}
	return players
}
