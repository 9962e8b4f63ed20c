package reports

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"dg/modules/reports/segment"
)

// The plays of one range or several, of all players or of a group. $1 organisation, $2 fork, $3 from and $4 to when,
// $5 group.
const (
	ofRange  = ` from plays where org_id = $1 and fork_id = $2 and started_at >= $3 and started_at < $4`
	ofRanges = ` from unnest($3::timestamptz[], $4::timestamptz[]) r (lo, hi), lateral (
		select * from plays where org_id = $1 and fork_id = $2 and started_at >= r.lo and started_at < r.hi offset 0) plays where true`
	ofGroup = ` and player = any (array(select player from group_members where org_id = $1 and group_id = $5))`
)

// playsSQL completes a statement on the report's plays in some ranges.
func (s *snapshot) playsSQL(selectSQL string, from, to []time.Time) (sql string, args []any) {
	sql, args = selectSQL+ofRanges, []any{s.query.OrganisationID, s.query.ForkID, from, to}
	if len(from) == 1 {
		sql, args[2], args[3] = selectSQL+ofRange, from[0], to[0]
	}
	if s.meta.grouped {
		sql, args = sql+ofGroup, append(args, s.query.GroupID)
	}
	return sql, args
}

// queuePlays calls f for each play in some ranges, in no order. The next play overwrites it. The statement is
// planned for its own parameters, since a plan for any period is wrong for most. Rows come in the binary format, which pgx
// asks for with these types.
func (s *snapshot) queuePlays(batch *pgx.Batch, from, to []time.Time, f func(*segment.Play)) {
	if len(from) == 0 {
		return
	}
	sql, args := s.playsSQL(`/* reports.plays */ select started_at, player, score, passed, answers`, from, to)
	batch.Queue(`/* reports.plan */ set local plan_cache_mode = force_custom_plan`)
	batch.Queue(sql, args...).Query(func(rows pgx.Rows) error {
		var p segment.Play
		for rows.Next() {
			v := rows.RawValues()
			p.StartedAt, p.Player = milliseconds(v[0]), int32(binary.BigEndian.Uint32(v[1]))
			p.Completed, p.Score, p.Passed, p.Answers = v[2] != nil, score(v[2]), isTrue(v[3]), v[4]
			f(&p)
		}
		if err := rows.Err(); err != nil {
			return fmt.Errorf("reports: plays: %w", err)
		}
		return nil
	})
}

// eachPlay calls f for each play of the period as queuePlays does.
func (s *snapshot) eachPlay(ctx context.Context, f func(*segment.Play)) error {
	batch := &pgx.Batch{}
	s.queuePlays(batch, []time.Time{s.query.Period.From}, []time.Time{s.query.Period.End()}, f)
	return s.send(ctx, batch)
}

// epoch2000 is PostgreSQL's epoch in milliseconds since 1970.
const epoch2000 = 946_684_800_000

// milliseconds reads a timestamptz: microseconds since 2000, of which the stored ones are whole milliseconds.
func milliseconds(v []byte) int64 { return int64(binary.BigEndian.Uint64(v))/1000 + epoch2000 }

// score reads a smallint; null is 0.
func score(v []byte) int16 {
	if v == nil {
		return 0
	}
	return int16(binary.BigEndian.Uint16(v))
}

// isTrue reads a boolean; null is false.
func isTrue(v []byte) bool { return v != nil && v[0] == 1 }
