package identity

import (
	"crypto/sha256"
	"math"
	"time"

	"dg/platform/apperr"
)

// maxWrong wrong codes, or passwords within a minute, make the step wait for guessWait.
const (
	maxWrong  = 10
	guessWait = time.Minute
)

// The answers to a wrong guess. That for an e-mail nobody has is the same as that for a wrong password.
var (
	ErrWrongPassword = apperr.New(apperr.Validation, "E-mail or password is wrong. Check both and try again.")
	ErrWrongCode     = apperr.New(apperr.Validation,
		"That code did not work. It may have changed, or been used already. Type the next one.")
)

// LockedError says that there were too many wrong guesses, and until when no other is looked at.
type LockedError struct {
	Until time.Time
	cause *apperr.Error
}

func locked(until, now time.Time) error {
	e := apperr.New(apperr.RateLimited, "Too many wrong tries. Try again at %s.", until.UTC().Format("15:04:05 UTC"))
	e.RetryAfter = max(1, int(math.Ceil(until.Sub(now).Seconds())))
	return &LockedError{Until: until, cause: e}
}

func (e *LockedError) Error() string { return e.cause.Error() }

// Unwrap returns the error of the code ErrRateLimited.
func (e *LockedError) Unwrap() error { return e.cause }

// guesses are the wrong codes of a person.
type guesses struct {
	wrong     int
	waitUntil *time.Time
}

func (g guesses) waits(now time.Time) bool { return g.waitUntil != nil && now.Before(*g.waitUntil) }

// oneMore is what there is after another wrong code.
func (g guesses) oneMore(now time.Time) guesses {
	if g.wrong++; g.wrong < maxWrong {
		return guesses{wrong: g.wrong}
	}
	until := now.Add(guessWait)
	return guesses{waitUntil: &until}
}

// guessKey is what passwords are counted by: of the same length for any e-mail, and no list of whom somebody tried.
func guessKey(emailKey string) []byte {
	h := sha256.Sum256([]byte(emailKey))
	return h[:]
}
