package audit

import (
	"context"
	"time"

	"dg/platform/postgres"
)

// Log appends to and reads the logs of organisations.
type Log struct {
	db  *postgres.DB
	now func() time.Time
}

// New returns the log that is kept in db.
func New(db *postgres.DB, now func() time.Time) *Log { return &Log{db: db, now: now} }

// Append adds one entry, durably, in a transaction of its own.
func (l *Log) Append(ctx context.Context, e Entry) error {
	return l.AppendIn(l.db.Gorm.WithContext(ctx), e)
}

// Page asks for a part of a log: at most Limit entries, newest first, that are older than the entry Before (0: the newest).
type Page struct {
	Before int64
	Limit  int
}
