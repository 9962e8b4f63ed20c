package publicapi_test

import (
	"encoding/csv"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// hostileNames are names that a spreadsheet, a terminal or a parser may misread, with their cells
// in the CSV. Package csvcell proves the formula guard.
var hostileNames = map[string]string{
	"=cmd|'/C calc'!A0":              "'=cmd|'/C calc'!A0",
	"\r=1; no line":                  "'\r=1; no line",
	"a\nb,c\n":                       "a\nb,c\n",
	"\u202egnp.exe":                  "\u202egnp.exe",
	"</script><script>alert(1)":      "</script><script>alert(1)",
	"\x1b[31mred\x07":                "\x1b[31mred\x07",
	strings.Repeat("é,\"", 10_000/3): strings.Repeat("é,\"", 10_000/3),
}

// rules.md, CSV: under nominative reporting, JSON has any name unchanged, and the CSV has the
// formula guard. Under pseudonymous reporting no answer contains a name.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	w := start(t)
	h := w.newHistory("nominative", 1, len(hostileNames))
	for who := range h.players {
		h.play(who, day("2024-05-05"))
	}
	cellOf := map[string]string{} // by the player's key
	for name, cell := range hostileNames {
		p := h.players[len(cellOf)]
		w.Exec(`update players set display_name = $2 where id = $1`, p.ID, name)
		cellOf[p.Label] = cell
	}
	key := w.Key(h.id)
	path := "/api/v1/forks/" + h.forks[0]
	const period = "?from=2024-05-01&to=2024-05-31"

	var labels []string
	for _, p := range decoded[report](t, w.get(t, path+"/stats"+period, key)).Players {
		labels = append(labels, p.PlayerLabel)
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(hostileNames)), labels)

	// not by w.get: w.check refuses cells with CR
	got := w.wire(t,
		line(http.MethodGet, path+"/exports/csv"+period, "Authorization: Bearer "+key.Token()))
	rows, err := csv.NewReader(strings.NewReader(got.Body)).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, len(hostileNames)+1)
	for _, row := range rows[1:] {
		require.Equal(t, cellOf[row[3]], row[4], "%q", row)
	}

	w.Exec(`update organisations set reporting_mode = 'pseudonymous' where id = $1`, h.id)
	for _, tail := range []string{"/stats", "/exports/csv"} {
		pseudonymous := w.get(t, path+tail+period, key).Body
		for name := range hostileNames {
			require.NotContains(t, pseudonymous, name)
		}
	}
}
