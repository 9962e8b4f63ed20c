package segment

import (
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// These constants alone define which days and months are sealed. A sealed day or month whose plays
// change is dirty: it has a row in unsealed_days or unsealed_months until it is sealed again.
// Versions are compared as bytes: an empty value is another version, not an error. A higher version
// is clean but not read: two sealers would otherwise repack each other's days during a rollout.
const (
	// CleanDaysSQL are the days that a sealer of this or a later version has packed, and that are
	// not dirty.
	CleanDaysSQL = `(select d.* from fork_days d where substr(d.sums, 1, 1) >= @dayVersion
	 and not exists (select from unsealed_days u where u.fork_id = d.fork_id and u.day = d.day))`

	// SealedDaysSQL are the clean days of this version, except days with too many plays, whose
	// segment is empty.
	SealedDaysSQL = `(select d.* from ` + CleanDaysSQL + ` d
	 where substr(d.sums, 1, 1) = @dayVersion and d.head_bytes > 0)`

	// CleanMonthsSQL are the months that a sealer of this or a later version has packed, and that
	// are not dirty.
	CleanMonthsSQL = `(select m.* from fork_months m where substr(m.segment, 1, 1) >= @monthVersion
	 and m.head_bytes > 0
	 and not exists (select from unsealed_months u where u.fork_id = m.fork_id and u.month = m.month))`

	// SealedMonthsSQL are the clean months of this version.
	SealedMonthsSQL = `(select m.* from ` + CleanMonthsSQL + ` m
	 where substr(m.segment, 1, 1) = @monthVersion)`

	// DaySumsSQL selects a period's sealed days and sums. A condition or an order may be appended.
	DaySumsSQL = `/* reports.sealedDays */ select d.day, d.sums from ` + SealedDaysSQL + ` d
 where d.org_id = @org and d.fork_id = @fork and d.day >= @from and d.day < @to`
)

const (
	// DaySegmentsSQL selects the segments of @days, without their tails unless @whole.
	DaySegmentsSQL = `/* reports.segments */ select day, head_bytes,
		case when @whole then segment else substr(segment, 1, head_bytes) end
		from fork_days where org_id = @org and fork_id = @fork and day = any(@days)`
	// MonthPartsSQL selects parts of the segments of @months: @sizes bytes from @starts, the first
	// byte being 1. A month may be named repeatedly.
	MonthPartsSQL = `/* reports.months */ select m.month, p.size, substr(m.segment, p.start, p.size)
		from unnest(@months::date[], @starts::int[], @sizes::int[]) p (month, start, size)
		join fork_months m on m.org_id = @org and m.fork_id = @fork and m.month = p.month`
)

// PlaysSQL selects a fork's plays in the ranges [@starts, @ends). HashedPlaysSQL adds each play's
// PlayHashSQL. OFFSET 0 is an optimisation fence: it forces a nested loop over the ranges.
const (
	PlaysSQL         = `/* reports.plays */ select ` + PlayColumns + playsOfRangesSQL
	HashedPlaysSQL   = `/* reports.playsToSeal */ select ` + PlayColumns + `, ` + PlayHashSQL + playsOfRangesSQL
	playsOfRangesSQL = `
  from unnest(@starts::timestamptz[], @ends::timestamptz[]) r (lo, hi), lateral (
    select * from plays where org_id = @org and fork_id = @fork and started_at >= r.lo
      and started_at < r.hi offset 0) plays`
)

// PlayHashSQL is a hash of a play's content. The outer hash mixes the id in: without it, equal
// corrections of two plays would cancel each other out. PlaysHashSQL is the hash of a set of plays.
const (
	PlayHashSQL = `uuid_hash_extended(id, hash_record_extended((player, started_at, completed_at,
		release_number, score, passed, answers), 0))`
	PlaysHashSQL = `bit_xor(` + PlayHashSQL + `)`
)

// LockPlaysSQL must run before the snapshot begins. It keeps TRUNCATE out, which is not MVCC-safe:
// for older snapshots TRUNCATE empties the table but not the segments.
const LockPlaysSQL = `/* reports.lockPlays */ lock table plays in access share mode`

// Args returns the arguments that this package's statements share, for a fork's plays in [from, to).
func Args(organisationID, forkID string, from, to time.Time) pgx.NamedArgs {
	return pgx.NamedArgs{
		"org": organisationID, "fork": forkID, "from": from, "to": to,
		"dayVersion": []byte{DayVersion}, "monthVersion": []byte{MonthVersion},
	}
}

// SealedDay is a day that is read from its sums and segment or, for a group, its month's segment.
type SealedDay struct {
	Date time.Time
	Sums []byte // packed; needed for reports on all players only
}

// SealedMonth is a month that is read from its segment.
type SealedMonth struct {
	Date      time.Time // its first day
	PartBytes []int     // sizes of the head and of the blocks
}

// Gaps returns the ranges of [from, to) outside the sealed days. days must ascend.
func Gaps(days []SealedDay, from, to time.Time) (starts, ends []time.Time) {
	for _, d := range days {
		if d.Date.After(from) {
			starts = append(starts, from)
			ends = append(ends, d.Date)
		}
		from = d.Date.Add(day)
	}
	if to.After(from) {
		starts = append(starts, from)
		ends = append(ends, to)
	}
	return starts, ends
}

// StoredSegment is a row of DaySegmentsSQL or MonthPartsSQL. In the latter, Head is the part.
type StoredSegment struct {
	Date       time.Time
	Head, Tail []byte // valid until the next row
}

// ReadSegments calls unpack for each row of DaySegmentsSQL or MonthPartsSQL, and closes rows. Fewer
// rows than expected are damage, because plays would be missing. Errors: ErrDamaged, also for any
// error of unpack.
func ReadSegments(rows pgx.Rows, expected int, unpack func(StoredSegment) error) error {
	read := 0
	var date time.Time
	var headBytes int
	var packed pgtype.DriverBytes
	_, err := pgx.ForEachRow(rows, []any{&date, &headBytes, &packed}, func() error {
		read++
		if headBytes < 0 || headBytes > len(packed) {
			headBytes = 0 // an empty head unpacks as ErrDamaged
		}
		if unpack(StoredSegment{date, packed[:headBytes], packed[headBytes:]}) != nil {
			return DamagedError(date)
		}
		return nil
	})
	switch {
	case errors.Is(err, ErrDamaged):
		return err
	case err != nil:
		return fmt.Errorf("reports: segments: %w", err)
	case read < expected:
		return fmt.Errorf("%w: %d of %d were found", ErrDamaged, read, expected)
	}
	return nil
}

// DamagedError returns ErrDamaged with the first day of the segment.
func DamagedError(first time.Time) error {
	return fmt.Errorf("%w: that of %s", ErrDamaged, first.Format(time.DateOnly))
}
