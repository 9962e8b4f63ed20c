package reports

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// sealedSQL finds what of a period is sealed: the sums of its sealed days, and its sealed months. A day or month counts
// as sealed when it has a segment of this version and no mark. A day that was too large has an empty one. $1 organisation,
// $2 fork, $3 the first day, $4 the day after the last one, $5 the version of segments.
const (
	sealedDaysSQL = `/* reports.sealedDays */
select d.day, d.sums from fork_days d
 where d.org_id = $1 and d.fork_id = $2 and d.day >= $3 and d.day < $4 and d.head_bytes > 0 and get_byte(d.sums, 0) = $5
   and not exists (select from unsealed_days u where u.fork_id = d.fork_id and u.day = d.day)
 order by d.day`
	sealedMonthsSQL = `/* reports.sealedMonths */
select m.month from fork_months m
 where m.org_id = $1 and m.fork_id = $2 and m.month >= $3 and (m.month + interval '1 month')::date <= $4 and get_byte(substr(m.segment, 1, 1), 0) = $5
   and not exists (select from unsealed_months u where u.fork_id = m.fork_id and u.month = m.month)
 order by m.month`
)

// sealed is what of a period is sealed.
type sealed struct {
	days   []sealedDay // by day
	months []time.Time // first days of whole months of the period, ascending
}

type sealedDay struct {
	date time.Time
	sums sums
}

// queueSealed asks what of a report's period is sealed; readSealed reads the answers.
func queueSealed(batch *pgx.Batch, q Query) {
	queueSealedWithin(batch, q, q.Period.From, q.Period.End())
}

// queueSealedWithin is queueSealed for two dates of PostgreSQL's, which has infinite ones.
func queueSealedWithin(batch *pgx.Batch, q Query, from, to any) {
	batch.Queue(sealedDaysSQL, q.OrganisationID, q.ForkID, from, to, segmentVersion)
	batch.Queue(sealedMonthsSQL, q.OrganisationID, q.ForkID, from, to, segmentVersion)
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
		day, err := unpackSums(packed)
		s.days = append(s.days, sealedDay{date, day})
		return err
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

// fold sums the plays of the report from what is sealed and from the plays of all other days. Its players come from the
// months, those of the other days from the days; the rest of the figures from the days' sums.
func (s *snapshot) fold(ctx context.Context, t *tally) error {
	for _, month := range s.sealed.months {
		t.playersOfMonthKnown(month)
	}
	var heads []time.Time
	for i := range s.sealed.days {
		d := &s.sealed.days[i]
		place := t.period.place(d.date)
		t.addDay(place, &d.sums)
		if !t.days[place].playersKnown {
			heads = append(heads, d.date)
		}
	}
	if err := s.eachMonth(ctx, s.sealed.months, &t.players); err != nil {
		return err
	}
	if err := s.eachHead(ctx, heads, t.addPlayer); err != nil {
		return err
	}
	from, to := s.sealed.gaps(t.period)
	return s.plays(ctx, from, to, t.add)
}

// playersOfMonthKnown notes that the players of a month's days are added with the month.
func (t *tally) playersOfMonthKnown(month time.Time) {
	for d := month; d.Before(month.AddDate(0, 1, 0)); d = d.Add(day) {
		t.days[t.period.place(d)].playersKnown = true
	}
}

// eachMonth adds the players of sealed months.
func (s *snapshot) eachMonth(ctx context.Context, months []time.Time, players *playerSums) error {
	if len(months) == 0 {
		return nil
	}
	rows, err := s.conn.Query(ctx, `/* reports.months */ select month, segment from fork_months where org_id = $1 and fork_id = $2 and month = any($3)`,
		s.query.OrganisationID, s.query.ForkID, months)
	if err != nil {
		return fmt.Errorf("reports: months: %w", err)
	}
	return eachSegment(rows, func(from int64, segment []byte) error { return unpackMonth(from, segment, players) })
}

// eachHead calls f for each play of sealed days, without its answers.
func (s *snapshot) eachHead(ctx context.Context, days []time.Time, f func(play)) error {
	if len(days) == 0 {
		return nil
	}
	rows, err := s.conn.Query(ctx, `/* reports.heads */ select day, substr(segment, 1, head_bytes) from fork_days where org_id = $1 and fork_id = $2 and day = any($3)`,
		s.query.OrganisationID, s.query.ForkID, days)
	if err != nil {
		return fmt.Errorf("reports: heads: %w", err)
	}
	return eachSegment(rows, func(from int64, head []byte) error { return unpackDay(from, head, nil, f) })
}

// eachSegment calls f for each row of a date and a segment, which the next row overwrites.
func eachSegment(rows pgx.Rows, f func(from int64, segment []byte) error) error {
	defer rows.Close()
	var date time.Time
	var segment pgtype.DriverBytes
	for rows.Next() {
		if err := rows.Scan(&date, &segment); err != nil {
			return fmt.Errorf("reports: segment: %w", err)
		}
		if err := f(date.UnixMilli(), segment); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("reports: segment: %w", err)
	}
	return nil
}

// foldGroup sums the plays of a group's members from the sealed days, and from the members' plays of all other days.
func (s *snapshot) foldGroup(ctx context.Context, t *tally) error {
	members, err := s.members(ctx)
	if err != nil {
		return err
	}
	days := make([]time.Time, len(s.sealed.days))
	for i, d := range s.sealed.days {
		days[i] = d.date
	}
	rows, err := s.conn.Query(ctx, `/* reports.segments */ select day, head_bytes, segment from fork_days where org_id = $1 and fork_id = $2 and day = any($3)`,
		s.query.OrganisationID, s.query.ForkID, days)
	if err != nil {
		return fmt.Errorf("reports: segments: %w", err)
	}
	defer rows.Close()
	var date time.Time
	var head int
	var segment pgtype.DriverBytes
	for rows.Next() {
		if err := rows.Scan(&date, &head, &segment); err != nil {
			return fmt.Errorf("reports: segments: %w", err)
		}
		if head > len(segment) {
			return errSegment
		}
		err := unpackDay(date.UnixMilli(), segment[:head], segment[head:], func(p play) {
			if members.has(p.player) {
				t.add(p)
			}
		})
		if err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("reports: segments: %w", err)
	}
	from, to := s.sealed.gaps(t.period)
	return s.plays(ctx, from, to, t.add)
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

// members returns the members of the report's group.
func (s *snapshot) members(ctx context.Context) (ordinalSet, error) {
	rows, err := s.conn.Query(ctx, `/* reports.members */ select player from group_members where org_id = $1 and group_id = $2`,
		s.query.OrganisationID, s.query.GroupID)
	if err != nil {
		return nil, fmt.Errorf("reports: members: %w", err)
	}
	var set ordinalSet
	var ordinal int32
	if _, err := pgx.ForEachRow(rows, []any{&ordinal}, func() error { set.put(ordinal); return nil }); err != nil {
		return nil, fmt.Errorf("reports: members: %w", err)
	}
	return set, nil
}
