package password

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHashesAtOnceShareTheMemoryOfTheLargest(t *testing.T) {
	t.Parallel()
	h := NewHasher(DefaultCost)
	largest := DefaultCost
	largest.Memory = maxMemory
	var running, peak atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			_ = h.withMemory(context.Background(), largest, func() {
				peak.Store(max(peak.Load(), running.Add(1)))
				runtime.Gosched()
				running.Add(-1)
			})
		})
	}
	all.Wait()
	require.EqualValues(t, 1, peak.Load())
}
