package reports

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"dg/platform/apperr"
)

// LastPlay returns the start of the fork's latest play, and whether there is one. It ignores plays
// in the future, which a wrong clock dated. Not offered for groups: it would reveal when a hidden
// group played. The caller holds the place of a report, which also bounds this connection.
func (s *Service) LastPlay(
	ctx context.Context, organisationID, forkID string,
) (time.Time, bool, error) {
	rows, _ := s.db.Pool.Query(ctx, lastPlaySQL, // its error is the rows'
		pgx.NamedArgs{"org": organisationID, "fork": forkID})
	at, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[time.Time])
	if errors.Is(err, pgx.ErrNoRows) {
		return time.Time{}, false, nil
	}
	return at.UTC(), true, apperr.Annotate(err, "reports: last play")
}

// lastPlaySQL reads one entry, from the end of the index of the fork's plays.
const lastPlaySQL = `/* reports.lastPlay */ select started_at from plays
	where org_id = @org and fork_id = @fork and started_at <= now() order by started_at desc limit 1`
