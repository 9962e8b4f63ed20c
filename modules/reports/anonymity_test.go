package reports

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Specification, section 8, and decisions, "k-anonymity": suppressed when the group has fewer than 5 members, or when 1 to
// 4 of its members played; a group of 5 or more of whom none played gives zeros.
func TestSuppressed(t *testing.T) {
	t.Parallel()
	for members, byActive := range [][]bool{
		0: {true},
		1: {true, true},
		2: {true, true, true},
		3: {true, true, true, true},
		4: {true, true, true, true, true},
		5: {false, true, true, true, true, false},
		6: {false, true, true, true, true, false, false},
	} {
		for active, want := range byActive {
			require.Equal(t, want, suppressed(members, active), "%d members, %d active", members, active)
			require.Equal(t, want, scope{grouped: true, members: members, active: active}.suppressed())
			require.False(t, scope{members: members, active: active}.suppressed(), "without groupId nothing is suppressed")
		}
	}
}
