package fairshare_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/apperr"
	"dg/platform/fairshare"
)

func eight() *fairshare.Limiter {
	return fairshare.New(fairshare.Limits{
		MaxConcurrent:         8,
		MaxConcurrentPerActor: 3,
		BusyMessage:           "Too many 100% of them.",
	})
}

func acquire(t *testing.T, l *fairshare.Limiter, organisation, actor string) *fairshare.Lease {
	t.Helper()
	lease, err := l.Acquire(t.Context(),
		fairshare.Request{OrganisationID: organisation, ActorID: actor})
	require.NoError(t, err)
	return lease
}

// admitted are names of requests with their leases, in the order of admission or refusal.
type admitted struct {
	mu     sync.Mutex
	names  []string
	leases []*fairshare.Lease
}

// acquire requests a lease in the background.
func (a *admitted) acquire(t *testing.T, l *fairshare.Limiter, r fairshare.Request, name string) {
	go func() {
		lease, err := l.Acquire(t.Context(), r)
		if err != nil {
			name += " refused"
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		a.names = append(a.names, name)
		a.leases = append(a.leases, lease)
	}()
	synctest.Wait()
}

// order returns the names once every goroutine is blocked.
func (a *admitted) order() []string {
	synctest.Wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.names
}

func TestOrganisationHoldsNoMoreThanItsShare(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := eight()
		for _, actor := range []string{"key 1", "key 1", "key 1", "key 2"} {
			acquire(t, l, "a", actor)
		}
		begun := time.Now()
		_, err := l.Acquire(t.Context(), fairshare.Request{OrganisationID: "a", ActorID: "key 3"})
		require.True(t, apperr.Is(err, apperr.Unavailable))
		require.Equal(t, "Too many 100% of them. Retry in 5 seconds.", apperr.From(err).Message)
		require.Equal(t, fairshare.RetryAfter, apperr.From(err).RetryAfter)
		require.Equal(t, fairshare.Wait, time.Since(begun))
		acquire(t, l, "b", "key 1")
	})
}

func TestActorHoldsNoMoreThanItsShare(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := eight()
		var leases []*fairshare.Lease
		for range 3 {
			leases = append(leases, acquire(t, l, "a", "key 1"))
		}
		var got admitted
		got.acquire(t, l, fairshare.Request{OrganisationID: "a", ActorID: "key 1"}, "key 1")
		got.acquire(t, l, fairshare.Request{OrganisationID: "a", ActorID: "key 2"}, "key 2")
		require.Equal(t, []string{"key 2"}, got.order(),
			"another key of the organisation overtakes")
		leases[0].Release()
		leases[0].Release() // again gives nothing back
		require.Equal(t, []string{"key 2", "key 1"}, got.order())
		got.acquire(t, l, fairshare.Request{OrganisationID: "a", ActorID: "key 3"}, "key 3")
		require.Len(t, got.order(), 2)
		time.Sleep(fairshare.Wait)
		require.Equal(t, "key 3 refused", got.order()[2])
	})
}

func TestOrganisationsAreServedInTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := fairshare.New(fairshare.Limits{MaxConcurrent: 2})
		held := map[string]*fairshare.Lease{"x": acquire(t, l, "x", ""), "y": acquire(t, l, "y", "")}
		var got admitted
		for i, organisation := range []string{"a", "a", "a", "a", "b", "b", "c"} {
			got.acquire(t, l, fairshare.Request{OrganisationID: organisation},
				fmt.Sprint(organisation, i))
		}
		held["x"].Release()
		for i := range 7 {
			require.Len(t, got.order(), i+1)
			got.leases[i].Release()
		}
		require.Equal(t, []string{"a0", "b4", "c6", "a1", "b5", "a2", "a3"}, got.order())
		held["y"].Release()
	})
}

