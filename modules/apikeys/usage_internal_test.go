package apikeys

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// The counter is bounded while nothing can be stored. It still counts the keys that it has.
func TestCounterIsBounded(t *testing.T) {
	t.Parallel()
	var c Counter
	for i := range maxCounted + 10 {
		c.add("o", countKey{strconv.Itoa(i), 1}, accepted, 1)
	}
	c.add("o", countKey{"0", 1}, refused, 1)
	taken, dropped := c.take()
	require.Len(t, taken, maxCounted)
	require.Equal(t, int64(10), dropped)
	require.Equal(t, [outcomes]int64{1, 1, 0}, taken[countKey{"0", 1}].of)

	c.add("o", countKey{"0", 1}, limited, 1)
	c.add("o", countKey{"new", 1}, limited, 1)
	c.giveBack(taken)
	taken, _ = c.take()
	require.Len(t, taken, maxCounted)
	require.Equal(t, [outcomes]int64{1, 1, 1}, taken[countKey{"0", 1}].of)
	taken, dropped = c.take()
	require.Empty(t, taken)
	require.Zero(t, dropped)
}
