package exports

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"dg/platform/apperr"
)

// The timeouts of a download. A recheck fails after recheckTimeout. After answerBound without an
// answer the database counts as unavailable, which keeps the promised two seconds.
const (
	timeLimit      = 30 * time.Minute
	recheckEvery   = 500 * time.Millisecond
	recheckTimeout = 500 * time.Millisecond
	answerBound    = 1500 * time.Millisecond
)

// Causes of RecheckContext other than the loss of access.
var (
	ErrNoAnswer error = &apperr.Error{
		Code:       apperr.Unavailable,
		Message:    "The database did not answer. Retry in 5 seconds.",
		RetryAfter: 5,
	}
	ErrTimeLimit error = apperr.New(apperr.Unavailable,
		"The download took longer than 30 minutes. Choose a shorter period.")
)

// RecheckContext returns the context of a download that outlives the check of its actor's access.
// It ends, with the cause, within two seconds after recheck denies access (lost), or after the
// database stops answering (ErrNoAnswer), and after 30 minutes (ErrTimeLimit). The caller ends it
// with stop.
//
// recheck returns nil while the actor has access, and apperr.AuthRequired, apperr.AccessDenied or
// apperr.NotFound after it lost access. Any other error means that the database did not answer.
func RecheckContext(
	recheck func(context.Context) error, lost error,
) (ctx context.Context, stop context.CancelCauseFunc) {
	limited, stopClock := context.WithTimeoutCause(context.Background(), timeLimit, ErrTimeLimit)
	ctx, cancel := context.WithCancelCause(limited)
	stop = func(cause error) {
		cancel(cause)
		stopClock()
	}
	go watch(ctx, stop, recheck, lost)
	return ctx, stop
}

func watch(
	ctx context.Context, stop context.CancelCauseFunc, recheck func(context.Context) error,
	lost error,
) {
	defer recoverPanic(stop)
	tick := time.NewTicker(recheckEvery)
	defer tick.Stop()
	for answered := time.Now(); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		err := recheckOnce(ctx, recheck)
		switch {
		case err == nil:
			answered = time.Now()
		case denied(err):
			stop(lost)
			return
		case time.Since(answered) > answerBound:
			stop(fmt.Errorf("%w: %w", ErrNoAnswer, err))
			return
		}
	}
}

// recheckOnce does not end with the download: a cancelled query would close the connection that all
// downloads share.
func recheckOnce(ctx context.Context, recheck func(context.Context) error) error {
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), recheckTimeout)
	defer done()
	return recheck(ctx)
}

func denied(err error) bool {
	return apperr.Is(err, apperr.AuthRequired) || apperr.Is(err, apperr.AccessDenied) ||
		apperr.Is(err, apperr.NotFound)
}

// recoverPanic is deferred by every goroutine of a download: a panic there would end the process.
func recoverPanic(stop context.CancelCauseFunc) {
	if p := recover(); p != nil {
		slog.Error("panic in the background of a download", "panic", fmt.Sprint(p), "stack",
			string(debug.Stack()))
		stop(errors.New("panic in the background of a download"))
	}
}