// Slots become free one by one. A waiting organisation without a slot comes before those that were
// just served.
func TestLeastRecentlyServedOrganisationIsFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := fairshare.New(fairshare.Limits{MaxConcurrent: 2})
		a := acquire(t, l, "a", "")
		b := acquire(t, l, "b", "")
		var got admitted
		for _, organisation := range []string{"a", "b", "c"} {
			got.acquire(t, l, fairshare.Request{OrganisationID: organisation}, organisation)
		}
		a.Release()
		require.Equal(t, []string{"c"}, got.order())
		got.leases[0].Release()
		require.Equal(t, []string{"c", "a"}, got.order())
		b.Release()
		require.Equal(t, []string{"c", "a", "b"}, got.order())
	})
}

func TestBytesAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := fairshare.New(fairshare.Limits{MaxConcurrent: 8, Bytes: 100})
		take := func(organisation string, bytes int64) (*fairshare.Lease, error) {
			return l.Acquire(t.Context(),
				fairshare.Request{OrganisationID: organisation, Bytes: bytes})
		}
		first, err := take("a", 30)
		require.NoError(t, err)
		_, err = take("a", 30)
		require.Error(t, err, "more than the organisation's share")
		first.Keep(20) // what is being sent
		_, err = take("a", 30)
		require.NoError(t, err)
		huge, err := take("b", 1000)
		require.NoError(t, err, "what is larger than a share counts as the share")
		_, err = take("c", 1)
		require.Error(t, err, "nothing is left")
		huge.Keep(2000)
		_, err = take("c", 1)
		require.Error(t, err)
		huge.Release()
		huge.Keep(50) // too late: it holds nothing any more
		_, err = take("b", 50)
		require.NoError(t, err)
	})
}

// hoard acquires for an organisation until a refusal, and keeps some bytes of each lease. It
// returns the number of leases.
func hoard(t *testing.T, l *fairshare.Limiter, organisation string, bytes, kept int64) (given int) {
	t.Helper()
	for ; ; given++ {
		lease, err := l.Acquire(t.Context(),
			fairshare.Request{OrganisationID: organisation, Bytes: bytes})
		if err != nil {
			return given
		}
		if kept > 0 {
			lease.Keep(kept)
		}
	}
}

// An organisation finds a slot and room for a report beside hoarders: the fifth with 16 slots, or
// with the memory of large reports (in MB, at their peak and while they are sent).
func TestNewOrganisationFindsRoomBesideHoarders(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		limits      fairshare.Limits
		bytes, kept int64
		given       []int
	}{
		"8 slots":  {fairshare.Limits{MaxConcurrent: 8}, 0, 0, []int{4, 2, 1, 1, 0}},
		"16 slots": {fairshare.Limits{MaxConcurrent: 16}, 0, 0, []int{8, 4, 2, 1, 1, 0}},
		"largest reports": {
			fairshare.Limits{MaxConcurrent: 2, Bytes: 96}, 36, 12, []int{2, 1, 1, 1, 1, 0},
		},
		"smaller reports": {
			fairshare.Limits{MaxConcurrent: 2, Bytes: 96}, 14, 4, []int{9, 5, 2, 1, 1, 1, 1, 1, 0},
		},
		"larger than memory": {
			fairshare.Limits{MaxConcurrent: 2, Bytes: 96}, 1000, 12, []int{1, 1, 1, 1, 1, 0},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := fairshare.New(c.limits)
				var given []int
				for i := range c.given {
					given = append(given,
						hoard(t, l, fmt.Sprint("organisation ", i), c.bytes, c.kept))
				}
				require.Equal(t, c.given, given)
			})
		})
	}
}

// Small requests do not starve a large one that is next in turn.
func TestSmallRequestsDoNotOvertake(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := fairshare.New(fairshare.Limits{MaxConcurrent: 8, Bytes: 100})
		a, err := l.Acquire(t.Context(), fairshare.Request{OrganisationID: "a", Bytes: 50})
		require.NoError(t, err)
		_, err = l.Acquire(t.Context(), fairshare.Request{OrganisationID: "b", Bytes: 10})
		require.NoError(t, err)
		var got admitted
		got.acquire(t, l, fairshare.Request{OrganisationID: "c", Bytes: 50}, "large")
		got.acquire(t, l, fairshare.Request{OrganisationID: "d", Bytes: 40}, "small")
		require.Empty(t, got.order(), "there is room for the small one, but it is not its turn")
		a.Release()
		require.ElementsMatch(t, []string{"large", "small"}, got.order())
	})
}

func TestWaitingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := fairshare.New(fairshare.Limits{MaxConcurrent: 2})
		lease := acquire(t, l, "a", "")
		stopped := errors.New("stopped")
		ctx, stop := context.WithCancelCause(t.Context())
		go func() {
			time.Sleep(time.Second)
			stop(stopped)
		}()
		_, err := l.Acquire(ctx, fairshare.Request{OrganisationID: "a"})
		require.ErrorIs(t, err, stopped)
		lease.Release()
		acquire(t, l, "a", "")
	})
}

func TestQueueOfAnOrganisationIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := fairshare.New(fairshare.Limits{MaxConcurrent: 2})
		acquire(t, l, "a", "")
		var waiting admitted
		for range fairshare.MaxWaiting {
			waiting.acquire(t, l, fairshare.Request{OrganisationID: "a"}, "waited")
		}
		begun := time.Now()
		_, err := l.Acquire(t.Context(), fairshare.Request{OrganisationID: "a"})
		require.Error(t, err)
		require.Zero(t, time.Since(begun), "one more is refused at once")
		acquire(t, l, "b", "")
		time.Sleep(fairshare.Wait)
		require.Len(t, waiting.order(), fairshare.MaxWaiting)
	})
}

// Under random concurrent requests no bound is exceeded. In the end everything is free and
// forgotten.
func TestBoundsHoldUnderLoad(t *testing.T) {
	t.Parallel()
	limits := fairshare.Limits{MaxConcurrent: 6, MaxConcurrentPerActor: 2, Bytes: 600}
	l := fairshare.New(limits)
	var mu sync.Mutex
	slots := map[string]int{}
	bytes := map[string]int64{}
	count := func(organisation string, n int, b int64) {
		mu.Lock()
		defer mu.Unlock()
		slots[organisation] += n
		slots[""] += n
		bytes[organisation] += b
		bytes[""] += b
		require.LessOrEqual(t, slots[organisation], limits.MaxConcurrent/2)
		require.LessOrEqual(t, slots[""], limits.MaxConcurrent)
		require.LessOrEqual(t, bytes[organisation], limits.Bytes/2)
		require.LessOrEqual(t, bytes[""], limits.Bytes)
	}
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(i)))
			for range 300 {
				organisation := fmt.Sprint(random.IntN(5))
				b := random.Int64N(300)
				ctx, stop := context.WithTimeout(t.Context(),
					time.Duration(1+random.IntN(2000))*time.Microsecond)
				lease, err := l.Acquire(ctx, fairshare.Request{
					OrganisationID: organisation,
					ActorID:        fmt.Sprint(random.IntN(3)),
					Bytes:          b,
				})
				stop()
				if err != nil {
					continue
				}
				count(organisation, 1, b)
				count(organisation, -1, b/2-b)
				lease.Keep(b / 2)
				count(organisation, 0, -b/2)
				lease.Release()
			}
		})
	}
	all.Wait()
	require.True(t, l.Idle())
}

// Work that is admitted twice, as a small and then as a large report, waits no longer than Wait in
// all.
func TestSecondAdmissionWaitsForWhatIsLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := fairshare.New(fairshare.Limits{MaxConcurrent: 1})
		held := acquire(t, l, "x", "")
		began := time.Now()
		_, err := l.Acquire(t.Context(),
			fairshare.Request{OrganisationID: "a", Waited: fairshare.Wait - time.Second})
		require.True(t, apperr.Is(err, apperr.Unavailable), "%v", err)
		require.Equal(t, time.Second, time.Since(began))
		held.Release()
	})
}

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
