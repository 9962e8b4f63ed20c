package audit

import (
	"context"
	"log/slog"
	"time"
)

// The details in the entry of a burst: how many events it stands for, and whether a crash of
// PostgreSQL lost the count of others.
const (
	NotRecorded = "notRecorded"
	CountLost   = "countLost"
)

// recordInterval is how often bursts become entries: well within a minute.
const recordInterval = 20 * time.Second

// Count counts an entry instead of adding it. The next entry of RecordBursts with the same
// organisation, actor, action and reason says how many there were, without target, request and
// details, which differ. The count is in the database before Count returns.
//
// Errors: apperr.Internal for an entry that no filter finds.
func (l *Log) Count(ctx context.Context, e Entry) error {
	return l.CountInAll(l.db.Gorm.WithContext(ctx), []string{e.OrganisationID}, e)
}

// Run makes entries of bursts until ctx ends. Any number of instances may run it: each event is in
// one entry. After a failure, which it logs, the next attempt includes the same events.
func (l *Log) Run(ctx context.Context) {
	tick := time.NewTicker(recordInterval)
	defer tick.Stop()
	for {
		if err := l.RecordBursts(ctx); err != nil && ctx.Err() == nil {
			l.OnEvent(Entry{}, err)
			slog.Warn("cannot record counted audit entries: the next attempt includes them",
				"error",
				err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
