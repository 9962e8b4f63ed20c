package reports

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// $1 organisation, $2 fork, $3 date.
const (
	cleanDaysOfForkSQL    = `/* reports.verify */ select day from ` + cleanDays + ` d where org_id = $1 and fork_id = $2 order by day`
	sealedMonthsOfForkSQL = `/* reports.verify */ select month from ` + sealedMonths + ` m where org_id = $1 and fork_id = $2 order by month`
	storedDaySQL          = `/* reports.verify */ select sums, head_bytes, segment from fork_days where org_id = $1 and fork_id = $2 and day = $3`
	storedMonthSQL        = `/* reports.verify */ select null::bytea, head_bytes, segment from fork_months where org_id = $1 and fork_id = $2 and month = $3`
)

func (s *snapshot) dates(ctx context.Context, sql string) ([]time.Time, error) {
	rows, err := s.conn.Query(ctx, sql, s.query.OrganisationID, s.query.ForkID)
	if err != nil {
		return nil, fmt.Errorf("reports: verify: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[time.Time])
}

func (s *snapshot) readStored(ctx context.Context, sql string) (got stored, err error) {
	q := s.query
	err = s.conn.QueryRow(ctx, sql, q.OrganisationID, q.ForkID, q.Period.From).Scan(&got.sums, &got.head, &got.segment)
	if err != nil {
		return got, fmt.Errorf("reports: verify: %w", err)
	}
	return got, nil
}
