package reports

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// The sums of a period's sealed days, and its sealed months. $1 organisation, $2 fork, $3 the first day, $4 the day after
// the last one, $5 the group or null: a group has no use for the sums of all, nor has a small one for any segment.
const (
	sealedDaysSQL = `/* reports.sealedDays */
select d.day, case when $5::uuid is null then d.sums end from ` + sealedDays + ` d
 where d.org_id = $1 and d.fork_id = $2 and d.day >= $3 and d.day < $4 and ($5::uuid is null or ` + largeGroup + `)
 order by d.day`
	// largeGroup says whether a group is large: from one player in 70 on, reading that many plays one by one costs about as
	// much as to look through all segments. $1 organisation, $5 group.
	largeGroup      = `coalesce((select last / 70 from player_ordinals where org_id = $1), 0) < (select count(*) from group_members where org_id = $1 and group_id = $5)`
	sealedMonthsSQL = `/* reports.sealedMonths */
select m.month from ` + sealedMonths + ` m
 where m.org_id = $1 and m.fork_id = $2 and m.month >= $3 and (m.month + interval '1 month')::date <= $4
 order by m.month`
)

// sealed is what of a period is sealed.
type sealed struct {
	days   []sealedDay // by day
	months []time.Time // first days of whole months of the period, ascending
}

type sealedDay struct {
	date   time.Time
	packed []byte // sums; nil in the report of a group
}

// queueSealed asks what of a report's period is sealed; readSealed reads the answers.
func queueSealed(batch *pgx.Batch, q Query) {
	from, to := q.Period.From, q.Period.End()
	batch.Queue(sealedDaysSQL, q.OrganisationID, q.ForkID, from, to, groupOrNull(q.GroupID))
	batch.Queue(sealedMonthsSQL, q.OrganisationID, q.ForkID, from, to)
}

func readSealed(results pgx.BatchResults) (sealed, error) {
	var s sealed
	rows, err := results.Query()
	if err != nil {
		return s, fmt.Errorf("reports: sealed days: %w", err)
	}
	var date time.Time
	var packed []byte
	_, err = pgx.ForEachRow(rows, []any{&date, &packed}, func() error {
		s.days = append(s.days, sealedDay{date, packed})
		return nil
	})
	if err != nil {
		return s, fmt.Errorf("reports: sealed days: %w", err)
	}
	if rows, err = results.Query(); err == nil {
		s.months, err = pgx.CollectRows(rows, pgx.RowTo[time.Time])
	}
	if err != nil {
		return s, fmt.Errorf("reports: sealed months: %w", err)
	}
	return s, nil
}

// gaps returns the ranges of the period that hold no sealed day.
func (s sealed) gaps(p Period) (from, to []time.Time) {
	next := p.From
	for _, d := range s.days {
		if d.date.After(next) {
			from, to = append(from, next), append(to, d.date)
		}
		next = d.date.Add(day)
	}
	if end := p.End(); end.After(next) {
		from, to = append(from, next), append(to, end)
	}
	return from, to
}

// fold sums the plays of the report from what is sealed and from the plays of all other days.
func (s *snapshot) fold(ctx context.Context, t *tally) error {
	batch := &pgx.Batch{}
	s.queueFold(batch, t)
	return s.send(ctx, batch)
}

// queueFold asks for what fold sums, after it has added the days' sums, which are there already. The players come from the
// months, those of the other days from the days.
func (s *snapshot) queueFold(batch *pgx.Batch, t *tally) {
	for _, month := range s.sealed.months {
		t.playersOfMonthKnown(month)
	}
	var heads []time.Time
	s.sealed.days = slices.DeleteFunc(s.sealed.days, func(d sealedDay) bool {
		sums, err := unpackSums(d.date.UnixMilli(), d.packed)
		if err != nil { // its plays are read
			s.damagedDay(d.date)
			return true
		}
		i := t.period.index(d.date)
		t.addDay(i, &sums)
		if !t.days[i].playersKnown {
			heads = append(heads, d.date)
		}
		return false
	})
	s.queueMonths(batch, s.sealed.months, &t.players)
	s.queueHeads(batch, heads, t.addPlayer)
	from, to := s.sealed.gaps(t.period)
	s.queuePlays(batch, from, to, t.add)
}

// playersOfMonthKnown notes that the players of a month's days are added with the month.
func (t *tally) playersOfMonthKnown(month time.Time) {
	for d := month; d.Before(month.AddDate(0, 1, 0)); d = d.Add(day) {
		t.days[t.period.index(d)].playersKnown = true
	}
}

