package reports

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// addPlayers adds players up to an ordinal, each with a play.
func (e *env) addPlayers(last int) {
	e.Players(testOrg, last-40)
	e.Exec(`insert into plays (id, org_id, fork_id, player, started_at, answers)
		select gen_random_uuid(), $1, $2, ordinal, $3::timestamptz + ordinal * interval '1 s', ''
		  from players where org_id = $1`,
		testOrg, testFork, testFrom)
}

// Rows with their own players, and those after them, have the same form of cells under each mode.
func TestExportNamesThePlayerOfEachRow(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	const players = 3 * firstRows
	e.addPlayers(players)
	for _, mode := range []string{"nominative", "pseudonymous"} {
		e.Exec(`update organisations set reporting_mode = $2 where id = $1`, testOrg, mode)
		x := e.begin(t, query(testFrom, 1, ""), CSV)
		row, err := x.AppendNext(nil)
		require.NoError(t, err)
		require.Equal(t, csvHeader, string(row))
		for i := 1; err == nil && i <= players; i++ {
			row, err = x.AppendNext(row[:0])
			want := []string{fmt.Sprintf("P-%d", i), fmt.Sprintf("P-%d", i)}
			if mode == "nominative" {
				want[1] = fmt.Sprintf("Player %d", i)
			}
			require.Equal(t, want, strings.Split(string(row), ",")[3:5])
		}
		require.NoError(t, err)
		_, err = x.AppendNext(nil)
		require.ErrorIs(t, err, io.EOF)
		require.EqualValues(t, players, x.Rows())
		require.NotNil(t, x.players)
		x.Close()
	}
}
