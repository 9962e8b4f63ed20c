package snapshot

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"dg/modules/reports/segment"
	"dg/platform/apperr"
)

// What counts as sealed is defined by these constants and nowhere else. Each takes the place of a
// table in a statement; PostgreSQL plans it as if it were written out.
//
// A day or month whose plays have changed is dirty: it has a row in unsealed_days or
// unsealed_months, until it is sealed again. (The tables keep their names: programs of other
// versions may run beside this one.)
const (
	// versionByte and monthVersionByte are the first bytes of what this version of the program has
	// sealed. They are compared as bytes, so that an empty value is another version rather than an
	// error. Segments of another version are ignored and sealed again: while programs of two
	// versions run they seal in turns, and the figures stay right.
	versionByte      = `'\x0` + string(rune('0'+segment.Version)) + `'::bytea`
	monthVersionByte = `'\x0` + string(rune('0'+segment.MonthVersion)) + `'::bytea`

	// CleanDays are the days that the sealer has looked at and that are not dirty.
	CleanDays = `(select d.* from fork_days d where substr(d.sums, 1, 1) = ` + versionByte + `
	 and not exists (select from unsealed_days u where u.fork_id = d.fork_id and u.day = d.day))`

	// SealedDays are the clean days that are read from their segments. The others have too many
	// plays for one.
	SealedDays = `(select d.* from ` + CleanDays + ` d where d.head_bytes > 0)`

	// SealedMonths are the months that are read from their segments.
	SealedMonths = `(select m.* from fork_months m where substr(m.segment, 1, 1) = ` +
		monthVersionByte + ` and m.head_bytes > 0
	 and not exists (select from unsealed_months u where u.fork_id = m.fork_id and u.month = m.month))`
)

// A group is large from a share of the organisation's players on, one in so many: reading
// everybody's plays or segments is then faster than a lookup for each member. Segments are faster
// to read than plays. Of whole months the plays of the members alone are read; months whose plays
// take more than maxMonthBytes are sealed without them.
const (
	largeInPlays    = "8"
	largeInSegments = "70"
)

// largeGroup is true for a group of at least one in so many of the organisation's players. $1
// organisation, $2 group.
func largeGroup(oneIn string) string {
	return `exists (select from group_members where org_id = $1 and group_id = $2
	order by player offset coalesce((select last / ` + oneIn +
		` from player_ordinals where org_id = $1), 0) limit 1)`
}

// The sums of a period's sealed days, and its sealed months. A group has no use for the sums of all
// players, nor for months without the plays of each, and a small group none for segments. $1
// organisation, $2 group or null, $3 fork, $4 the first day, $5 the day after the last.
var (
	SealedDaysSQL = `/* reports.SealedDays */
select d.day, case when $2::uuid is null then d.sums end from ` + SealedDays + ` d
 where d.org_id = $1 and d.fork_id = $3 and d.day >= $4 and d.day < $5
   and ($2::uuid is null or ` + largeGroup(largeInSegments) + `)
 order by d.day`
	sealedMonthsSQL = `/* reports.SealedMonths */
select m.month from ` + SealedMonths + ` m
 where m.org_id = $1 and m.fork_id = $3 and m.month >= $4 and (m.month + interval '1 month')::date <= $5
   and ($2::uuid is null or m.head_bytes < octet_length(m.segment) and ` +
		largeGroup(largeInSegments) + `)
 order by m.month`
)

// Sealed lists what of a period is sealed.
type Sealed struct {
	Days   []SealedDay // ascending
	Months []time.Time // first days of whole months of the period, ascending
}

// Empty reports whether nothing is sealed.
func (s Sealed) Empty() bool { return len(s.Days)+len(s.Months) == 0 }

// SealedDay is a day that is read from its segment.
type SealedDay struct {
	Date time.Time
	Sums []byte // packed; nil in the report of a group
}

// queueSealed asks what of a report's period is sealed; readSealed reads the answers.
func queueSealed(batch *pgx.Batch, q Query) {
	args := []any{q.OrganisationID, idOrNull(q.GroupID), q.ForkID, q.Period.From, q.Period.End()}
	batch.Queue(SealedDaysSQL, args...)
	batch.Queue(sealedMonthsSQL, args...)
}

func readSealed(results pgx.BatchResults) (s Sealed, err error) {
	rows, err := results.Query()
	if err != nil {
		return s, fmt.Errorf("reports: sealed days: %w", err)
	}
	s.Days, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (d SealedDay, err error) {
		return d, row.Scan(&d.Date, &d.Sums)
	})
	if err != nil {
		return s, fmt.Errorf("reports: sealed days: %w", err)
	}
	if rows, err = results.Query(); err == nil {
		s.Months, err = pgx.CollectRows(rows, pgx.RowTo[time.Time])
	}
	return s, apperr.Annotate(err, "reports: sealed months")
}

// ReadSealedDays lists the sealed days of the period in a round trip of its own.
func (s *Snapshot) ReadSealedDays(ctx context.Context) error {
	batch := &pgx.Batch{}
	queueSealed(batch, s.Query)
	results := s.Conn.SendBatch(ctx, batch)
	found, err := readSealed(results)
	s.Meta.Sealed.Days = found.Days
	return errors.Join(err, results.Close())
}

// WithMonths adds the days of the sealed months.
func (s Sealed) WithMonths() Sealed {
	days := slices.Clone(s.Days)
	for _, first := range s.Months {
		for date := first; date.Before(first.AddDate(0, 1, 0)); date = date.Add(Day) {
			days = append(days, SealedDay{Date: date})
		}
	}
	slices.SortFunc(days, func(a, b SealedDay) int { return a.Date.Compare(b.Date) })
	return Sealed{Days: days}
}

// Gaps returns the ranges of the period without a sealed day.
func (s Sealed) Gaps(p Period) (from, to []time.Time) {
	next := p.From
	for _, d := range s.Days {
		if d.Date.After(next) {
			from = append(from, next)
			to = append(to, d.Date)
		}
		next = d.Date.Add(Day)
	}
	if end := p.End(); end.After(next) {
		from = append(from, next)
		to = append(to, end)
	}
	return from, to
}
