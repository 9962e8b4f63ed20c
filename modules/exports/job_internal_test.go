package exports

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// A panic while the end of an export is recorded, in the background, ends neither the process nor
// anything else.
func TestPanicWhileTheEndIsRecordedIsRecovered(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancelCause(t.Context())
	j := &job{service: &Service{}, stop: stop} // without a log, recording panics
	require.NotPanics(t, func() { j.recordEnd(nil) })
	require.ErrorContains(t, context.Cause(ctx), "panic")
}
