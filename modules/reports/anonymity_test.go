package reports

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Specification, section 8, and decisions, "k-anonymity": a report on a group is suppressed when fewer than 5 of its members
// played, nobody included.
func TestSuppressed(t *testing.T) {
	t.Parallel()
	for active, want := range []bool{true, true, true, true, true, false, false} {
		require.Equal(t, want, suppressed(active), "%d active", active)
		require.Equal(t, want, metadata{grouped: true, activeMembers: active}.suppressed())
		require.False(t, metadata{activeMembers: active}.suppressed(), "without groupId nothing is suppressed")
	}
}
