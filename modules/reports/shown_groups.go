package reports

import (
	"context"

	"github.com/jackc/pgx/v5"

	"dg/modules/reports/segment"
	"dg/platform/apperr"
)

// activeMembersSQL counts the members of each group who played.
const activeMembersSQL = `/* reports.activeMembers */
select group_id::text, count(*)::int from group_members
 where org_id = @org and player in (
   select player from plays
    where org_id = @org and fork_id = @fork and started_at >= @from and started_at < @to)
 group by group_id`

// ShownGroups returns the ids of the groups whose figures k-anonymity shows in the query's period.
// It reveals no more than the reports of these groups do.
func (s *Service) ShownGroups(ctx context.Context, q Query) (shown []string, err error) {
	args := segment.Args(q.OrganisationID, q.ForkID, q.Period.From, q.Period.End())
	rows, _ := s.db.Pool.Query(ctx, activeMembersSQL, args) // its error is the rows'
	var id string
	var active int
	shown = []string{} // not nil, which would mean unknown
	_, err = pgx.ForEachRow(rows, []any{&id, &active}, func() error {
		if !suppressed(id, active) {
			shown = append(shown, id)
		}
		return nil
	})
	return shown, apperr.Annotate(err, "reports: shown groups")
}
