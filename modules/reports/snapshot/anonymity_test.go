package snapshot

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// rules.md, Anonymity.
func TestGroupOfFewActiveMembersIsSuppressed(t *testing.T) {
	t.Parallel()
	for active, want := range []bool{true, true, true, true, true, false, false} {
		require.Equal(t, want, suppressed(active), "%d active", active)
		require.Equal(t, want, Metadata{Grouped: true, activeMembers: active}.Suppressed())
		require.False(t, Metadata{activeMembers: active}.Suppressed(),
			"without groupId nothing is suppressed")
	}
}
