package identity

import (
	"errors"
	"fmt"
	"time"

	"dg/modules/audit"
	"dg/modules/identity/throttle"
)

// takeEntry reports whether an event gets an entry of its own. In a flood it looks and does not
// wait for the row.
func takeEntry(tx transaction, action audit.Action, account string, now time.Time) (bool, error) {
	l := throttle.New(string(action), account, maxEntries, time.Minute)
	err := throttle.Check(tx, []throttle.Limit{l}, now)
	if _, reached := errors.AsType[*throttle.LockedError](err); reached {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, ok, err := l.Take(tx, now)
	return ok, err
}

// flushWAL equalises the time of commits with and without WAL, against timing attacks. By hand: it
// is on no table.
func flushWAL(tx transaction) error {
	err := tx.Scopes(ofPeople).
		Exec(`/* identity.flushWAL */ select pg_logical_emit_message(true, 'dg', '')`).Error
	if err != nil {
		return fmt.Errorf("identity: flush: %w", err)
	}
	return nil
}
