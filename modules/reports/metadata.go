package reports

import (
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"dg/modules/org"
	"dg/modules/reports/segment"
	"dg/platform/apperr"
)

// Header is read before the figures, so that the caller can authorise the read by GroupOwner.
type Header struct {
	GroupOwner    string // id of the organisation that owns the group; empty for all players
	ReportingMode org.ReportingMode
	Suppressed    bool         // k-anonymity hides the plays
	Fingerprint   *Fingerprint // nil if there is none
}

// CheckGroup returns ErrGroupNotFound if the group belongs to another organisation.
func (h Header) CheckGroup(organisationID string) error {
	if h.GroupOwner != "" && h.GroupOwner != organisationID {
		return ErrGroupNotFound
	}
	return nil
}

// MinGroup is the k of k-anonymity: with fewer active members, a group's report is suppressed.
const MinGroup = 5

// suppressed ignores inactive members: otherwise the report on a large group could show the figures
// of a single active member. A group without active members is suppressed too: otherwise
// suppression would reveal that some members were active.
func suppressed(groupID string, activeMembers int) bool {
	return groupID != "" && activeMembers < MinGroup
}

// groupOwnerSQL is not scoped to an organisation: access to another organisation's group is audited.
const groupOwnerSQL = `/* reports.groupOwner */
select (select org_id::text from player_groups where id = @group)`

// A group is large if it has more members than 1/8 (plays) or 1/70 (segments) of the highest
// ordinal. Scanning all plays or segments is then faster than a look-up for each member.
const (
	largeInPlaysSQL    = largeGroupPrefix + `8` + largeGroupSuffix
	largeInSegmentsSQL = largeGroupPrefix + `70` + largeGroupSuffix
	largeGroupPrefix   = `exists (select from group_members where org_id = @org and group_id = @group
	order by player offset coalesce((select max(ordinal) / `
	largeGroupSuffix = ` from players where org_id = @org), 0) limit 1)`
)

// orderByPlayerSQL forces the index: with few groups the planner would scan the whole table. A
// subquery in LIMIT is opaque to the planner.
const orderByPlayerSQL = ` order by player limit (select 9223372036854775807)`

// metadataSQL counts distinct active members up to MinGroup, and none of another organisation's
// group. It looks up plays member by member, because a join could read other players' plays too.
// The last column tests for a large report on all players. Its ORDER BY rules out a bitmap scan,
// which would read the index entries of all plays of the report.
const metadataSQL = `/* reports.metadata */
select o.reporting_mode, @group::uuid is not null and ` + largeInPlaysSQL + `,
       (select count(*)::int from (
           select from (
               select distinct m.player from group_members m where m.org_id = o.id and m.group_id = g.id` +
	orderByPlayerSQL + `) m, lateral (
               select from plays p where p.org_id = o.id and p.player = m.player
                  and (p.player, p.fork_id, p.started_at) >= (m.player, @fork, @from)
                  and (p.player, p.fork_id, p.started_at) < (m.player, @fork, @to) limit 1) p
            limit @minGroup) x),
       n.last,
       @group::uuid is null and n.last > @smallReport and exists (
           select from plays p where p.org_id = o.id and (p.fork_id, p.started_at) >= (@fork, @from)
              and (p.fork_id, p.started_at) < (@fork, @to)
            order by p.fork_id, p.started_at offset @smallReport limit 1)
  from organisations o
  cross join lateral (
           select coalesce(max(ordinal), 0) as last from players where org_id = o.id) n
  left join player_groups g on g.org_id = o.id and g.id = @group
 where o.id = @org`

// Reports on small groups read no segments. Reports on large groups skip months without a tail.
const (
	reportDaysSQL = segment.DaySumsSQL + ` and (@group::uuid is null or ` + largeInSegmentsSQL + `)
 order by d.day`
	reportMonthsSQL = `/* reports.sealedMonths */
select m.month, m.head_bytes || m.block_bytes from ` + segment.SealedMonthsSQL + ` m
 where m.org_id = @org and m.fork_id = @fork and m.month >= @from
   and (m.month + interval '1 month')::date <= @to
   and (@group::uuid is null or ` + largeInSegmentsSQL + `)
   and (@group::uuid is null
        or m.head_bytes + (select sum(b) from unnest(m.block_bytes) b) = octet_length(m.segment))
 order by m.month`
)

func (s *snapshot) hasGroup() bool { return s.query.GroupID != "" }

func (s *snapshot) readMetadata(results pgx.BatchResults) error {
	if s.hasGroup() {
		var owner *string
		if err := results.QueryRow().Scan(&owner); err != nil {
			return fmt.Errorf("reports: group owner: %w", err)
		}
		if owner == nil {
			return ErrGroupNotFound
		}
		s.GroupOwner = *owner
	}
	var activeMembers int
	err := results.QueryRow().Scan(&s.ReportingMode, &s.largeGroup, &activeMembers, &s.lastOrdinal,
		&s.isLarge)
	s.isLarge = s.isLarge || s.largeGroup && s.lastOrdinal > maxSmallReport
	s.Suppressed = suppressed(s.query.GroupID, activeMembers)
	if errors.Is(err, pgx.ErrNoRows) {
		return apperr.New(apperr.NotFound, "No such organisation.")
	}
	return apperr.Annotate(err, "reports: metadata")
}

// readSealed treats a group with sealed days as large: segments have the plays of all players.
func (s *snapshot) readSealed(results pgx.BatchResults) error {
	rows, _ := results.Query() // rows.Err returns Query's error
	days, err := pgx.CollectRows(rows, pgx.RowToStructByPos[segment.SealedDay])
	if err != nil {
		return fmt.Errorf("reports: sealed days: %w", err)
	}
	rows, _ = results.Query() // rows.Err returns Query's error
	s.sealedDays = days
	s.sealedMonths, err = pgx.CollectRows(rows, pgx.RowToStructByPos[segment.SealedMonth])
	if s.hasGroup() {
		s.addDaysOfMonths()
		s.largeGroup = s.largeGroup || len(s.sealedDays) > 0
	}
	return apperr.Annotate(err, "reports: sealed months")
}

// addDaysOfMonths adds the days of sealed months to sealedDays, so that addPlays skips their plays.
func (s *snapshot) addDaysOfMonths() {
	for _, month := range s.sealedMonths {
		for date := month.Date; date.Before(month.Date.AddDate(0, 1, 0)); date = date.Add(day) {
			s.sealedDays = append(s.sealedDays, segment.SealedDay{Date: date})
		}
	}
	slices.SortFunc(s.sealedDays, func(a, b segment.SealedDay) int { return a.Date.Compare(b.Date) })
}
