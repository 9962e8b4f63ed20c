package limit

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/platform/apperr"
	"dg/platform/testkit/tb"
)

func acquire(t *testing.T, limiter *Limiter, key string, n int) (release func()) {
	return tb.Must(limiter.AcquireN(t.Context(), key, n))(t)
}

// rules.md, Bounds: a key holds at most PerKey slots, all keys at most Max. A second release of a slot has no effect.
// A deadline that ends a wait of a second or more is a refusal.
func TestSlotsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := New(Options{Max: 3, PerKey: 2, BusyMessage: "Busy.", KeyBusyMessage: "Yours."})
		acquire := func(key string) (release func()) { return acquire(t, limiter, key, 1) }
		requireRefused := func(key, message string) {
			began := time.Now()
			_, err := limiter.Acquire(t.Context(), key)
			require.Equal(t, Wait, time.Since(began))
			e, _ := errors.AsType[*apperr.Error](err)
			require.Equal(t, message+" Retry in 5 seconds.", e.Message)
			require.Equal(t, RetryAfter, e.RetryAfter)
		}
		releaseFirst, releaseSecond := acquire("a"), acquire("a")
		requireRefused("a", "Yours.")
		releaseOther := acquire("b")
		requireRefused("b", "Busy.")
		for timeout, refused := range map[time.Duration]bool{time.Second: true, time.Second - 1: false} {
			ctx, cancel := context.WithTimeout(t.Context(), timeout)
			require.Equal(t, refused, apperr.Is(tb.ErrorOf(limiter.Acquire(ctx, "a")), apperr.Unavailable))
			cancel()
		}
		require.Equal(t, Stats{Running: 3, Refused: 3, KeyRefused: 2}, limiter.Stats())
		releaseFirst()
		releaseFirst()
		releaseLast := acquire("b")
		requireRefused("a", "Busy.")
		releaseSecond()
		releaseOther()
		releaseLast()
		require.Empty(t, limiter.semaphores, "neither a refusal nor a release leaves a key")
	})
}

// At most PerKey pieces of a key's work queue in front of other keys.
func TestBurstOfOneKeyDoesNotDelayAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := New(Options{Max: 4, PerKey: 2})
		var workers sync.WaitGroup
		work := func(key string) {
			release, err := limiter.Acquire(t.Context(), key)
			if err != nil {
				return
			}
			<-time.After(100 * time.Millisecond)
			release()
		}
		for range 100 {
			workers.Go(func() { work("greedy") })
		}
		synctest.Wait()
		began := time.Now()
		work("small")
		require.Equal(t, 100*time.Millisecond, time.Since(began))
		workers.Wait()
		require.Empty(t, limiter.semaphores, "idle keys are forgotten")
	})
}

// Under load, as much work runs as Max and PerKey allow.
func TestBoundsHoldUnderLoad(t *testing.T) {
	for keys, running := range map[int]int{10: 5, 2: 4} {
		synctest.Test(t, func(t *testing.T) {
			limiter := New(Options{Max: 5, PerKey: 2})
			var workers sync.WaitGroup
			for i := range 100 {
				workers.Go(func() {
					release, err := limiter.Acquire(t.Context(), strconv.Itoa(i%keys))
					assert.NoError(t, err)
					<-time.After(100 * time.Millisecond)
					release()
				})
			}
			for range 100 / running {
				synctest.Wait()
				require.EqualValues(t, running, limiter.Stats().Running)
				<-time.After(100 * time.Millisecond)
			}
			workers.Wait()
			require.Empty(t, limiter.semaphores)
			require.Equal(t, Stats{}, limiter.Stats())
		})
	}
}

// hold starts work that holds a slot until ctx ends. It returns once the work holds the slot or was refused.
func hold(ctx context.Context, r *Requests, surface Surface, credential, network string) error {
	acquired := make(chan error, 2)
	go func() {
		acquired <- r.Run(ctx, surface, credential, network, func(context.Context) error {
			acquired <- nil
			<-ctx.Done()
			return nil
		})
	}()
	return <-acquired
}

