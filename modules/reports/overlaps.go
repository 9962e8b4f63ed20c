package reports

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Overlap is a group that allows a differencing attack: it lacks fewer than MinGroup players of a
// report, and the difference of the two reports reveals the rows of these players.
type Overlap struct {
	Group   string // its name
	Players int    // of the other report who are not in the group: 1 to 4
}

// MaxOverlaps is the LIMIT of the search: one more than the dashboard names, so that it can say
// that there are more.
const MaxOverlaps = 6

// overlapsSQL finds groups that lack fewer than MinGroup of a report's players and have at least
// MinGroup, so that their reports are shown.
const overlapsSQL = `/* reports.overlaps */
select g.name, m.lacking
  from (select group_id, cardinality(@players::int[]) - count(*)::int as lacking
          from group_members where org_id = @org and player = any(@players::int[])
         group by group_id having count(*) >= @minGroup) m
  join player_groups g on g.org_id = @org and g.id = m.group_id
 where m.lacking between 1 and @minGroup - 1
 order by g.name, g.id limit @maxOverlaps`

// overlaps returns the first overlaps by name. After a failure or a timeout it returns none: the
// warning is optional. It is the last query of its transaction, which a failure aborts.
func (s *snapshot) overlaps(ctx context.Context, players []int32) []Overlap {
	ctx, stop := context.WithTimeout(ctx, s.query.OverlapsTimeout)
	defer stop()
	s.args["players"] = players
	s.args["maxOverlaps"] = MaxOverlaps
	rows, _ := s.conn.Query(ctx, overlapsSQL, s.args) // its error is the rows'
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Overlap])
	if err != nil {
		return nil
	}
	return all
}
