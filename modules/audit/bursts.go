package audit

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"dg/platform/apperr"
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
	if !e.findable() {
		return apperr.New(apperr.Internal, "audit: count %q for %q: no filter would find it", e.Action, e.Reason)
	}
	if _, err := l.db.Pool.Exec(ctx, countSQL, e.OrganisationID, e.Actor.Kind, e.Actor.ID, e.Actor.Name, e.Action, e.Reason); err != nil {
		return fmt.Errorf("audit: count %s: %w", e.Action, err)
	}
	return nil
}

// CountInAll is Count for the logs of several organisations, in the caller's transaction.
func (l *Log) CountInAll(ctx context.Context, tx pgx.Tx, organisationIDs []string, e Entry) error {
	if !e.findable() {
		return apperr.New(apperr.Internal, "audit: count %q for %q: no filter would find it", e.Action, e.Reason)
	}
	for _, id := range organisationIDs {
		if _, err := tx.Exec(ctx, countSQL, id, e.Actor.Kind, e.Actor.ID, e.Actor.Name, e.Action, e.Reason); err != nil {
			return fmt.Errorf("audit: count %s: %w", e.Action, err)
		}
	}
	return nil
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
