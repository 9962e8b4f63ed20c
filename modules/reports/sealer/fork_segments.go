package sealer

import (
	"context"

	"github.com/jackc/pgx/v5"

	"dg/modules/reports/snapshot"
	"dg/platform/apperr"
)

// ForkSegments counts the sealed days and months of a fork. Dirty days are read from the plays and
// sealed again: their plays have changed, or another version of the program has sealed them. Large
// days have too many plays for a segment.
type ForkSegments struct {
	ForkID                     string
	Days, Dirty, Large, Months int
	Bytes                      int64
}

// Status returns what is sealed, of all organisations.
func (s *Sealer) Status(ctx context.Context) ([]ForkSegments, error) {
	rows, _ := s.db.Pool.Query(ctx, `/* reports.status */
		select d.fork_id::text, count(s.day)::int, count(*) filter (where c.day is null)::int,
		  (count(c.day) - count(s.day))::int,
		       (select count(*)::int from `+snapshot.SealedMonths+
		` m where m.fork_id = d.fork_id and m.org_id = d.org_id),
		       (sum(octet_length(d.segment)) + coalesce((select sum(octet_length(m.segment)) from fork_months m
		         where m.fork_id = d.fork_id and m.org_id = d.org_id), 0))::bigint
		  from fork_days d left join `+snapshot.CleanDays+` c using (fork_id, day) left join `+snapshot.SealedDays+
		` s using (fork_id, day)
		 group by d.fork_id, d.org_id order by d.fork_id`)
	status, err := pgx.CollectRows(rows, pgx.RowToStructByPos[ForkSegments])
	return status, apperr.Annotate(err, "reports: status")
}
