package fairshare_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/fairshare"
)

func TestStatsCountWhatRunsWaitsAndWasRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := fairshare.New(fairshare.Limits{MaxConcurrent: 2})
		a := acquire(t, l, "a", "")
		b := acquire(t, l, "b", "")
		var got admitted
		for _, organisation := range []string{"a", "a", "b"} {
			got.acquire(t, l, fairshare.Request{OrganisationID: organisation}, organisation)
		}
		require.Equal(t, fairshare.Stats{Running: 2, Waiting: 3}, l.Stats())
		a.Release()
		synctest.Wait()
		require.Equal(t, fairshare.Stats{Running: 2, Waiting: 2}, l.Stats())
		time.Sleep(fairshare.Wait)
		require.Len(t, got.order(), 3)
		require.Equal(t, fairshare.Stats{Running: 2, Refused: 2}, l.Stats())
		for _, lease := range append(got.leases, b) {
			lease.Release()
		}
		require.Equal(t, fairshare.Stats{Refused: 2}, l.Stats())
	})
}
