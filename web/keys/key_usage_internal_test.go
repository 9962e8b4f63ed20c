package keys

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"

	"dg/platform/testkit/tb"
	"dg/web/ui"
)

// The wait for usage is bounded. A failure before its end is an error. TestKeyListShowsUsage tests the timeout.
func TestFailureToReadUsageIsAnError(t *testing.T) {
	bounded := func(ctx context.Context) bool {
		deadline, ok := ctx.Deadline()
		return ok && time.Until(deadline) <= usageTimeout
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for failure, ctx := range map[error]context.Context{errors.New("failed"): t.Context(), context.Canceled: ended} {
		var keys mockKeys
		keys.On("UsageOf", mock.MatchedBy(bounded), mock.Anything, mock.Anything).Return(nil, failure)
		require.ErrorIs(t, tb.ErrorOf((&Handler{Keys: &keys}).usageOf(ctx, &ui.Principal{}, nil)), failure)
	}
}
