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
	maxFailures        = 10 // passwords of an account from one network; codes of a person
	maxAccountFailures = 50 // passwords of an account
	passwordWindow     = 10 * time.Minute

	minCodeLock = time.Minute
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
	key    []byte
	max    int
	window time.Duration
}

// newLimit returns a limit. Its key is a hash of kind and id, so that keys have one length and the
// table does not reveal which accounts were tried.
func newLimit(kind, id string, attempts int) Limit {
	key := sha256.Sum256([]byte(kind + ":" + id))
	return Limit{key: key[:], max: attempts, window: passwordWindow}
}

// Passwords returns the limits of an account's passwords: from one network, so that strangers do not
// lock its person out, and in all. One order prevents deadlocks.
func Passwords(email, address string) []Limit {
	account := input.Lower(email)
	return []Limit{
		newLimit("account from", account+" "+netaddr.ClientText(address), maxFailures),
		newLimit("account", account, maxAccountFailures),
	}
}

// Codes are a person's wrong codes since the last right one, as the table users has them.
type Codes struct {
	Wrong       int        `gorm:"column:wrong_codes"`
	Locks       int        `gorm:"column:code_waits"` // in a row
	LockedUntil *time.Time `gorm:"column:codes_wait_until"`
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
	if a.Wrong++; a.Wrong < maxFailures {
		return Codes{Wrong: a.Wrong, Locks: a.Locks}
	}
	lock := maxCodeLock
	if a.Locks < 6 { // 2^6 minutes are more
		lock = minCodeLock << a.Locks
	}
	until := now.Add(lock)
	return Codes{Locks: a.Locks + 1, LockedUntil: &until}
}
