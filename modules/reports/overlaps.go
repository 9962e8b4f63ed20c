package reports

import (
	"context"

	"github.com/jackc/pgx/v5"

	"dg/modules/reports/segment"
	"dg/modules/reports/snapshot"
)

// Overlap is a group whose report has all but a few players of another report: comparing the two
// reveals their rows.
type Overlap struct {
	Group   string // its name
	Players int    // of the other report who are not in the group: 1 to 4
}

// overlapsSQL finds groups that lack fewer than $3 of a report's players and have at least $3, so
// that their reports are shown. $1 organisation, $2 ordinals of the report's players, $3 MinGroup,
// $4 MaxOverlaps.
const overlapsSQL = `/* reports.overlaps */
select g.name, m.lacking
  from (select group_id, cardinality($2::int[]) - count(*)::int as lacking
          from group_members where org_id = $1 and player = any($2::int[])
         group by group_id having count(*) >= $3) m
  join player_groups g on g.org_id = $1 and g.id = m.group_id
 where m.lacking between 1 and $3 - 1
 order by g.name, g.id limit $4`

// MaxOverlaps bounds the overlaps of a report.
const MaxOverlaps = 6

// overlaps returns the first groups by name that lack few of the report's players. A failure returns
// none, because a report is worth more than its warning. It ends the transaction, which a failure
// aborts.
func (r *statisticsReader) overlaps(ctx context.Context, players *segment.Players) (all []Overlap) {
	q := r.snap.Query
	ctx, stop := context.WithTimeout(ctx, q.Overlaps)
	defer stop()
	batch := &pgx.Batch{}
	batch.Queue(overlapsSQL, q.OrganisationID, players.Ordinals(), snapshot.MinGroup, MaxOverlaps).
		Query(func(rows pgx.Rows) (err error) {
			all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Overlap])
			return err
		})
	if r.snap.SendLast(ctx, batch) != nil {
		return nil
	}
	return all
}
