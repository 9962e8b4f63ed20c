package throttle

import "time"

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

// AfterFailure counts another wrong code: the tenth begins a lock, twice as long as the one before.
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
