package reports

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// LastPlay returns the start of the fork's latest play, and whether there is one. Not offered for
// groups: it would reveal when a hidden group played. The caller holds the lease of a report
// without plays, whose connection it takes: it waits for no other.
func (s *Service) LastPlay(
	ctx context.Context, organisationID, forkID string,
) (time.Time, bool, error) {
	return lastPlay(ctx, s.reads.Pool, organisationID, forkID)
}

// lastPlaySQL takes the end of the index of the fork's plays. $1 organisation, $2 fork.
const lastPlaySQL = `/* reports.lastPlay */ select started_at from plays
	where org_id = $1 and fork_id = $2 order by started_at desc limit 1`

func lastPlay(
	ctx context.Context, db *pgxpool.Pool, organisationID, forkID string,
) (time.Time, bool, error) {
	rows, err := db.Query(ctx, lastPlaySQL, organisationID, forkID)
	if err != nil {
		return time.Time{}, false, fmt.Errorf("reports: last play: %w", err)
	}
	at, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[time.Time])
	if errors.Is(err, pgx.ErrNoRows) {
		return time.Time{}, false, nil
	}
	if err != nil {
		return time.Time{}, false, fmt.Errorf("reports: last play: %w", err)
	}
	return at.UTC(), true, nil
}
