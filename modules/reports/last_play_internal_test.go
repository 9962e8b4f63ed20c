package reports

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/fixtures"
)

// The latest play of a fork is read from the end of the index.
func TestLastPlayOfAFork(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	_, found, err := e.reports.LastPlay(t.Context(), testOrg, testFork)
	require.NoError(t, err)
	require.False(t, found)

	e.Exec(insertSQL, testFrom, 99, 4000)
	e.Exec(`analyze plays`)
	want := fixtures.One[time.Time](e.Database, `select max(started_at) from plays where fork_id = $1`,
		testFork)
	at, found, err := e.reports.LastPlay(t.Context(), testOrg, testFork)
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, want.UTC(), at)
	_, found, err = e.reports.LastPlay(t.Context(), otherFork, testFork)
	require.NoError(t, err)
	require.False(t, found, "the fork of another organisation has none")

	require.LessOrEqual(t, e.pages(t, lastPlaySQL, testOrg, testFork), 10)
}
