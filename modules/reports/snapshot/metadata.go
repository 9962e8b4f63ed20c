package snapshot

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"dg/modules/org"
	"dg/platform/apperr"
)

// Header is known before a play is read: the caller authorises the read by the owner of the group.
type Header struct {
	GroupOwner    string // the organisation of the group, maybe another one; "": all players
	ReportingMode org.ReportingMode
	Suppressed    bool // k-anonymity hides the plays
}

// CheckGroup returns ErrGroupNotFound for a group of another organisation.
func (h Header) CheckGroup(organisationID string) error {
	if h.GroupOwner != "" && h.GroupOwner != organisationID {
		return ErrGroupNotFound
	}
	return nil
}

// Metadata describes a report before a play is read.
type Metadata struct {
	Mode          org.ReportingMode
	groupOwner    string // an organisation's id; "": the report is on all players
	Grouped       bool   // the report is on a group
	LargeGroup    bool   // the report filters the plays of all players
	activeMembers int    // members of the group with a play, counted up to MinGroup
	LastOrdinal   int    // an upper bound of the organisation's players
	listedPlayers int    // an upper bound of the report's, counted up to LargeReport + 1; 0: few
	Sealed        Sealed
}

// Header returns what the caller sees.
func (m Metadata) Header() Header { return Header{m.groupOwner, m.Mode, m.Suppressed()} }

// Suppressed reports whether k-anonymity hides the report.
func (m Metadata) Suppressed() bool { return m.Grouped && suppressed(m.activeMembers) }

// SmallGroup reports whether the report looks up the plays of each member.
func (m Metadata) SmallGroup() bool { return m.Grouped && !m.LargeGroup }

// Large reports whether the statistics list many players, or read segments for a group.
func (m Metadata) Large() bool {
	return !m.Suppressed() && (m.listedPlayers > LargeReport || m.Grouped && !m.Sealed.Empty())
}

// groupOwnerSQL is not scoped to an organisation, because the use of another organisation's group is
// audited. It returns NULL if the group does not exist. $1 group.
const groupOwnerSQL = `/* reports.groupOwner */
select (select org_id::text from player_groups where id = $1)`

// MetadataSQL finds no member of another organisation's group. It looks up each member's plays as in
// ofMembers: a join also reads those of other players until enough members are found. $1 organisation,
// $2 group or null, $3 fork or null, $4 and $5 the period, $6 LargeReport.
var MetadataSQL = `/* reports.metadata */
select o.reporting_mode, $2::uuid is not null and ` + largeGroup(largeInPlays) + `,
       (select count(*)::int from (
           select from (select m.player from group_members m where m.org_id = o.id and m.group_id = g.id ` +
	ByPlayer + `) m,
               lateral (select from plays p
                 where p.org_id = o.id and p.player = m.player
                                              and (p.player, p.fork_id, p.started_at) >= (m.player, $3, $4)
                                              and (p.player, p.fork_id, p.started_at) < (m.player, $3, $5) limit 1) p
            limit ` + activeLimit + `) x),
       n.last,
       case when n.last <= $6 then 0
            when $2::uuid is not null then (select count(*)::int from (
                select from group_members m where m.org_id = o.id and m.group_id = $2 order by m.player limit $6 + 1) x)
            else (select count(*)::int from (
                select from plays p
                 where p.org_id = o.id and p.fork_id = $3
                   and p.started_at >= $4 and p.started_at < $5 limit $6 + 1) x) end
  from organisations o
  cross join lateral (
           select coalesce(max(ordinal), 0) as last from players where org_id = o.id) n
  left join player_groups g on g.org_id = o.id and g.id = $2
 where o.id = $1`

// ByPlayer reads the members of a group by their index. LIMIT in a subquery is opaque to the planner,
// which would scan the table of an organisation of few groups.
const ByPlayer = ` order by player limit (select 9223372036854775807)`

// activeLimit is MinGroup in SQL.
const activeLimit = string(rune('0' + MinGroup))

// queueMetadata queues the statements that readMetadata reads.
func queueMetadata(batch *pgx.Batch, q Query) {
	if q.GroupID != "" {
		batch.Queue(groupOwnerSQL, q.GroupID)
	}
	batch.Queue(MetadataSQL, q.OrganisationID, idOrNull(q.GroupID), idOrNull(q.ForkID),
		q.Period.From, q.Period.End(), LargeReport)
}

// Errors: ErrGroupNotFound.
func readMetadata(results pgx.BatchResults, q Query) (m Metadata, err error) {
	if m.Grouped = q.GroupID != ""; m.Grouped {
		var owner *string
		if err = results.QueryRow().Scan(&owner); err != nil {
			return m, fmt.Errorf("reports: group owner: %w", err)
		}
		if owner == nil {
			return m, ErrGroupNotFound
		}
		m.groupOwner = *owner
	}
	err = results.QueryRow().Scan(&m.Mode, &m.LargeGroup, &m.activeMembers, &m.LastOrdinal,
		&m.listedPlayers)
	if errors.Is(err, pgx.ErrNoRows) {
		return m, apperr.New(apperr.NotFound, "No such organisation.")
	}
	return m, apperr.Annotate(err, "reports: metadata")
}

func idOrNull(id string) *string {
	if id == "" {
		return nil
	}
	return &id
}
