package identity

import (
	"crypto/sha256"
	"math"
	"time"

	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/netaddr"
)

// The limits of wrong attempts. Once a limit is reached within its window, nothing more is compared
// for as long again.
const (
	maxAccountFailures = 10 // passwords of an account at the sign-in; codes of a person
	accountWindow      = time.Minute

	maxSessionFailures = 10 // passwords within a session
	maxPersonFailures  = 50 // passwords within all sessions of a person
	sessionWindow      = 10 * time.Minute

	maxAddressFailures = 20 // from one address, whatever the account
	addressWindow      = 10 * time.Minute

	maxBrowserFailures = 5 // in a known browser, passwords and codes apart
	browserWindow      = 15 * time.Minute

	maxCodeLock = time.Hour // the lock after wrong codes doubles up to it
)

// The answers to a wrong attempt.
var (
	ErrWrongPassword = apperr.New(apperr.Validation,
		"E-mail or password is wrong. Check both and try again.")
	ErrWrongCode = apperr.New(apperr.Validation,
		"This code is wrong, expired or already used. Enter the next one.")
)

// LockedError says that there were too many wrong attempts, and until when none is compared.
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

// attemptLimit is the number of wrong attempts within a window. The last one starts a lock of the
// same length.
type attemptLimit struct {
	key           []byte
	max           int
	window        time.Duration
	keepOnSuccess bool // a right attempt does not clear the count
}

// newLimit hashes the key: keys have one length, and the table does not reveal which accounts were
// tried.
func newLimit(kind, id string, attempts int, window time.Duration) attemptLimit {
	key := sha256.Sum256([]byte(kind + ":" + id))
	return attemptLimit{key: key[:], max: attempts, window: window}
}

// signInLimits returns the limits of a sign-in. A known browser has a limit of its own, which
// strangers can neither reach nor exhaust. Other browsers are counted by address and account,
// always in this order, which prevents deadlocks.
func signInLimits(who credentials, from Client) []attemptLimit {
	if who.knownBrowser {
		return []attemptLimit{newLimit("browser", from.Browser, maxBrowserFailures, browserWindow)}
	}
	address := newLimit("address", netaddr.ClientText(from.Address), maxAddressFailures,
		addressWindow)
	address.keepOnSuccess = true // or an own account would clear it
	return []attemptLimit{
		address, newLimit("account", EmailKey(who.Email), maxAccountFailures, accountWindow),
	}
}

// sessionLimits returns the limits of a password within a session, apart from those of sign-in,
// which strangers can reach. A thief with a copied cookie locks that session, and its person signs
// in again. The person's limit is looser than a session's.
func sessionLimits(who credentials, token, address string) []attemptLimit {
	from := newLimit("session address", netaddr.ClientText(address), maxAddressFailures,
		addressWindow)
	from.keepOnSuccess = true // or an own session would clear it
	return []attemptLimit{
		from,
		newLimit("session token", token, maxSessionFailures, sessionWindow),
		newLimit("person", who.ID, maxPersonFailures, sessionWindow),
	}
}

// codeLimit limits codes in a session of a known browser.
func codeLimit(browser []byte) attemptLimit {
	return newLimit("codes", string(browser), maxBrowserFailures, browserWindow)
}

// entryLimit limits entries in the audit log. See record.
func entryLimit(action audit.Action, account string) attemptLimit {
	return newLimit(string(action), account, maxEntries, time.Minute)
}

// codeAttempts are a person's wrong codes since the last right one.
type codeAttempts struct {
	wrong       int
	locks       int // in a row
	lockedUntil *time.Time
}

func (a codeAttempts) locked(now time.Time) bool {
	return a.lockedUntil != nil && now.Before(*a.lockedUntil)
}

// afterFailure counts another wrong code: the tenth begins a lock, twice as long as the one before.
func (a codeAttempts) afterFailure(now time.Time) codeAttempts {
	if a.wrong++; a.wrong < maxAccountFailures {
		return codeAttempts{wrong: a.wrong, locks: a.locks}
	}
	lock := maxCodeLock
	if a.locks < 6 { // 2^6 minutes are more
		lock = accountWindow << a.locks
	}
	until := now.Add(lock)
	return codeAttempts{locks: a.locks + 1, lockedUntil: &until}
}
