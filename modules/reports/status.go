package reports

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// ForkSegments is what of a fork is sealed. Marked days have a segment that is not read: plays were written since. Large
// ones have too many plays for one.
type ForkSegments struct {
	ForkID                      string
	Days, Marked, Large, Months int
	Bytes                       int64
}

// Status returns what is sealed, of all organisations.
func (s *Sealer) Status(ctx context.Context) ([]ForkSegments, error) {
	rows, err := s.db.Pool.Query(ctx, `/* reports.status */
		select d.fork_id::text, count(*) filter (where d.head_bytes > 0)::int,
		       (select count(distinct u.day)::int from unsealed_days u where u.fork_id = d.fork_id),
		       count(*) filter (where d.head_bytes = 0)::int,
		       (select count(*)::int from fork_months m where m.fork_id = d.fork_id and m.org_id = d.org_id
		           and not exists (select from unsealed_months u where u.fork_id = m.fork_id and u.month = m.month)),
		       (sum(octet_length(d.segment)) + coalesce((select sum(octet_length(m.segment)) from fork_months m where m.fork_id = d.fork_id and m.org_id = d.org_id), 0))::bigint
		  from fork_days d group by d.fork_id, d.org_id order by d.fork_id`)
	if err != nil {
		return nil, fmt.Errorf("reports: status: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[ForkSegments])
}
