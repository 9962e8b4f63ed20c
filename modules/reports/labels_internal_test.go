package reports

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// rules.md, CSV: playerKey is the pseudonym under both modes, playerLabel the mode's, with and
// without the cache of players.
func TestExportNamesThePlayerOfEachRow(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	for player := 1; player <= 40; player++ {
		e.play(testFork, player, testFrom)
	}
	e.Players(testOrg, 1_000)
	for _, group := range []string{"", testGroup} {
		for _, mode := range []string{"nominative", "pseudonymous"} {
			e.Exec(`update organisations set reporting_mode = $2 where id = $1`, testOrg, mode)
			x := e.begin(t, query(testFrom, 1, group), CSV)
			row, err := x.AppendNext(nil)
			require.Equal(t, csvHeader, string(row))
			for err == nil {
				if row, err = x.AppendNext(row[:0]); err != nil {
					break
				}
				cells := strings.Split(string(row), ",")[3:5]
				var player int
				_, scanned := fmt.Sscanf(cells[0], "P-%d", &player)
				require.NoError(t, scanned)
				label := cells[0]
				if mode == "nominative" {
					label = fmt.Sprintf("Player %d", player)
				}
				require.Equal(t, label, cells[1])
			}
			require.ErrorIs(t, err, io.EOF)
			require.Equal(t, group == "", x.players != nil)
			require.EqualValues(t, map[string]int{"": 40, testGroup: 10}[group], x.Rows())
			x.Close()
		}
	}
}