// queueMonths asks for sealed months, whose players are added.
func (s *snapshot) queueMonths(batch *pgx.Batch, months []time.Time, players *playerSums) {
	if len(months) == 0 {
		return
	}
	batch.Queue(`/* reports.months */ select month, segment from fork_months where org_id = $1 and fork_id = $2 and month = any($3)`,
		s.query.OrganisationID, s.query.ForkID, months).Query(func(rows pgx.Rows) error {
		return eachSegment(rows, s.damagedMonth, func(from int64, segment []byte) error { return unpackMonth(from, segment, players) })
	})
}

// queueHeads asks for the plays of sealed days, without their answers: f is called for each.
func (s *snapshot) queueHeads(batch *pgx.Batch, days []time.Time, f func(play)) {
	if len(days) == 0 {
		return
	}
	batch.Queue(`/* reports.heads */ select day, substr(segment, 1, head_bytes) from fork_days where org_id = $1 and fork_id = $2 and day = any($3)`,
		s.query.OrganisationID, s.query.ForkID, days).Query(func(rows pgx.Rows) error {
		return eachSegment(rows, s.damagedDay, func(from int64, head []byte) error { return unpackDay(from, head, nil, f) })
	})
}

// eachSegment calls f for each row of a date and a segment, which the next row overwrites, and damaged where that cannot
// read it.
func eachSegment(rows pgx.Rows, damaged func(time.Time), f func(from int64, segment []byte) error) error {
	defer rows.Close()
	var date time.Time
	var segment pgtype.DriverBytes
	for rows.Next() {
		if err := rows.Scan(&date, &segment); err != nil {
			return fmt.Errorf("reports: segment: %w", err)
		}
		if f(date.UnixMilli(), segment) != nil {
			damaged(date)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("reports: segment: %w", err)
	}
	return nil
}

// foldGroup sums the plays of a group's members from the sealed days, and from the members' plays of all other days.
func (s *snapshot) foldGroup(ctx context.Context, t *tally) error {
	batch := &pgx.Batch{}
	s.queueFoldGroup(batch, t)
	return s.send(ctx, batch)
}

// queueFoldGroup asks for what foldGroup sums: the members come first.
func (s *snapshot) queueFoldGroup(batch *pgx.Batch, t *tally) {
	var members ordinalSet
	batch.Queue(`/* reports.members */ select player from group_members where org_id = $1 and group_id = $2`,
		s.query.OrganisationID, s.query.GroupID).Query(func(rows pgx.Rows) error {
		var ordinal int32
		if _, err := pgx.ForEachRow(rows, []any{&ordinal}, func() error { members.put(ordinal); return nil }); err != nil {
			return fmt.Errorf("reports: members: %w", err)
		}
		return nil
	})
	days := make([]time.Time, len(s.sealed.days))
	for i, d := range s.sealed.days {
		days[i] = d.date
	}
	batch.Queue(`/* reports.segments */ select day, head_bytes, segment from fork_days where org_id = $1 and fork_id = $2 and day = any($3)`,
		s.query.OrganisationID, s.query.ForkID, days).Query(func(rows pgx.Rows) error {
		return eachWhole(rows, s.damagedDay, func(from int64, head, tail []byte) error {
			return unpackDay(from, head, tail, func(p play) {
				if members.has(p.player) {
					t.add(p)
				}
			})
		})
	})
	from, to := s.sealed.gaps(t.period)
	s.queuePlays(batch, from, to, t.add)
}

// eachWhole calls f for each row of a date, the size of a head and a segment, which the next row overwrites, and damaged
// where that cannot read it.
func eachWhole(rows pgx.Rows, damaged func(time.Time), f func(from int64, head, tail []byte) error) error {
	defer rows.Close()
	var date time.Time
	var head int
	var segment pgtype.DriverBytes
	for rows.Next() {
		if err := rows.Scan(&date, &head, &segment); err != nil {
			return fmt.Errorf("reports: segments: %w", err)
		}
		if head > len(segment) || f(date.UnixMilli(), segment[:head], segment[head:]) != nil {
			damaged(date)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("reports: segments: %w", err)
	}
	return nil
}

// ordinalSet holds ordinals, which are small and dense, in a bit each.
type ordinalSet []uint64

func (s *ordinalSet) put(ordinal int32) {
	word := int(ordinal / 64)
	if word >= len(*s) {
		*s = append(*s, make([]uint64, word+1-len(*s))...)
	}
	(*s)[word] |= 1 << (ordinal % 64)
}

func (s ordinalSet) has(ordinal int32) bool {
	word := int(ordinal / 64)
	return word < len(s) && s[word]&(1<<(ordinal%64)) != 0
}
