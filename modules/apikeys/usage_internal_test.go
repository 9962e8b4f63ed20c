package apikeys

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// The counter is bounded while nothing can be stored. It still counts the keys that it has.
func TestCounterIsBounded(t *testing.T) {
	t.Parallel()
	c := UsageCounter{counts: map[usageKey]counts{}}
	for i := range maxCounted + 10 {
		c.add(usageKey{"o", strconv.Itoa(i), 1}, counts{accepted: 1})
	}
	c.add(usageKey{"o", "0", 1}, counts{refused: 1, limited: 2})
	require.Len(t, c.counts, maxCounted)
	require.Equal(t, counts{1, 1, 2}, c.counts[usageKey{"o", "0", 1}])
}
