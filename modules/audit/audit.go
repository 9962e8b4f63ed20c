package audit

import (
	"context"

	"dg/platform/postgres"
)

// Log appends to and reads the logs of organisations.
type Log struct {
	db *postgres.DB

	OnEvent func(Entry, error) // called for each event, with its error; set before the first
}

// New returns the log over db.
func New(db *postgres.DB) *Log { return &Log{db: db, OnEvent: func(Entry, error) {}} }

// report calls OnEvent for an event of at least one log, and returns its error.
func (l *Log) report(logs int, e Entry, err error) error {
	if logs > 0 || err != nil {
		l.OnEvent(e, err)
	}
	return err
}

// Append adds one entry in a transaction of its own. Errors: apperr.Internal for an
// unknown action.
func (l *Log) Append(ctx context.Context, e Entry) error {
	return l.AppendIn(l.db.Gorm.WithContext(ctx), e)
}
