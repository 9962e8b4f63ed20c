package reports

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/platform/apperr"
	"dg/platform/limit"
)

// rules.md, Bounds: a large report waits among the large ones, and holds no slot that a small one
// could take.
func TestLargeReportsLeavePlacesForSmallOnes(t *testing.T) {
	e := newEnv(t)
	e.Players(testOrg, largeReport+1)
	e.Plays(theFork, largeReport+1, testFrom, 0)
	open := func(day int) *Report {
		report, err := e.reports.Open(t.Context(), query(testFrom.AddDate(0, 0, day), 1, ""))
		assert.NoError(t, err)
		t.Cleanup(report.Close)
		return report
	}
	first := open(0)
	second := make(chan *Report, 1)
	go func() { second <- open(0) }()
	require.Eventually(t, func() bool { return e.reports.largeReports.Stats().Waiting == 1 }, limit.Wait,
		time.Millisecond, "one large report of an organisation runs")
	for range MaxReportsOfOrganisation {
		open(1)
	}
	require.Empty(t, second)
	first.Close()
	require.NotNil(t, <-second, "it gets the slot of the first")
}

// rules.md, Bounds: a report that finds no slot is told when to come again.
func TestRefusedReportSaysWhen(t *testing.T) {
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
