package snapshot

import (
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"dg/modules/reports/segment"
	"dg/platform/apperr"
)

// Segments, or their heads, of the days or months in $3. $1 organisation, $2 fork.
const (
	monthsSQL = `/* reports.months */ select month, head_bytes, substr(segment, 1, head_bytes)
		from fork_months where org_id = $1 and fork_id = $2 and month = any($3)`
	membersSQL = `/* reports.membersOfMonths */ select month, head_bytes, segment from fork_months
		where org_id = $1 and fork_id = $2 and month = any($3)`
	headsSQL = `/* reports.heads */ select day, head_bytes, substr(segment, 1, head_bytes)
		from fork_days where org_id = $1 and fork_id = $2 and day = any($3)`
	segmentsSQL = `/* reports.segments */ select day, head_bytes, segment from fork_days
		where org_id = $1 and fork_id = $2 and day = any($3)`
)

// SealedReader reads the segments of the snapshot's fork. It notes those that are damaged.
type SealedReader struct{ snap *Snapshot }

// NewSealedReader returns a reader of the snapshot.
func NewSealedReader(s *Snapshot) SealedReader { return SealedReader{s} }

// EachDay calls f for the sums of each sealed day. It removes days with damaged sums.
func (r SealedReader) EachDay(f func(time.Time, *segment.Sums)) {
	r.snap.Meta.Sealed.Days = slices.DeleteFunc(r.snap.Meta.Sealed.Days, func(d SealedDay) bool {
		sums, err := segment.UnpackSums(d.Date.UnixMilli(), d.Sums)
		if err != nil {
			r.damagedDay(d.Date)
			return true
		}
		f(d.Date, &sums)
		return false
	})
}

// QueueMonths adds the players of sealed months.
func (r SealedReader) QueueMonths(batch *pgx.Batch, months []time.Time, players *segment.Players) {
	r.queueSegments(batch, monthsSQL, months, r.damagedMonth,
		func(from int64, month, _ []byte) error {
			return segment.UnpackMonth(from, month, players)
		})
}

// QueueMembersOfMonths adds the plays of members in sealed months.
func (r SealedReader) QueueMembersOfMonths(
	batch *pgx.Batch, months []time.Time, member func(ordinal int32) bool, a *segment.Accumulator,
) {
	r.queueSegments(batch, membersSQL, months, r.damagedMonth,
		func(from int64, head, tail []byte) error {
			return segment.UnpackMembers(from, head, tail, member, a)
		})
}

// QueueHeads calls f for each play of sealed days, without its answers.
func (r SealedReader) QueueHeads(batch *pgx.Batch, days []time.Time, f func(*segment.Play)) {
	r.queueSegments(batch, headsSQL, days, r.damagedDay, func(from int64, head, _ []byte) error {
		return segment.UnpackDay(from, head, nil, nil, f)
	})
}

// QueueDays calls f for each play of members in sealed days; nil: of everyone.
func (r SealedReader) QueueDays(
	batch *pgx.Batch, days []time.Time, member func(ordinal int32) bool, f func(*segment.Play),
) {
	r.queueSegments(batch, segmentsSQL, days, r.damagedDay,
		func(from int64, head, tail []byte) error {
			return segment.UnpackDay(from, head, tail, member, f)
		})
}

// queueSegments calls unpack for each row of date, size of the head, and segment, and damaged if that
// fails. The next row overwrites the segment.
func (r SealedReader) queueSegments(
	batch *pgx.Batch, sql string, dates []time.Time, damaged func(time.Time),
	unpack func(from int64, head, tail []byte) error,
) {
	if len(dates) == 0 {
		return
	}
	batch.Queue(sql, r.snap.Query.OrganisationID, r.snap.Query.ForkID, dates).
		Query(func(rows pgx.Rows) error {
			defer rows.Close()
			var date time.Time
			var head int
			var packed pgtype.DriverBytes
			for rows.Next() {
				if err := rows.Scan(&date, &head, &packed); err != nil {
					return fmt.Errorf("reports: segments: %w", err)
				}
				if head < 0 || head > len(packed) ||
					unpack(date.UnixMilli(), packed[:head], packed[head:]) != nil {
					damaged(date)
				}
			}
			return apperr.Annotate(rows.Err(), "reports: segments")
		})
}

func (r SealedReader) damagedDay(date time.Time) {
	r.snap.Damaged = append(r.snap.Damaged,
		Damage{r.snap.Query.ForkID, Period{From: date, Days: 1}})
}

func (r SealedReader) damagedMonth(first time.Time) {
	r.snap.Damaged = append(r.snap.Damaged, Damage{r.snap.Query.ForkID, MonthOf(first)})
}
