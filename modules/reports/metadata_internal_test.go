package reports

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// rules.md, Anonymity.
func TestGroupOfFewActiveMembersIsSuppressed(t *testing.T) {
	t.Parallel()
	for active, want := range []bool{true, true, true, true, true, false, false} {
		require.Equal(t, want, suppressed(testGroup, active), "%d active", active)
		require.False(t, suppressed("", active), "without groupId nothing is suppressed")
	}
}
