package exports

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/modules/audit"
	"dg/modules/reports"
	"dg/platform/apperr"
	"dg/platform/fairshare"
)

// Many that wait in vain are not refused at once, and not in one moment.
func TestRefusalsOfACrowdAreSpread(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New(nil, nil)
		r := Request{Query: reports.Query{OrganisationID: "acme"}, Actor: audit.Actor{ID: "key"}}
		for range MaxAtOnceOfActor {
			_, err := s.acquire(t.Context(), r)
			require.NoError(t, err)
		}
		begun := time.Now()
		refused := make([]time.Duration, maxWaiting)
		var all sync.WaitGroup
		for i := range refused {
			all.Go(func() {
				_, err := s.acquire(t.Context(), r)
				assert.True(t, apperr.Is(err, apperr.Unavailable))
				refused[i] = time.Since(begun)
			})
		}
		all.Wait()
		slices.Sort(refused)
		require.GreaterOrEqual(t, refused[0], fairshare.Wait/2)
		require.LessOrEqual(t, refused[maxWaiting-1], fairshare.Wait)
		for i := range maxWaiting - 100 {
			require.Greater(t, refused[i+100]-refused[i], 50*time.Millisecond,
				"a tenth of them at once")
		}
	})
}
