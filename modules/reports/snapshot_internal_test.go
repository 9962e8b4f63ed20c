package reports

import (
	"io"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"dg/modules/org"

	"dg/modules/reports/snapshot"
)

// errReplay is a replica's error when replay cancels a statement.
var errReplay = &pgconn.PgError{Code: "40001"}

// snapshot/doc.go, Invariants: after a replica's failure the primary is read once, in a new snapshot.
func TestReplicaFailureIsReadAgainFromPrimary(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.Exec(insertSQL, testFrom, 40, 100)
	q := query(testFrom, 40, "")
	for _, replica := range []bool{true, false} {
		s, err := snapshot.Open(t.Context(), e.DB, q, true)
		require.NoError(t, err)
		s.Replica = replica
		s.Damaged = []Damage{{ForkID: testFork, Period: q.Period}}
		calls := 0
		err = s.ReadWithFailover(t.Context(), func() error {
			calls++
			return errReplay
		})
		require.ErrorIs(t, err, errReplay)
		require.False(t, s.Replica)
		require.Equal(t, map[bool]int{true: 2, false: 1}[replica], calls)
		require.Equal(t, replica, len(s.Damaged) == 0)
		require.Equal(t, byte('T'), s.Conn.Conn().PgConn().TxStatus())
		s.Close()
	}
	require.Zero(t, e.DB.Pool.Stat().AcquiredConns())
}

// An export that a replica fails starts again on the primary, unless its header has changed.
func TestExportBeginsAgainOnPrimary(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	e.Exec(insertSQL, testFrom, 40, 1_000)
	q := query(testFrom, 40, "")
	want := e.exportedIDs(t, q)
	again := func(change string) *Export {
		x, err := e.reports.OpenExport(t.Context(), q, CSV)
		require.NoError(t, err)
		t.Cleanup(x.Close)
		x.snap.Replica = true
		// every later statement of the transaction fails
		_, err = x.snap.Conn.Exec(t.Context(), `select 1 / 0`)
		require.Error(t, err)
		e.Exec(change)
		x.Begin(t.Context())
		return x
	}
	x := again(`select`)
	for range len(want) + 1 {
		_, err := x.AppendNext(nil)
		require.NoError(t, err)
	}
	_, err := x.AppendNext(nil)
	require.ErrorIs(t, err, io.EOF)
	require.EqualValues(t, len(want), x.Rows())

	x = again(`update organisations set reporting_mode = '` + string(org.Pseudonymous) + `'`)
	_, err = x.AppendNext(nil)
	require.ErrorContains(t, err, "current transaction is aborted")
}