// Known credentials queue per tenant, others per network: a flood of invalid credentials delays only itself.
func TestUnknownCredentialsWaitWithTheirNetwork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r := NewRequests(12)
		r.Remember("key", "org")
		for i := range 500 {
			go func() { _ = hold(ctx, r, API, "invalid", strconv.Itoa(i%200)) }()
		}
		synctest.Wait()
		holdSlot := func(surface Surface, credential string) error { return hold(ctx, r, surface, credential, "1") }
		began := time.Now()
		for range 3 {
			require.NoError(t, holdSlot(API, "key"))
		}
		require.NoError(t, holdSlot(Revoke, "key"))
		require.NoError(t, holdSlot(Public, ""))
		require.Zero(t, time.Since(began))
		for surface, credential := range map[Surface]string{API: "key", Public: "invalid"} {
			err := holdSlot(surface, credential)
			require.True(t, apperr.Is(err, apperr.Unavailable), "%v", err)
		}
		cancel()
	})
}

// rules.md, Bounds: a /48 never takes the last slot of unknown credentials or of public pages.
func TestSiteLeavesASlot(t *testing.T) {
	require.Equal(t, 10, NewRequests(100).networks.options.Max, "a tenth")
	for _, surface := range []Surface{API, Public} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			r := NewRequests(12)
			for i := range 20 {
				network := "2001:db8:1:" + strconv.Itoa(i) + "::/64"
				go func() { _ = hold(ctx, r, surface, "", network) }()
			}
			synctest.Wait()
			began := time.Now()
			require.NoError(t, hold(ctx, r, surface, "", "2001:db8:2::/64"))
			require.Zero(t, time.Since(began))
			cancel()
		})
	}
}

// Work that waits for a slot of a limiter holds no slot of Requests: the password queue must not block other requests.
func TestWaiterOfALimiterHoldsNoSlotOfRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := NewRequests(12)
		passwords := New(Options{Max: 1, PerKey: 1})
		acquire(t, passwords, "first", 1)
		require.NoError(t, r.Run(t.Context(), Screens, "", "n", func(ctx context.Context) error {
			go func() { _, _ = passwords.Acquire(ctx, "second") }()
			synctest.Wait()
			require.EqualValues(t, 1, passwords.Stats().Waiting)
			require.Zero(t, r.networks.Stats().Running)
			return nil
		}))
		require.Zero(t, r.networks.Stats().Running, "it is given back once")
		<-time.After(Wait)
	})
}

// Work whose context has ended gets no slot, even of a free key. Its error is the context's cause, and no refusal. If a
// large waiter gives up, work behind it gets the free slots at once.
func TestEndedContextGetsNoSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := New(Options{Max: 10, PerKey: 10})
		acquire(t, limiter, "a", 8)
		errGone := errors.New("gone")
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() { _, _ = limiter.AcquireN(ctx, "b", 5) }()
		synctest.Wait()
		go func() { _, _ = limiter.AcquireN(t.Context(), "c", 1) }()
		synctest.Wait()
		require.EqualValues(t, 2, limiter.Stats().Waiting)
		cancel(errGone)
		synctest.Wait()
		for key, n := range map[string]int{"a": 5, "d": 1} {
			require.ErrorIs(t, tb.ErrorOf(limiter.AcquireN(ctx, key, n)), errGone)
		}
		require.Equal(t, Stats{Running: 2}, limiter.Stats(), "which is no refusal")
	})
}

// If the site or the limiter has no free slot, the refused work keeps no slot of its key or site.
func TestRefusalReleasesItsSlots(t *testing.T) {
	for slots, siteOf := range map[int]func(key string) string{
		2: func(string) string { return "site" }, 1: func(key string) string { return key },
	} {
		synctest.Test(t, func(t *testing.T) {
			limiter := New(Options{Max: slots, PerKey: 1, PerSite: 1, SiteOf: siteOf})
			release := acquire(t, limiter, "first", 1)
			_, err := limiter.Acquire(t.Context(), "second")
			require.True(t, apperr.Is(err, apperr.Unavailable), "%v", err)
			release()
			require.Empty(t, limiter.semaphores)
		})
	}
}
