package audit

import (
	"context"
	"time"

	"dg/platform/postgres"
)

// Log appends to and reads the logs of organisations.
type Log struct{ db *postgres.DB }

// New returns the log that is kept in db.
func New(db *postgres.DB) *Log { return &Log{db: db} }

// Append adds one entry, durably, in a transaction of its own.
func (l *Log) Append(ctx context.Context, e Entry) error {
	return l.AppendIn(l.db.Gorm.WithContext(ctx), e)
}

// Filter says which entries of a log are asked for: those that have all that is set.
type Filter struct {
	Kind     ActorKind // of the actor
	PersonID string    // of the actor
	Action   Action
	KeyID    string // of the key that acted, or was created or revoked
	Reason   Reason
	From, To time.Time // from the first instant on, before the last
}

// Page asks for a part of a log: the newest entries, or those around one that is named by its number. At most one is. Entries
// are in the order of their instants, and of their numbers where these are equal.
type Page struct {
	Filter Filter
	Before int64 // the entries that are older than this one
	After  int64 // the entries next to this one that are newer
	From   int64 // this one, and those that are older
	Limit  int
}
