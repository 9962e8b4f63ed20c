package limit

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/apperr"
)

// rules.md, Bounds: one key holds no more than its slots, all together no more than there are, and
// a slot is given back once.
func TestPlacesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Options{Max: 3, PerKey: 2, BusyMessage: "Busy.", KeyBusyMessage: "Yours."})
		acquire := func(key string) func() {
			release, err := l.Acquire(t.Context(), key)
			require.NoError(t, err)
			return release
		}
		refused := func(key, busy string) {
			began := time.Now()
			_, err := l.Acquire(t.Context(), key)
			require.Equal(t, Wait, time.Since(began))
			e, _ := errors.AsType[*apperr.Error](err)
			require.Equal(t, busy+" Retry in 5 seconds.", e.Message)
			require.Equal(t, RetryAfter, e.RetryAfter)
		}
		first := acquire("a")
		acquire("a")
		refused("a", "Yours.")
		acquire("b")
		refused("b", "Busy.")
		require.Equal(t, Stats{Running: 3, Refused: 2}, l.Stats())
		first()
		first()
		acquire("b")
		refused("a", "Busy.")
	})
}

// A key queues at most its slots in front of the others.
func TestBurstOfOneKeyDoesNotDelayAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(Options{Max: 4, PerKey: 2})
		var all sync.WaitGroup
		work := func(key string) {
			release, err := l.Acquire(t.Context(), key)
			if err != nil {
				return
			}
			time.Sleep(100 * time.Millisecond)
			release()
		}
		for range 100 {
			all.Go(func() { work("greedy") })
		}
		synctest.Wait()
		began := time.Now()
		work("small")
		require.Equal(t, 100*time.Millisecond, time.Since(began))
		all.Wait()
		require.Empty(t, l.keys, "idle keys are forgotten")
	})
}

func TestWaitingEndsWithItsContext(t *testing.T) {
	l := New(Options{Max: 1, PerKey: 1})
	_, err := l.Acquire(t.Context(), "a")
	require.NoError(t, err)
	gone := errors.New("gone")
	ctx, stop := context.WithCancelCause(t.Context())
	stop(gone)
	for _, key := range []string{"a", "b"} {
		_, err = l.Acquire(ctx, key)
		require.ErrorIs(t, err, gone)
	}
}

func TestBoundsHoldUnderLoad(t *testing.T) {
	l := New(Options{Max: 5, PerKey: 2})
	var running, most atomic.Int64
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			release, err := l.Acquire(t.Context(), strconv.Itoa(i%10))
			if err != nil {
				return
			}
			for n := running.Add(1); n > most.Load(); {
				most.Store(n)
			}
			running.Add(-1)
			release()
		})
	}
	all.Wait()
	require.LessOrEqual(t, most.Load(), int64(5))
	require.Empty(t, l.keys)
	require.Equal(t, Stats{}, l.Stats())
}

// Requests of an accepted credential wait with their organisation, all others with their network:
// a flood of invalid ones waits behind itself.
func TestUnknownCredentialsWaitWithTheirNetwork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		r := NewRequests(10)
		r.Remember("key", "org")
		for i := range 500 {
			go func() { _, _ = r.Acquire(ctx, API, "invalid", strconv.Itoa(i%200)) }()
		}
		synctest.Wait()
		began := time.Now()
		for range 3 {
			_, err := r.Acquire(ctx, API, "key", "1")
			require.NoError(t, err)
		}
		_, err := r.Acquire(ctx, Revoke, "key", "1")
		require.NoError(t, err)
		require.Zero(t, time.Since(began))
		_, err = r.Acquire(ctx, API, "key", "1")
		require.True(t, apperr.Is(err, apperr.Unavailable), "%v", err)
		stop()
	})
}
