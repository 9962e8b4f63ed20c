package publicapi_test

import (
	"encoding/csv"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// hostileNames are names that a spreadsheet, a terminal or a parser may misread, with their cells
// in the CSV.
var hostileNames = map[string]string{
	"=cmd|'/C calc'!A0":              "'=cmd|'/C calc'!A0",
	"\t=1":                           "'\t'=1",
	"Ada;=1+1":                       "Ada;'=1+1",
	"\r=1":                           "'\r=1",
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
	h := newHistory(1, len(hostileNames), 6)
	h.mode = "nominative"
	for who := range h.players {
		h.play(who, day("2024-05-05").Add(time.Duration(who)*time.Hour))
	}
	w := start(t, h)
	cellOf := map[string]string{} // by play
	names := map[string]bool{}
	i := 0
	for name, cell := range hostileNames {
		w.Exec(`update players set display_name = $2 where id = $1`, h.players[i].ID, name)
		cellOf[h.plays[i].ID] = cell
		names[name] = true
		i++
	}
	token := w.key(t, h.id)
	path := "/api/v1/forks/" + h.forks[0]
	const period = "?from=2024-05-01&to=2024-05-31"

	stats := decoded[report](t, w.get(t, path+"/stats"+period, token))
	require.Len(t, stats.Players, len(names))
	for _, p := range stats.Players {
		require.True(t, names[p.PlayerLabel], "%q", p.PlayerLabel)
		delete(names, p.PlayerLabel)
	}

	// not by w.get: contractCheck refuses cells with CR
	got := w.wire(t).ask(
		line(http.MethodGet, path+"/exports/csv"+period, "Authorization: Bearer "+token.String()))
	require.Equal(t, http.StatusOK, got.StatusCode)
	rows, err := csv.NewReader(strings.NewReader(got.body)).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, len(hostileNames)+1)
	for _, row := range rows[1:] {
		require.Len(t, row, 12)
		require.Equal(t, cellOf[row[0]], row[4], "%q", row)
		require.Equal(t, h.forks[0], row[1])
		require.Equal(t, "false", row[8])
	}

	w.Exec(`update organisations set reporting_mode = 'pseudonymous' where id = $1`, h.id)
	for _, tail := range []string{"/stats", "/exports/csv"} {
		pseudonymous := w.get(t, path+tail+period, token).body
		for name := range hostileNames {
			if len(name) > 4 {
				require.NotContains(t, pseudonymous, name)
			}
		}
		perRow := map[string]int{"/stats": 1, "/exports/csv": 2}[tail]
		require.Equal(t, perRow*len(hostileNames), strings.Count(pseudonymous, "P-"))
	}
}
