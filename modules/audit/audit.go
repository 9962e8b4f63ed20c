package audit

import (
	"context"

	"dg/platform/postgres"
)

// Log appends to and reads the logs of organisations.
type Log struct{ db *postgres.DB }

// New returns the log over db.
func New(db *postgres.DB) *Log { return &Log{db: db} }

// Append adds one entry in a transaction of its own. Errors: apperr.Internal for an entry that no filter finds.
func (l *Log) Append(ctx context.Context, e Entry) error {
	return l.AppendIn(l.db.Gorm.WithContext(ctx), e)
}
