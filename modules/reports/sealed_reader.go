package reports

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"dg/modules/reports/segment"
)

// Segments of the days or months in $3. $1 organisation, $2 fork. A head is followed by nothing, so that all have one form.
const (
	monthsSQL   = `/* reports.months */ select month, head_bytes, substr(segment, 1, head_bytes) from fork_months where org_id = $1 and fork_id = $2 and month = any($3)`
	membersSQL  = `/* reports.membersOfMonths */ select month, head_bytes, segment from fork_months where org_id = $1 and fork_id = $2 and month = any($3)`
	headsSQL    = `/* reports.heads */ select day, head_bytes, substr(segment, 1, head_bytes) from fork_days where org_id = $1 and fork_id = $2 and day = any($3)`
	segmentsSQL = `/* reports.segments */ select day, head_bytes, segment from fork_days where org_id = $1 and fork_id = $2 and day = any($3)`
)

// queueMonths adds the players of sealed months.
func (s *snapshot) queueMonths(batch *pgx.Batch, months []time.Time, players *segment.Players) {
	s.queueSegments(batch, monthsSQL, months, s.damagedMonth, func(from int64, month, _ []byte) error {
		return segment.UnpackMonth(from, month, players)
	})
}

// queueMembersOfMonths adds the plays of members in sealed months.
func (s *snapshot) queueMembersOfMonths(batch *pgx.Batch, months []time.Time, member func(ordinal int32) bool, a *segment.Accumulator) {
	s.queueSegments(batch, membersSQL, months, s.damagedMonth, func(from int64, head, tail []byte) error {
		return segment.UnpackMembers(from, head, tail, member, a)
	})
}

// queueHeads calls f for each play of sealed days, without its answers.
func (s *snapshot) queueHeads(batch *pgx.Batch, days []time.Time, f func(*segment.Play)) {
	s.queueSegments(batch, headsSQL, days, s.damagedDay, func(from int64, head, _ []byte) error {
		return segment.UnpackDay(from, head, nil, nil, f)
	})
}

// queueDays calls f for each play of members in sealed days; nil: of everyone.
func (s *snapshot) queueDays(batch *pgx.Batch, days []time.Time, member func(ordinal int32) bool, f func(*segment.Play)) {
	s.queueSegments(batch, segmentsSQL, days, s.damagedDay, func(from int64, head, tail []byte) error {
		return segment.UnpackDay(from, head, tail, member, f)
	})
}

// queueSegments calls unpack for each row of a date, the size of a head and a segment, and damaged where that fails. The
// next row overwrites the segment.
func (s *snapshot) queueSegments(batch *pgx.Batch, sql string, dates []time.Time, damaged func(time.Time), unpack func(from int64, head, tail []byte) error) {
	if len(dates) == 0 {
		return
	}
	batch.Queue(sql, s.query.OrganisationID, s.query.ForkID, dates).Query(func(rows pgx.Rows) error {
		defer rows.Close()
		var date time.Time
		var head int
		var packed pgtype.DriverBytes
		for rows.Next() {
			if err := rows.Scan(&date, &head, &packed); err != nil {
				return fmt.Errorf("reports: segments: %w", err)
			}
			if head < 0 || head > len(packed) || unpack(date.UnixMilli(), packed[:head], packed[head:]) != nil {
				damaged(date)
			}
		}
		if err := rows.Err(); err != nil {
			return fmt.Errorf("reports: segments: %w", err)
		}
		return nil
	})
}

// queueMembers reads the members of a large group. It comes before what asks isMember.
func (s *snapshot) queueMembers(batch *pgx.Batch) {
	if !s.meta.largeGroup {
		return
	}
	batch.Queue(`/* reports.members */ select player from group_members where org_id = $1 and group_id = $2`+byPlayer,
		s.query.OrganisationID, s.query.GroupID).Query(func(rows pgx.Rows) error {
		var ordinal int32
		if _, err := pgx.ForEachRow(rows, []any{&ordinal}, func() error { s.members.add(ordinal); return nil }); err != nil {
			return fmt.Errorf("reports: members: %w", err)
		}
		return nil
	})
}

// readMembers is queueMembers in a round trip of its own.
func (s *snapshot) readMembers(ctx context.Context) error {
	if !s.meta.largeGroup {
		return nil
	}
	batch := &pgx.Batch{}
	s.queueMembers(batch)
	return s.send(ctx, batch)
}

// isMember reports whether a play that was read is one of the report.
func (s *snapshot) isMember(player int32) bool { return !s.meta.largeGroup || s.members.has(player) }
