package reports

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"dg/modules/reports/segment"
)

// Overlap is a group that lacks 1 to MinGroup-1 of a report's players. A comparison with the
// group's own report would reveal the rows of these players (differencing attack).
type Overlap struct {
	GroupName string
	Players   int // number of the report's players outside the group: 1 to MinGroup-1
}

// MaxOverlaps is one more than the dashboard shows, so that the dashboard knows whether more exist.
const MaxOverlaps = 6

// overlapCandidatesSQL returns the groups with enough members for an overlap. If there are none,
// overlapsSQL is skipped, because it takes long to plan for many players.
const overlapCandidatesSQL = `/* reports.overlapCandidates */
select group_id from group_members where org_id = @org
 group by group_id having count(*) > @players::int - @minGroup`

// overlapsSQL omits groups with fewer than MinGroup of the players, because it must not name hidden
// groups: if the report is on all players, the report on such a group is suppressed.
const overlapsSQL = `/* reports.overlaps */
select g.name, m.lacking
  from (select group_id, cardinality(@players::int[]) - count(*)::int as lacking
          from group_members
         where org_id = @org and group_id = any(@groups::uuid[]) and player = any(@players::int[])
         group by group_id having count(*) >= @minGroup) m
  join player_groups g on g.org_id = @org and g.id = m.group_id
 where m.lacking between 1 and @minGroup - 1
 order by g.name, g.id limit @maxOverlaps`

// overlaps must run last, because a failure aborts the transaction. After a failure or a timeout it
// returns none: the warning is optional.
func (s *snapshot) overlaps(ctx context.Context, players []int32) []Overlap {
	ctx, cancel := context.WithTimeout(ctx, s.query.OverlapsTimeout)
	defer cancel()
	groups, err := pgx.CollectRows(s.queryRows(ctx, overlapCandidatesSQL, pgx.NamedArgs{"players": len(players)}),
		pgx.RowTo[uuid.UUID])
	if err != nil || len(groups) == 0 {
		return nil
	}
	if _, err := s.conn.Exec(ctx, customPlanSQL); err != nil {
		return nil
	}
	rows := s.queryRows(ctx, overlapsSQL,
		pgx.NamedArgs{"groups": groups, "players": players, "maxOverlaps": MaxOverlaps})
	overlaps, _ := pgx.CollectRows(rows, pgx.RowToStructByPos[Overlap]) // nil after an error
	return overlaps
}

const activeMembersSQL = `/* reports.activeMembers */
select group_id::text, count(*)::int from group_members
 where org_id = @org and player in (
   select player from plays
    where org_id = @org and fork_id = @fork and started_at >= @from and started_at < @to)
 group by group_id`

// UnsuppressedGroupPlayers returns the number of active players of each group, by id, unless its
// report for the query's fork and period is suppressed. It reveals no more than these reports.
func (s *Service) UnsuppressedGroupPlayers(ctx context.Context, q Query) (players map[string]int64, err error) {
	args := segment.Args(q.OrganisationID, q.ForkID, q.Period.From, q.Period.End())
	rows, _ := s.db.Pool.Query(ctx, activeMembersSQL, args) // rows.Err returns Query's error
	var id string
	var active int
	players = map[string]int64{}
	_, err = pgx.ForEachRow(rows, []any{&id, &active}, func() error {
		if !suppressed(id, active) {
			players[id] = int64(active)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reports: active members: %w", err)
	}
	return players, nil
}
