package reports

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The latest play of the fork, read from the end of the index: whatever the size of the fork.
func TestLastPlayOfAFork(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	_, found, err := e.reports.LastPlay(t.Context(), testOrg, testFork)
	require.NoError(t, err)
	require.False(t, found)

	e.exec(t, insertSQL, testFrom, 99, 4000)
	e.exec(t, `analyze plays`)
	var want time.Time
	require.NoError(t,
		e.db.Owner.Pool.QueryRow(t.Context(),
			`select max(started_at) from plays where fork_id = $1`,
			testFork).Scan(&want))
	at, found, err := e.reports.LastPlay(t.Context(), testOrg, testFork)
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, want.UTC(), at)
	_, found, err = e.reports.LastPlay(t.Context(), otherFork, testFork)
	require.NoError(t, err)
	require.False(t, found, "the fork of another organisation has none")

	blocks, plan := e.blocksRead(t, lastPlaySQL, testOrg, testFork)
	require.LessOrEqual(t, blocks, 10, plan)
}

// blocksRead runs a statement, and returns how many blocks PostgreSQL looked at, and its plan.
func (e *env) blocksRead(t *testing.T, sql string, args ...any) (blocks int, plan string) {
	t.Helper()
	require.NoError(t,
		e.db.DB.Pool.QueryRow(t.Context(), `explain (analyze, buffers, format json) `+sql, args...).
			Scan(&plan))
	var plans []struct {
		Plan struct {
			Read int `json:"Shared Read Blocks"`
			Hit  int `json:"Shared Hit Blocks"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(plan), &plans))
	return plans[0].Plan.Read + plans[0].Plan.Hit, plan
}
