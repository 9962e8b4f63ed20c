package audit

import (
	"context"
	"log/slog"
	"time"
)

// The details in the entry of a burst.
const (
	NotRecorded = "notRecorded" // the number of its events
	CountLost   = "countLost"   // a crash of PostgreSQL lost the count of others
)

// recordInterval is how often bursts become entries: well within a minute.
const recordInterval = 20 * time.Second

// Count counts an entry instead of adding it. RecordBursts then adds one entry for all that have the
// same organisation, actor, action and reason, without target, request and details. The count
// commits before Count returns, outside of a transaction.
//
// Errors: apperr.Internal for an entry that no filter finds.
func (l *Log) Count(ctx context.Context, e Entry) error {
	return l.CountInAll(l.db.Gorm.WithContext(ctx), []string{e.OrganisationID}, e)
}

// Run runs RecordBursts until ctx ends. Several instances may run it: each event is in one entry.
// After a failure, which it logs, the next attempt includes the same events.
func (l *Log) Run(ctx context.Context) {
	tick := time.NewTicker(recordInterval)
	defer tick.Stop()
	for {
		if err := l.RecordBursts(ctx); err != nil && ctx.Err() == nil {
			l.OnEvent(Entry{}, err)
			slog.Warn("cannot record counted audit entries: the next attempt includes them", "error",
				err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
