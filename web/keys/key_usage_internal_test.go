package keys

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/web/ui"
)

// A screen omits the usage of keys if reading it takes too long. Other failures, and the request's end, are errors.
func TestSlowUsageIsOmitted(t *testing.T) {
	days := map[string][]apikeys.Usage{"k-1": {{Accepted: 1}}}
	failed := errors.New("failed")
	for name, c := range map[string]struct {
		takes, request time.Duration // duration of the read, and deadline of the request
		err            error         // error of reading the usage
		want           map[string][]apikeys.Usage
		fails          error
	}{
		"in time":         {takes: usageTimeout - 1, request: time.Hour, want: days},
		"too long":        {takes: time.Hour, request: time.Hour},
		"fails":           {err: failed, request: time.Hour, fails: failed},
		"request is over": {takes: time.Hour, request: usageTimeout / 2, fails: context.DeadlineExceeded},
	} {
		synctest.Test(t, func(t *testing.T) {
			var keys mockKeys
			keys.On("UsageOf", mock.Anything, mock.Anything, mock.Anything).Return(
				func(ctx context.Context, _ apikeys.Actor, _ []apikeys.Key) (map[string][]apikeys.Usage, error) {
					select {
					case <-ctx.Done():
						return nil, ctx.Err()
					case <-time.After(c.takes):
						return days, c.err
					}
				})
			ctx, end := context.WithTimeout(t.Context(), c.request)
			defer end()
			used, err := (&Handler{Keys: &keys}).usageOf(ctx, &ui.Principal{}, nil)
			require.ErrorIs(t, err, c.fails, name)
			if c.fails == nil {
				require.Equal(t, c.want, used, name)
			}
		})
	}
}
