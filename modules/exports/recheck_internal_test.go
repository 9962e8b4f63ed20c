package exports

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/apperr"
)

// rules.md, CSV: a download asks twice a second whether its actor has access. Lost access ends it,
// a database that does not answer only after a while.
func TestRecheckDistinguishesLostAccessFromSilence(t *testing.T) {
	t.Parallel()
	lost := errors.New("lost")
	for name, c := range map[string]struct {
		answer error
		want   error
		after  time.Duration
	}{
		"revoked": {apperr.New(apperr.AuthRequired, "Revoked."), lost, recheckEvery},
		"denied":  {apperr.New(apperr.AccessDenied, "No."), lost, recheckEvery},
		"left":    {apperr.New(apperr.NotFound, "Gone."), lost, recheckEvery},
		"silence": {context.DeadlineExceeded, ErrNoAnswer, answerBound + recheckEvery},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked := 0
				r := NewRecheck(func(context.Context) error {
					asked++
					return c.answer
				}, lost)
				began := time.Now()
				var err error
				for err == nil && time.Since(began) < time.Minute {
					time.Sleep(100 * time.Millisecond)
					err = r.Check(t.Context())
				}
				require.ErrorIs(t, err, c.want)
				require.Equal(t, c.after, time.Since(began))
				require.Equal(t, int(c.after/recheckEvery), asked)
			})
		})
	}
}
