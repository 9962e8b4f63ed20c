package reports

import (
	"context"

	"github.com/jackc/pgx/v5"

	"dg/modules/org"
	"dg/modules/reports/segment"
	"dg/modules/reports/snapshot"
	"dg/platform/apperr"
)

// Overlap is a group whose report has all but a few players of another report: comparing the two
// reveals their rows.
type Overlap struct {
	GroupID string
	Players int // of the other report who are not in the group: 1 to 4
}

// overlapsSQL finds groups that lack few of a report's players. A group that lacks fewer than $3 has
// one of any $3 of them, which finds the candidates; each is read until $3 are lacking. The group has
// at least $3 of the report's players, so that its report is shown. $1 organisation, $2 ordinals of
// the report's players, $3 MinGroup.
const overlapsSQL = `/* reports.overlaps */
select g.group_id::text, l.players
  from (select distinct group_id from group_members
         where org_id = $1 and player = any(($2::int[])[1:$3]) order by 1 limit 200) g,
       lateral (select count(*)::int as players from (
           select from unnest($2::int[]) p (player)
            where not exists (select from group_members m
                where m.org_id = $1 and m.group_id = g.group_id and m.player = p.player)
            limit $3) x) l
 where l.players between 1 and $3 - 1 and cardinality($2::int[]) - l.players >= $3`

// overlaps returns the groups that lack few of the report's players, if the query asks for them, under
// pseudonymous reporting and for small reports.
func (r *statisticsReader) overlaps(
	ctx context.Context, players *segment.Players,
) (all []Overlap, _ error) {
	q := r.snap.Query
	if !q.Overlaps || r.snap.Meta.Mode != org.Pseudonymous ||
		players.Count() > snapshot.LargeReport {
		return nil, nil
	}
	batch := &pgx.Batch{}
	batch.Queue(overlapsSQL, q.OrganisationID, players.Ordinals(), snapshot.MinGroup).Query(
		func(rows pgx.Rows) (err error) {
			all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Overlap])
			return apperr.Annotate(err, "reports: overlaps")
		})
	return all, r.snap.Send(ctx, batch)
}
