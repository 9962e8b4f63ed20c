package throttle

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Each lock is twice the previous one and at most an hour, so that a day allows fewer than 300
// guesses.
func TestLockAfterWrongCodesDoubles(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	var codes Codes
	guess := func() (wait time.Duration) {
		for range 10 {
			require.NoError(t, codes.Check(now))
			codes = codes.AfterFailure(now)
		}
		wait = codes.LockedUntil.Sub(now)
		require.Error(t, codes.Check(now.Add(wait-1)))
		now = now.Add(wait)
		return wait
	}
	for _, minutes := range []int{1, 2, 4, 8, 16, 32, 60, 60} {
		require.Equal(t, time.Duration(minutes)*time.Minute, guess())
	}
	guessed := 0
	for end := now.Add(24 * time.Hour); now.Before(end); guessed += 10 {
		guess()
	}
	require.Less(t, guessed, 300)
}
