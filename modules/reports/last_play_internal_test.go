package reports

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/reports/segment"
)

// The latest play of a fork is read from the index. Plays in the future are none.
func TestLastPlayOfAFork(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	_, found, err := e.reports.LastPlay(t.Context(), testOrg, testFork)
	require.NoError(t, err)
	require.False(t, found)

	e.play(testFork, 1, time.Now().AddDate(1, 0, 0))
	_, found, err = e.reports.LastPlay(t.Context(), testOrg, testFork)
	require.NoError(t, err)
	require.False(t, found)
	e.Exec(insertSQL, testFrom, 98, 4000)
	e.play(testFork, 1, testNow)
	e.Exec(`analyze plays`)
	at, found, err := e.reports.LastPlay(t.Context(), testOrg, testFork)
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, testNow, at)
	_, found, err = e.reports.LastPlay(t.Context(), otherFork, testFork)
	require.NoError(t, err)
	require.False(t, found, "the fork of another organisation has none")

	require.LessOrEqual(t, e.pages(t, lastPlaySQL, segment.Args(testOrg, testFork, testFrom, testNow)), 10)
}
