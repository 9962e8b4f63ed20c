package reports

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// addPlayers adds players up to an ordinal, each with a play and a name of so many bytes.
func (e *env) addPlayers(t *testing.T, last, nameBytes int) {
	t.Helper()
	e.Players(testOrg, last-40)
	e.Exec(`update players set display_name = rpad(display_name || ' ', $1, 'x') where ordinal > 40`,
		nameBytes)
	e.Exec(`insert into plays (id, org_id, fork_id, player, started_at, answers)
		select gen_random_uuid(), $1, $2, ordinal, $3::timestamptz + ordinal * interval '1 s', ''
		  from players where org_id = $1`,
		testOrg, testFork, testFrom)
}

// An export holds a bounded size of labels. Above it each row has the same cells from its own lookup.
func TestExportOfLongNames(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	const players = 11_000
	const nameBytes = 1_200 // together more than maxExportPlayers
	e.addPlayers(t, players, nameBytes)
	for _, mode := range []string{"nominative", "pseudonymous"} {
		e.Exec(`update organisations set reporting_mode = $2 where id = $1`, testOrg, mode)
		x := e.begin(t, query(testFrom, 1, ""), CSV)
		row, err := x.AppendNext(nil)
		require.Equal(t, csvHeader, string(row))
		for i := 1; err == nil; i++ {
			if row, err = x.AppendNext(row[:0]); err != nil {
				break
			}
			key := fmt.Sprintf("P-%d", i)
			label := key
			if mode == "nominative" {
				label = fmt.Sprintf("Player %d ", i)
			}
			cells := strings.Split(string(row), ",")
			if i > 40 && (cells[3] != key || !strings.HasPrefix(cells[4], label)) {
				require.Equal(t, []string{key, label}, cells[3:5])
			}
		}
		require.ErrorIs(t, err, io.EOF)
		require.EqualValues(t, players, x.Rows())
		require.Equal(t, mode == "nominative", x.players == nil)
		x.Close()
	}
}
