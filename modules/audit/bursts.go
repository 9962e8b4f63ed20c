package audit

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
)

// What the entry of a burst says in its details: how many events it stands for, and whether a crash of PostgreSQL has taken
// the count of others away.
const (
	NotRecorded = "notRecorded"
	CountLost   = "countLost"
)

// recordEvery is how often bursts become entries. It is well below the minute within which they have to.
const recordEvery = 20 * time.Second

// Count counts an entry that comes too often to be recorded by itself: of the same organisation, actor, action and reason,
// the next entry of RecordBursts says how many there were. It has no target, no request and no details, which differ from
// one to the next. What is counted is kept in the database before Count returns.
//
// Errors: ErrInternal for an entry that no filter would find.
func (l *Log) Count(ctx context.Context, e Entry) error {
	return count(ctx, l.db.Pool, []string{e.OrganisationID}, e)
}

// CountInAll is Count for the logs of several organisations, in the caller's transaction.
func (l *Log) CountInAll(ctx context.Context, tx pgx.Tx, organisationIDs []string, e Entry) error {
	return count(ctx, tx, organisationIDs, e)
}

// Run makes entries of bursts until ctx ends: any number of instances may, and each event is in one entry. Failures are
// logged, and what they left is in the next entry.
func (l *Log) Run(ctx context.Context) {
	tick := time.NewTicker(recordEvery)
	defer tick.Stop()
	for {
		if err := l.RecordBursts(ctx); err != nil && ctx.Err() == nil {
			slog.Warn("counted audit entries could not be recorded: the next attempt includes them", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
