package reports

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"dg/modules/org"
	"dg/modules/reports/segment"
	"dg/platform/apperr"
)

// statistics returns the figures. It refuses another organisation's group even if the caller
// authorised the read.
func (s *snapshot) statistics(ctx context.Context) (stats Statistics, err error) {
	if err := s.CheckGroup(s.query.OrganisationID); err != nil {
		return stats, err
	}
	if s.Suppressed {
		return Statistics{ReportingMode: s.ReportingMode, Suppressed: true}, nil
	}
	sums, complete, err := s.accumulate(ctx)
	if err != nil {
		return stats, err
	}
	stats = newStatistics(sums, s.query.Period)
	stats.CompleteStatistics = complete
	stats.ReportingMode = s.ReportingMode
	if s.query.OmitLists {
		return stats, nil
	}
	players := sums.Players.Ordinals()
	playerLabels, err := s.readLabels(ctx, players)
	if err != nil {
		return stats, err
	}
	stats.Player = newRanking(&sums.Players, playerLabels).row
	if s.query.OverlapsTimeout > 0 && s.ReportingMode == org.Pseudonymous {
		stats.Overlaps = s.overlaps(ctx, players)
	}
	return stats, nil
}

// accumulate sums the plays. It takes complete, the totals of Query.CompleteDays, before it adds
// later days.
func (s *snapshot) accumulate(ctx context.Context) (a *segment.Accumulator, complete *Statistics, err error) {
	a = segment.NewAccumulator(s.query.Period.From, s.query.Period.Days)
	for _, month := range s.sealedMonths {
		a.ExpectMonth(month.Date)
	}
	if s.largeGroup {
		if err := s.readMembers(ctx); err != nil {
			return nil, nil, err
		}
	}
	if err := s.addMonths(ctx, a); err != nil {
		return nil, nil, err
	}
	if err := s.addDays(ctx, a); err != nil {
		return nil, nil, err
	}
	period := s.query.completePeriod()
	if err := s.addPlays(ctx, a, period, s.sealedDays); err != nil || period == s.query.Period {
		return a, nil, err
	}
	if !suppressed(s.query.GroupID, a.Players.Count()) {
		totals := newStatistics(a, period)
		complete = &totals
	}
	later := Period{From: period.End(), Days: s.query.Period.Days - period.Days}
	return a, complete, s.addPlays(ctx, a, later, nil)
}

// addMonths reads the head of each month or, for a group, the blocks with its members.
func (s *snapshot) addMonths(ctx context.Context, a *segment.Accumulator) error {
	var months []time.Time
	var starts, sizes []int
	for _, month := range s.sealedMonths {
		start := 1
		for i, size := range month.PartBytes {
			if i == 0 && !s.hasGroup() || i > 0 && s.members.inBlock(i-1) {
				months = append(months, month.Date)
				starts = append(starts, start)
				sizes = append(sizes, size)
			}
			start += size
		}
	}
	if len(months) == 0 {
		return nil
	}
	rows := s.queryRows(ctx, segment.MonthPartsSQL,
		pgx.NamedArgs{"months": months, "starts": starts, "sizes": sizes})
	return segment.ReadSegments(rows, len(months), func(part segment.StoredSegment) error {
		from := part.Date.UnixMilli()
		if s.hasGroup() {
			return segment.UnpackMembers(from, part.Head, s.members.has, a)
		}
		return segment.UnpackMonth(from, part.Head, &a.Players)
	})
}

// addDays reads no segments of days in sealed months, because addMonths has added their players or,
// for a group, its members' plays.
func (s *snapshot) addDays(ctx context.Context, a *segment.Accumulator) error {
	var dates []time.Time
	for _, d := range s.sealedDays {
		if !s.hasGroup() {
			sums, err := segment.UnpackSums(d.Date.UnixMilli(), d.Sums)
			if err != nil {
				return segment.DamagedError(d.Date)
			}
			a.AddDay(d.Date, &sums)
		}
		if !a.InExpectedMonth(d.Date) {
			dates = append(dates, d.Date)
		}
	}
	if len(dates) == 0 {
		return nil
	}
	rows := s.queryRows(ctx, segment.DaySegmentsSQL, pgx.NamedArgs{"days": dates, "whole": s.hasGroup()})
	return segment.ReadSegments(rows, len(dates), func(d segment.StoredSegment) error {
		from := d.Date.UnixMilli()
		if s.hasGroup() {
			return segment.UnpackDay(from, d.Head, d.Tail, s.members.has, a.AddPlay)
		}
		return segment.UnpackDay(from, d.Head, nil, nil, a.Players.AddPlay)
	})
}

// The row comparison of playsOfMembersSQL forces the index of players. Without it, a wrong row
// estimate could make the planner scan the whole range for each member. A filter player =
// any(array(select …)) would compare each play with each member.
const playsOfMembersSQL = ` from (
		select distinct player as member from group_members where org_id = @org and group_id = @group` + orderByPlayerSQL +
	`) m, lateral (
		select * from plays where org_id = @org and player = m.member
		    and (player, fork_id, started_at) >= (m.member, @fork, @from)
		    and (player, fork_id, started_at) < (m.member, @fork, @to) offset 0) plays`

// playsSQL selects the plays of all players for a large group: a filter in SQL could become an
// unhashed subplan, O(plays × members).
func (s *snapshot) playsSQL() string {
	if s.hasGroup() && !s.largeGroup {
		return `/* reports.plays */ select ` + segment.PlayColumns + playsOfMembersSQL
	}
	return segment.PlaysSQL
}

// playsArgs returns the arguments of playsSQL for a period's plays outside its sealed days.
func playsArgs(p Period, sealed []segment.SealedDay) pgx.NamedArgs {
	starts, ends := segment.Gaps(sealed, p.From, p.End())
	return pgx.NamedArgs{"from": p.From, "to": p.End(), "starts": starts, "ends": ends}
}

func (s *snapshot) addPlays(
	ctx context.Context, a *segment.Accumulator, period Period, sealed []segment.SealedDay,
) error {
	rows := s.queryRows(ctx, s.playsSQL(), playsArgs(period, sealed))
	defer rows.Close()
	var p segment.Play
	for rows.Next() {
		p.Scan(rows.RawValues())
		if !s.largeGroup || s.members.has(p.Player) {
			a.AddPlay(&p)
		}
	}
	return apperr.Annotate(rows.Err(), "reports: plays")
}

const membersSQL = `/* reports.members */
select player from group_members where org_id = @org and group_id = @group` + orderByPlayerSQL

// members is a set of players, indexed by ordinal: ordinals are small and dense.
type members []bool

func (m members) has(ordinal int32) bool { return int(ordinal) < len(m) && m[ordinal] }

// inBlock reports whether any member is in a block of a month's tail.
func (m members) inBlock(block int) bool {
	from := min(block*segment.BlockPlayers, len(m))
	return slices.Contains(m[from:min(from+segment.BlockPlayers, len(m))], true)
}

func (s *snapshot) readMembers(ctx context.Context) error {
	rows := s.queryRows(ctx, membersSQL, nil)
	ordinals, err := pgx.CollectRows(rows, pgx.RowTo[int32])
	if err != nil || len(ordinals) == 0 {
		return apperr.Annotate(err, "reports: members")
	}
	s.members = make(members, ordinals[len(ordinals)-1]+1) // the last ordinal is the highest
	for _, ordinal := range ordinals {
		s.members[ordinal] = true
	}
	return nil
}
