package identity

import (
	"crypto/sha256"
	"math"
	"time"

	"dg/platform/apperr"
	"dg/platform/input"
	"dg/platform/netaddr"
)

// The limits of wrong attempts. Reaching a limit within its window starts a lock of the window's
// length. During a lock nothing is compared: right and wrong attempts get the same answer.
const (
	maxFailures        = 10 // passwords of an account from one network; codes of a person
	maxAccountFailures = 50 // passwords of an account
	passwordWindow     = 10 * time.Minute
	codeWindow         = time.Hour // so that a day has at most 240 guesses
)

// LockedError says that there were too many wrong attempts, and until when the lock lasts.
type LockedError struct {
	Until time.Time
	cause *apperr.Error
}

func newLockedError(until, now time.Time) error {
	e := apperr.New(apperr.RateLimited, "Too many wrong attempts. Try again at %s.",
		until.UTC().Format("15:04:05 UTC"))
	e.RetryAfter = max(1, int(math.Ceil(until.Sub(now).Seconds())))
	return &LockedError{Until: until, cause: e}
}

func (e *LockedError) Error() string { return e.cause.Error() }

// Unwrap returns the error with the code apperr.RateLimited.
func (e *LockedError) Unwrap() error { return e.cause }

// guessLimit bounds the wrong attempts within a window. The last one starts a lock of the same length.
type guessLimit struct {
	key    []byte
	max    int
	window time.Duration
}

// limitKey hashes the key of a limit, so that keys have one length and the table does not reveal
// which accounts were tried.
func limitKey(kind, id string) []byte {
	key := sha256.Sum256([]byte(kind + ":" + id))
	return key[:]
}

// passwordLimits returns the limits of an account: from one network, so that strangers do not lock
// its person out, and in all. The fixed order prevents deadlocks.
func passwordLimits(email, address string) []guessLimit {
	account := input.Lower(email)
	network := account + " " + netaddr.ClientText(address)
	return []guessLimit{
		{limitKey("account from", network), maxFailures, passwordWindow},
		{limitKey("account", account), maxAccountFailures, passwordWindow},
	}
}

// codeLimits returns the limit of a person's codes, which begins anew with another secret.
func codeLimits(personID, secret string) []guessLimit {
	return []guessLimit{{limitKey("codes", personID+" "+secret), maxFailures, codeWindow}}
}
