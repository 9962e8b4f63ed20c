package password

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHashingLeavesAProcessorFree(t *testing.T) {
	t.Parallel()
	h := NewHasher(DefaultCost)
	var running, peak atomic.Int64
	var all sync.WaitGroup
	for range 32 {
		all.Go(func() {
			_ = h.run(context.Background(), h.cost, func() {
				now := running.Add(1)
				for seen := peak.Load(); now > seen &&
					!peak.CompareAndSwap(seen, now); seen = peak.Load() {
				}
				runtime.Gosched()
				running.Add(-1)
			})
		})
	}
	all.Wait()
	require.LessOrEqual(t, peak.Load(), int64(max(1, processors-1)))
}
