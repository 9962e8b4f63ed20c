package reports

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// doc.go, Invariants: after a replica's failure the primary is read, in a new snapshot. A failure of
// the primary stands.
func TestReplicaFailureIsReadAgainFromPrimary(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.insert(testFrom, 40, 100)
	q := query(testFrom, 40, "")
	want, err := e.statistics(t.Context(), q)
	require.NoError(t, err)
	for _, replica := range []bool{true, false} {
		report, err := e.reports.Open(t.Context(), q)
		require.NoError(t, err)
		report.snap.replica = replica
		// every later statement of the transaction fails
		_, err = report.snap.conn.Exec(t.Context(), `select 1 / 0`)
		require.Error(t, err)
		got, err := e.reports.Statistics(t.Context(), report)
		report.Close()
		if !replica {
			require.ErrorContains(t, err, "current transaction is aborted")
			continue
		}
		require.NoError(t, err)
		require.True(t, sameStatistics(want, got))
	}
	require.Zero(t, e.DB.Pool.Stat().AcquiredConns())
}
