package reports

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"dg/modules/org"
	"dg/platform/apperr"
)

// metadata is what is known of a report before a play is read.
type metadata struct {
	mode          org.ReportingMode
	grouped       bool // the report is on a group
	largeGroup    bool // everybody's plays are read for the group
	activeMembers int  // members of the group with a play, counted up to minGroup
	lastOrdinal   int  // at least as many as the organisation has players
	// at least as many as the report lists, counted up to one more than LargeReport; 0: they are
	// few
	listedPlayers int
	sealed        sealed
}

func (m metadata) suppressed() bool { return m.grouped && suppressed(m.activeMembers) }

// smallGroup reports whether the report looks up the plays of each member.
func (m metadata) smallGroup() bool { return m.grouped && !m.largeGroup }

// large reports whether the statistics list many players, or read segments play by play for a
// group.
func (m metadata) large() bool {
	return !m.suppressed() && (m.listedPlayers > LargeReport || m.grouped && !m.sealed.empty())
}

// metadataSQL also finds the group's owner: NULL if the organisation has no such group. Each
// member's plays are looked up as in ofMembers: a join also reads those of everybody else until
// enough members are found. $1 organisation, $2 group or null, $3 fork or null, $4 and $5 the
// period, $6 LargeReport.
var metadataSQL = `/* reports.metadata */
select o.reporting_mode, g.org_id::text, $2::uuid is not null and ` + largeGroup(largeInPlays) + `,
       (select count(*)::int from (
           select from (select m.player from group_members m where m.org_id = o.id and m.group_id = g.id ` +
	byPlayer + `) m,
               lateral (select from plays p
                 where p.org_id = o.id and p.player = m.player
                                              and (p.player, p.fork_id, p.started_at) >= (m.player, $3, $4)
                                              and (p.player, p.fork_id, p.started_at) < (m.player, $3, $5) limit 1) p
            limit ` + activeLimit + `) x),
       coalesce(n.last, 0),
       case when coalesce(n.last, 0) <= $6 then 0
            when $2::uuid is not null then (select count(*)::int from (
                select from group_members m where m.org_id = o.id and m.group_id = $2 order by m.player limit $6 + 1) x)
            else (select count(*)::int from (
                select from plays p
                 where p.org_id = o.id and p.fork_id = $3
                   and p.started_at >= $4 and p.started_at < $5 limit $6 + 1) x) end
  from organisations o
  left join player_ordinals n on n.org_id = o.id
  left join player_groups g on g.org_id = o.id and g.id = $2
 where o.id = $1`

// byPlayer reads the members of a group by their index, where an organisation of few groups would
// have its whole table scanned: LIMIT in a subquery is opaque to the planner, which forces the
// index.
const byPlayer = ` order by player limit (select 9223372036854775807)`

// activeLimit is minGroup in SQL.
const activeLimit = string(rune('0' + minGroup))

// estimatedBytes is the peak memory of large statistics: they list no more players than the
// organisation has. rows says that the caller lists them.
func (m metadata) estimatedBytes(rows bool) int64 {
	bytes := bytesOfSegments + bytesOfPlayer*int64(m.lastOrdinal)
	if rows {
		bytes += bytesOfRow * int64(m.lastOrdinal)
	}
	if m.grouped && len(m.sealed.months) > 0 {
		bytes += bytesOfMonth
	}
	return bytes
}

// heldBytes is what statistics hold until they are sent.
func (m metadata) heldBytes(players int64, l *labels) int64 {
	return bytesOfSum*min(int64(m.lastOrdinal), labelsPerPage*players) + bytesOfOrder*players +
		int64(l.bytes)
}

// readMetadata reads the answer to metadataSQL. Errors: ErrGroupNotFound, and MayReadGroup's.
func readMetadata(row pgx.Row, q Query) (m metadata, err error) {
	var groupOwner *string
	err = row.Scan(&m.mode, &groupOwner, &m.largeGroup, &m.activeMembers, &m.lastOrdinal,
		&m.listedPlayers)
	if errors.Is(err, pgx.ErrNoRows) {
		return m, apperr.New(apperr.NotFound, "No such organisation.")
	}
	if err != nil {
		return m, fmt.Errorf("reports: metadata: %w", err)
	}
	m.grouped = q.GroupID != ""
	switch {
	case !m.grouped:
		return m, nil
	case groupOwner == nil:
		return m, ErrGroupNotFound
	case q.MayReadGroup != nil:
		return m, q.MayReadGroup(*groupOwner)
	}
	return m, nil
}

func idOrNull(id string) *string {
	if id == "" {
		return nil
	}
	return &id
}
