package fairshare_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/apperr"
	"dg/platform/fairshare"
)

func TestLeaseGrowsWhereThereIsRoom(t *testing.T) {
	t.Parallel()
	l := fairshare.New(fairshare.Limits{MaxConcurrent: 8, Bytes: 100, BusyMessage: "Busy."})
	acquire := func(organisation string, bytes int64) *fairshare.Lease {
		lease, err := l.Acquire(t.Context(),
			fairshare.Request{OrganisationID: organisation, Bytes: bytes})
		require.NoError(t, err)
		return lease
	}
	refused := func(err error) {
		t.Helper()
		require.True(t, apperr.Is(err, apperr.Unavailable), "%v", err)
		require.Equal(t, fairshare.RetryAfter, apperr.From(err).RetryAfter)
	}
	a := acquire("a", 10)
	b := acquire("b", 10)
	c := acquire("c", 30)
	require.NoError(t, a.Grow(30))
	refused(b.Grow(30)) // 40 + 40 + 30
	require.NoError(t, b.Grow(20))
	refused(c.Grow(1))
	a.Keep(10)
	require.NoError(t, c.Grow(20))
	for _, lease := range []*fairshare.Lease{a, b, c} {
		lease.Release()
		require.NoError(t, lease.Grow(1000), "a released lease holds nothing")
	}
	require.True(t, l.Idle())
	require.NoError(t, (*fairshare.Lease)(nil).Grow(1))
}

func TestOversizeWorkRunsOneAtATime(t *testing.T) {
	t.Parallel()
	l := fairshare.New(fairshare.Limits{MaxConcurrent: 8, Bytes: 100})
	acquire := func(organisation string, bytes int64) (*fairshare.Lease, error) {
		return l.Acquire(t.Context(), fairshare.Request{
			OrganisationID: organisation,
			Bytes:          bytes,
			Waited:         fairshare.Wait,
		})
	}
	a, err := acquire("a", 1000)
	require.NoError(t, err)
	_, err = acquire("b", 51)
	require.Error(t, err, "a second one for more than half")
	b, err := acquire("b", 20)
	require.NoError(t, err, "a smaller one")
	require.Error(t, b.Grow(40), "it grows beyond half")
	a.Keep(40)
	require.NoError(t, b.Grow(40), "the first is down to less than half")
	require.Error(t, a.Grow(40))
	b.Release()
	require.NoError(t, a.Grow(40))
	a.Release()
	require.True(t, l.Idle())
}

// A slot is busy at most half of the time. Work that waited for a lock rests briefly.
func TestSlotRestsAsLongAsItWasHeld(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := fairshare.New(fairshare.Limits{MaxConcurrent: 1, Rest: true})
		const ms = time.Millisecond
		for held, rest := range map[time.Duration]time.Duration{
			3 * ms:      3 * ms,
			time.Second: 100 * ms,
		} {
			lease := acquire(t, l, "a", "")
			time.Sleep(held)
			released := time.Now()
			lease.Release()
			lease.Release() // again changes nothing
			next := acquire(t, l, "b", "")
			require.Equal(t, rest, time.Since(released))
			next.Release()
			time.Sleep(time.Second)
			require.True(t, l.Idle())
		}
	})
}
