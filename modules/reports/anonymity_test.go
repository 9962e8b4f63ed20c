package reports

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// rules.md, Anonymity.
func TestGroupOfFewActiveMembersIsSuppressed(t *testing.T) {
	t.Parallel()
	for active, want := range []bool{true, true, true, true, true, false, false} {
		require.Equal(t, want, suppressed(active), "%d active", active)
		require.Equal(t, want, metadata{grouped: true, activeMembers: active}.suppressed())
		require.False(t, metadata{activeMembers: active}.suppressed(),
			"without groupId nothing is suppressed")
	}
}
