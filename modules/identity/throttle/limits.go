package throttle

import (
	"crypto/sha256"
	"math"
	"time"

	"dg/platform/apperr"
	"dg/platform/input"
	"dg/platform/netaddr"
)

// The limits of wrong attempts. A limit that is reached within its window starts a lock of the
// window's length.
const (
	maxAccountFailures = 10 // passwords of an account at the sign-in; codes of a person
	accountWindow      = time.Minute

	maxSessionFailures = 10 // passwords within a session
	maxPersonFailures  = 50 // passwords within all sessions of a person
	sessionWindow      = 10 * time.Minute

	maxAddressFailures = 20 // from one address, whatever the account
	addressWindow      = 10 * time.Minute

	maxCodeLock = time.Hour // the longest lock after wrong codes: each is twice the one before
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

// Limit bounds the wrong attempts within a window. The last one starts a lock of the same length.
type Limit struct {
	key           []byte
	max           int
	window        time.Duration
	keepOnSuccess bool // a right attempt does not clear the count
}

// New returns a limit. Its key is a hash of kind and id, so that keys have one length and the table
// does not reveal which accounts were tried.
func New(kind, id string, attempts int, window time.Duration) Limit {
	key := sha256.Sum256([]byte(kind + ":" + id))
	return Limit{key: key[:], max: attempts, window: window}
}

// SignIn returns the limits of a sign-in, by address, then account: one order prevents deadlocks.
func SignIn(email, fromAddress string) []Limit {
	address := New("address", netaddr.ClientText(fromAddress), maxAddressFailures, addressWindow)
	address.keepOnSuccess = true // otherwise an attacker's own account would clear it
	return []Limit{address, New("account", input.Lower(email), maxAccountFailures, accountWindow)}
}

// Session returns the limits of a password within a session. They are apart from those of sign-in,
// which strangers can exhaust. A thief with a stolen cookie locks that session only: the person's
// limit is looser.
func Session(personID, token, address string) []Limit {
	from := New("session address", netaddr.ClientText(address), maxAddressFailures, addressWindow)
	from.keepOnSuccess = true // otherwise an attacker's own session would clear it
	return []Limit{
		from,
		New("session token", token, maxSessionFailures, sessionWindow),
		New("person", personID, maxPersonFailures, sessionWindow),
	}
}

// Codes are a person's wrong codes since the last right one.
type Codes struct {
	Wrong       int
	Locks       int // in a row
	LockedUntil *time.Time
}

// Check returns a LockedError while no code is compared.
func (a Codes) Check(now time.Time) error {
	if a.LockedUntil != nil && now.Before(*a.LockedUntil) {
		return newLockedError(*a.LockedUntil, now)
	}
	return nil
}

// AfterFailure counts another wrong code. The tenth begins a lock, twice as long as the previous one.
func (a Codes) AfterFailure(now time.Time) Codes {
	if a.Wrong++; a.Wrong < maxAccountFailures {
		return Codes{Wrong: a.Wrong, Locks: a.Locks}
	}
	lock := maxCodeLock
	if a.Locks < 6 { // 2^6 minutes are more
		lock = accountWindow << a.Locks
	}
	until := now.Add(lock)
	return Codes{Locks: a.Locks + 1, LockedUntil: &until}
}
