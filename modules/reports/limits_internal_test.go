package reports

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/apperr"
)

// rules.md, Bounds: a large report waits among the large ones, and holds no slot that a small one
// could take.
func TestLargeReportsLeavePlacesForSmallOnes(t *testing.T) {
	e := newEnv(t)
	e.Players(testOrg, largeReport+1)
	e.Plays(theFork, largeReport+1, testFrom, 0)
	open := func(q Query) (*Report, error) {
		ctx, stop := context.WithTimeout(t.Context(), 2*time.Second)
		defer stop()
		report, err := e.reports.Open(ctx, q)
		t.Cleanup(report.Close)
		return report, err
	}
	large := query(testFrom, 1, "")
	_, err := open(large)
	require.NoError(t, err)
	_, err = open(large)
	require.ErrorIs(t, err, context.DeadlineExceeded, "one large report of an organisation runs")
	for range MaxReportsOfOrganisation {
		_, err = open(query(testFrom.AddDate(0, 0, 1), 1, ""))
		require.NoError(t, err)
	}
}

// rules.md, Bounds: a report that finds no slot is told when to come again.
func TestRefusedReportSaysWhen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New(nil, Options{})
		for range MaxReportsOfOrganisation {
			_, err := s.smallReports.Acquire(t.Context(), testOrg)
			require.NoError(t, err)
		}
		_, err := s.Open(t.Context(), query(testFrom, 1, ""))
		require.True(t, apperr.Is(err, apperr.Unavailable))
		require.Equal(t, "Too many reports are being computed. Retry in 5 seconds.",
			apperr.From(err).Message)
	})
}

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
