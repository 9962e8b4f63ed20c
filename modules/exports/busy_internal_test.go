package exports

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/semaphore"

	"dg/platform/apperr"
)

// rules.md, Bounds: an export that finds no slot is told whose limit that is.
func TestRefusedExportNamesTheLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New(nil, nil, nil)
		hold := func(organisation string, times int) {
			for range times {
				_, err := s.slots.Acquire(t.Context(), organisation)
				require.NoError(t, err)
			}
		}
		refused := func(organisation, whose string) {
			_, err := s.slots.Acquire(t.Context(), organisation)
			require.True(t, apperr.Is(err, apperr.Unavailable))
			e := apperr.From(err)
			require.Equal(t, 5, e.RetryAfter)
			require.Equal(t, fmt.Sprintf("Too many exports %s. Retry in 5 seconds.", whose),
				e.Message)
		}
		hold("a", 4)
		refused("a", "of this organisation: at most 4 run at once")
		hold("b", 3)
		hold("c", 1)
		refused("d", "on this instance: at most 8 run at once")
	})
}

// Exports make their blocks in turns, but not behind one whose database is silent.
func TestExportsTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New(nil, nil, nil)
		s.cpus = semaphore.NewWeighted(1)
		first := s.acquireCPU(t.Context())
		began := time.Now()
		time.AfterFunc(cpuWait/2, first)
		second := s.acquireCPU(t.Context())
		require.Equal(t, cpuWait/2, time.Since(began))
		s.acquireCPU(t.Context())()
		require.Equal(t, cpuWait/2+cpuWait, time.Since(began))
		second()
		s.acquireCPU(t.Context())()
		require.Equal(t, cpuWait/2+cpuWait, time.Since(began))
	})
}
