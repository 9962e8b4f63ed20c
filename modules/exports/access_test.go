package exports_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/exports"
	"dg/platform/apperr"
)

var errLost = errors.New("access lost")

// ended waits for the end of a watched download and returns how long it took and its cause.
func ended(t *testing.T, recheck func(context.Context) error) (after time.Duration, cause error) {
	t.Helper()
	begun := time.Now()
	ctx, stop := exports.RecheckContext(recheck, errLost)
	defer stop(nil)
	<-ctx.Done()
	return time.Since(begun), context.Cause(ctx)
}

// rules.md, CSV: a download ends within two seconds after its actor loses access and after the
// database stops answering, and the two are not confused.
func TestRecheckDistinguishesLostAccessFromSilence(t *testing.T) {
	t.Parallel()
	denied := func(code apperr.Code) func(context.Context) error {
		return func(context.Context) error { return apperr.New(code, "no") }
	}
	for name, c := range map[string]struct {
		recheck func(context.Context) error
		cause   error
	}{
		"silence": {func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}, exports.ErrNoAnswer},
		"failure": {
			func(context.Context) error {
				return errors.New("connection refused")
			}, exports.ErrNoAnswer,
		},
		"cancelled": {
			func(context.Context) error { return context.Canceled }, exports.ErrNoAnswer,
		},
		"unavailable":   {denied(apperr.Unavailable), exports.ErrNoAnswer},
		"revoked":       {denied(apperr.AuthRequired), errLost},
		"role lost":     {denied(apperr.AccessDenied), errLost},
		"no membership": {denied(apperr.NotFound), errLost},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				after, cause := ended(t, c.recheck)
				require.ErrorIs(t, cause, c.cause)
				require.LessOrEqual(t, after, 2*time.Second)
				if c.cause != errLost {
					require.NotContains(t, apperr.From(cause).Message, "refused",
						"no message shows internals")
				}
			})
		})
	}
}

func TestRecheckSurvivesShortSilence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		after, cause := ended(t, func(ctx context.Context) error {
			if asked++; asked%3 == 0 { // two answers fail, one does not
				return nil
			}
			<-ctx.Done()
			return ctx.Err()
		})
		require.ErrorIs(t, cause, exports.ErrTimeLimit)
		require.Equal(t, 30*time.Minute, after)
	})
}

func TestPanicInRecheckEndsOnlyTheDownload(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, cause := ended(t, func(context.Context) error { panic("index out of range") })
		require.Error(t, cause)
		require.NotErrorIs(t, cause, errLost)
		require.NotErrorIs(t, cause, exports.ErrNoAnswer)
	})
}

// The end of one download must not cancel a query on the connection that the others use too.
func TestRecheckIsNotCancelledWithItsDownload(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		asked := make(chan context.Context)
		answer := make(chan struct{})
		_, stop := exports.RecheckContext(func(ctx context.Context) error {
			asked <- ctx
			<-answer
			return nil
		}, errLost)
		recheck := <-asked
		stop(nil)
		synctest.Wait()
		require.NoError(t, recheck.Err())
		close(answer)
	})
}
