package reports

import (
	"context"

	"github.com/jackc/pgx/v5"

	"dg/modules/reports/segment"
	"dg/platform/apperr"
)

// shownGroupsSQL finds the groups of which at least MinGroup members played.
const shownGroupsSQL = `/* reports.shownGroups */
select group_id::text from group_members
 where org_id = @org and player in (
   select player from plays
    where org_id = @org and fork_id = @fork and started_at >= @from and started_at < @to)
 group by group_id having count(*) >= @minGroup`

// ShownGroups returns the ids of the groups whose figures k-anonymity shows in the query's period.
// It tells no more than the reports of these groups do.
func (s *Service) ShownGroups(ctx context.Context, q Query) ([]string, error) {
	args := segment.Args(q.OrganisationID, q.ForkID, q.Period.From, q.Period.End())
	args["minGroup"] = MinGroup
	rows, _ := s.db.Pool.Query(ctx, shownGroupsSQL, args) // its error is the rows'
	shown, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return shown, apperr.Annotate(err, "reports: shown groups")
}
