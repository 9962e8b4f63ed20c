package reports

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// ForkSegments is what of a fork is sealed. Marked days have a segment that is not read: plays were written since.
type ForkSegments struct {
	ForkID               string
	Days, Marked, Months int
	Bytes                int64
}

// Status returns what is sealed, of all organisations.
func (s *Sealer) Status(ctx context.Context) ([]ForkSegments, error) {
	rows, err := s.db.Pool.Query(ctx, `/* reports.status */
		select d.fork_id::text, count(*)::int,
		       (select count(distinct u.day)::int from unsealed_days u where u.fork_id = d.fork_id),
		       (select count(*)::int from fork_months m where m.fork_id = d.fork_id and m.org_id = d.org_id
		           and not exists (select from unsealed_months u where u.fork_id = m.fork_id and u.month = m.month)),
		       (sum(octet_length(d.segment)) + coalesce((select sum(octet_length(m.segment)) from fork_months m where m.fork_id = d.fork_id and m.org_id = d.org_id), 0))::bigint
		  from fork_days d group by d.fork_id, d.org_id order by d.fork_id`)
	if err != nil {
		return nil, fmt.Errorf("reports: status: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[ForkSegments])
}

// Unseal marks every segment, so that none is read and each is sealed again. It wants the rights of the tables' owner.
func (s *Sealer) Unseal(ctx context.Context) error {
	_, err := s.db.Pool.Exec(ctx, `/* reports.unseal */
		with days as (insert into unsealed_days select fork_id, day from fork_days)
		insert into unsealed_months select fork_id, month from fork_months`)
	if err != nil {
		return fmt.Errorf("reports: unseal: %w", err)
	}
	return nil
}
