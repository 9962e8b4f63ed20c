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

// These constants alone define what counts as sealed. Each takes the place of a table in a statement.
//
// A day or month whose plays have changed is dirty: it has a row in unsealed_days or
// unsealed_months until it is sealed again. (Renaming the tables would break other versions.)
const (
	// versionByte and monthVersionByte are the first bytes of this version's segments. Compared as
	// bytes, an empty value is another version, not an error. Segments of another version are
	// ignored and sealed again.
	versionByte      = `'\x0` + string(rune('0'+segment.Version)) + `'::bytea`
	monthVersionByte = `'\x0` + string(rune('0'+segment.MonthVersion)) + `'::bytea`

	// CleanDays are the days that the sealer has counted and that are not dirty.
	CleanDays = `(select d.* from fork_days d where substr(d.sums, 1, 1) = ` + versionByte + `
	 and not exists (select from unsealed_days u where u.fork_id = d.fork_id and u.day = d.day))`

	// SealedDays are the clean days with a segment. The others have too many plays.
	SealedDays = `(select d.* from ` + CleanDays + ` d where d.head_bytes > 0)`

	// SealedMonths are the months that are read from their segments.
	SealedMonths = `(select m.* from fork_months m where substr(m.segment, 1, 1) = ` +
		monthVersionByte + ` and m.head_bytes > 0
	 and not exists (select from unsealed_months u where u.fork_id = m.fork_id and u.month = m.month))`
)

// A group is large from a share of the organisation's players on, one in so many: reading the plays or
// segments of all players is then faster than a lookup for each member. Segments are faster than
// plays. Months without the plays of each player do not serve groups.
const (
	largeInPlays    = "8"
	largeInSegments = "70"
)

// largeGroup is true for a group of at least one in oneIn of the organisation's players. $1
// organisation, $2 group.
func largeGroup(oneIn string) string {
	return `exists (select from group_members where org_id = $1 and group_id = $2
	order by player offset coalesce((select max(ordinal) / ` + oneIn +
		` from players where org_id = $1), 0) limit 1)`
}

// The sums of a period's sealed days, and its sealed months. Groups need no sums of all players, and
// only months with the plays of each; small groups need no segments. $1 organisation, $2 group or
// null, $3 fork, $4 the first day, $5 the day after the last.
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

// Sealed lists the sealed days and months of a period.
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

// queueSealed queues the statements that readSealed reads.
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

// ReadSealedDays reads the sealed days of the period in its own round trip.
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
