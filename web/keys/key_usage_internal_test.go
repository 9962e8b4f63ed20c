package keys

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The wait for usage is bounded. A failure before its end is an error. TestKeyListShowsUsage tests the timeout.
func TestFailureToReadUsageIsAnError(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for failure, ctx := range map[error]context.Context{errors.New("failed"): t.Context(), context.Canceled: ended} {
		late, err := bounded(ctx, func(ctx context.Context) error {
			deadline, ok := ctx.Deadline()
			require.True(t, ok && time.Until(deadline) <= usageTimeout)
			return failure
		})
		require.False(t, late)
		require.ErrorIs(t, err, failure)
	}
}
