package snapshot

import (
	"context"
	"encoding/binary"
	"time"

	"github.com/jackc/pgx/v5"

	"dg/modules/reports/segment"
	"dg/platform/apperr"
)

// The plays of one range or several, or of a small group's members in one range. $1 organisation, $2
// fork, $3 start and $4 end, $5 group. If the planner estimates one row for the range, each lookup of
// a member could scan it: the row comparison matches the index of players only.
// player = any(array(select …)) above the fence would be an unhashed subplan: O(plays × members).
const (
	ofRange  = ` from plays where org_id = $1 and fork_id = $2 and started_at >= $3 and started_at < $4`
	ofRanges = ` from unnest($3::timestamptz[], $4::timestamptz[]) r (lo, hi), lateral (
		select * from plays where org_id = $1 and fork_id = $2 and started_at >= r.lo
		  and started_at < r.hi offset 0) plays where true`
	ofMembers = ` from (
		select player as member from group_members where org_id = $1 and group_id = $5` + ByPlayer +
		`) m, lateral (
		select * from plays where org_id = $1 and player = m.member
		    and (player, fork_id, started_at) >= (m.member, $2, $3)
		    and (player, fork_id, started_at) < (m.member, $2, $4) offset 0) plays where true`
)

// PlaysReader reads the plays of a report.
type PlaysReader struct {
	snap    *Snapshot
	members *Members
}

// NewPlaysReader returns a reader of the snapshot.
func NewPlaysReader(s *Snapshot, m *Members) PlaysReader { return PlaysReader{s, m} }

// SQL completes a statement on the plays of one range. For a large group it returns the plays of all
// players, and the caller asks Members.Has: a filter in SQL costs plays × members if the planner does
// not hash the members.
func (r PlaysReader) SQL(selectSQL string, from, to time.Time) (sql string, args []any) {
	args = []any{r.snap.Query.OrganisationID, r.snap.Query.ForkID, from, to}
	if r.snap.Meta.SmallGroup() {
		return selectSQL + ofMembers, append(args, r.snap.Query.GroupID)
	}
	return selectSQL + ofRange, args
}

// Queue calls f for each play of the report in some ranges, in any order. The next play overwrites
// it. The statement gets a custom plan, since a generic one is wrong for most periods. Rows come in
// pgx's binary format.
func (r PlaysReader) Queue(batch *pgx.Batch, from, to []time.Time, f func(*segment.Play)) {
	if len(from) == 0 {
		return
	}
	const selectSQL = `/* reports.plays */ select started_at, player, score, passed, answers`
	sql, args := r.SQL(selectSQL, from[0], to[0])
	if len(from) > 1 && !r.snap.Meta.SmallGroup() { // which asks for the whole period
		sql = selectSQL + ofRanges
		args = []any{r.snap.Query.OrganisationID, r.snap.Query.ForkID, from, to}
	}
	members := r.members
	batch.Queue(`/* reports.plan */ set local plan_cache_mode = force_custom_plan`)
	batch.Queue(sql, args...).Query(func(rows pgx.Rows) error {
		var p segment.Play
		for rows.Next() {
			v := rows.RawValues()
			p.StartedAt = Milliseconds(v[0])
			p.Player = int32(binary.BigEndian.Uint32(v[1]))
			p.Completed = v[2] != nil
			p.Score = Score(v[2])
			p.Passed = IsTrue(v[3])
			p.Answers = v[4]
			if members.Has(p.Player) {
				f(&p)
			}
		}
		return apperr.Annotate(rows.Err(), "reports: plays")
	})
}

// Each calls f for each play of the period as Queue does.
func (r PlaysReader) Each(ctx context.Context, f func(*segment.Play)) error {
	batch := &pgx.Batch{}
	r.members.Queue(batch)
	r.Queue(batch, []time.Time{r.snap.Query.Period.From}, []time.Time{r.snap.Query.Period.End()}, f)
	return r.snap.Send(ctx, batch)
}

// epoch2000 is PostgreSQL's epoch in milliseconds since 1970.
const epoch2000 = 946_684_800_000

// Milliseconds reads a timestamptz: microseconds since 2000, of which the stored ones are whole
// milliseconds.
func Milliseconds(v []byte) int64 { return int64(binary.BigEndian.Uint64(v))/1000 + epoch2000 }

// Score reads a smallint; null is 0.
func Score(v []byte) int16 {
	if v == nil {
		return 0
	}
	return int16(binary.BigEndian.Uint16(v))
}

// IsTrue reads a boolean; null is false.
func IsTrue(v []byte) bool { return v != nil && v[0] == 1 }
