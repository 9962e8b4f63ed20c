package reports

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"dg/modules/org"
	"dg/platform/apperr"
	"dg/platform/postgres"
)

// snapshot is one read of the data: a transaction that sees what was committed when it began, and what the report is
// about.
type snapshot struct {
	conn   *pgxpool.Conn
	query  Query
	scope  scope
	sealed sealed
	ended  bool // whether the transaction is over already

	damaged []Damage // what was met in segments that are not what was sealed
}

// scope is what decides how a report may be shown.
type scope struct {
	mode    org.ReportingMode
	grouped bool // whether the report is on a group
	active  int  // how many members of the group played, counted up to minGroup
	players int  // how many ordinals the organisation has given
	listed  int  // at least as many players as the report lists, counted up to one more than LargeReport; 0: they are few
}

func (s scope) suppressed() bool { return s.grouped && suppressed(s.active) }

// acquireTimeout bounds the wait for a connection; beyond it too many reports are being read at once.
const acquireTimeout = 2 * time.Second

// scopeSQL finds the reporting mode, whether the group is the organisation's, and its members who played, of whom minGroup
// tell as much as all. $1 organisation, $2 group or null, $3 fork, $4 and $5 the period, $6 LargeReport.
const scopeSQL = `/* reports.scope */
select o.reporting_mode, g.id is not null,
       (select count(*)::int from (
           select from group_members m
            where m.org_id = o.id and m.group_id = g.id
              and exists (select from plays p where p.org_id = o.id and p.player = m.player and p.fork_id = $3
                                                and p.started_at >= $4 and p.started_at < $5)
            limit ` + activeLimit + `) x),
       coalesce((select last from player_ordinals where org_id = o.id), 0),
       case when coalesce((select last from player_ordinals where org_id = o.id), 0) <= $6 then 0
            when $2::uuid is not null then (select count(*)::int from (
                select from group_members m where m.org_id = o.id and m.group_id = $2 limit $6 + 1) x)
            else (select count(*)::int from (
                select from plays p where p.org_id = o.id and p.fork_id = $3 and p.started_at >= $4 and p.started_at < $5 limit $6 + 1) x) end
  from organisations o left join player_groups g on g.org_id = o.id and g.id = $2
 where o.id = $1`

// activeLimit is minGroup in SQL.
const activeLimit = string(rune('0' + minGroup))

// open begins a snapshot; withSealed reads along what of the period is sealed. Errors: ErrGroupNotFound, ErrUnavailable.
func open(ctx context.Context, db *postgres.DB, q Query, withSealed bool) (*snapshot, error) {
	for attempt := int32(0); ; attempt++ {
		s, err := acquire(ctx, db, q)
		if err != nil {
			return nil, err
		}
		if err = s.begin(ctx, withSealed); err == nil {
			return s, nil
		}
		// A connection that died in the pool, when the database went away, says so only now: each is met once.
		dead := s.conn.Conn().IsClosed() && ctx.Err() == nil && attempt < db.Pool.Config().MaxConns
		s.close()
		if !dead {
			return nil, err
		}
	}
}

// acquire waits for a connection for a snapshot.
func acquire(ctx context.Context, db *postgres.DB, q Query) (*snapshot, error) {
	waiting, stop := context.WithTimeout(ctx, acquireTimeout)
	conn, err := db.Pool.Acquire(waiting)
	stop()
	if err != nil && !errors.Is(err, context.DeadlineExceeded) { // it is not for too many that there is none
		return nil, fmt.Errorf("reports: connect: %w", err)
	}
	if err != nil {
		e := apperr.Wrap(apperr.Unavailable, err, "Too many reports are being read at once. Try again in a few seconds.")
		e.RetryAfter = 5
		return nil, e
	}
	return &snapshot{conn: conn, query: q}, nil
}

// begin starts the transaction and reads the scope and what is sealed, in one round trip.
func (s *snapshot) begin(ctx context.Context, withSealed bool) error {
	q := s.query
	batch := &pgx.Batch{}
	batch.Queue("begin isolation level repeatable read read only")
	batch.Queue(`/* reports.plan */ set local plan_cache_mode = force_generic_plan`) // one plan fits any group and period here
	batch.Queue(lockPlaysSQL)
	batch.Queue(scopeSQL, q.OrganisationID, groupOrNull(q.GroupID), q.ForkID, q.Period.From, q.Period.End(), LargeReport)
	if withSealed {
		queueSealed(batch, q)
	}
	results := s.conn.SendBatch(ctx, batch)
	defer func() { _ = results.Close() }() // an error of it is one of the two below
	for range 3 {
		if _, err := results.Exec(); err != nil {
			return fmt.Errorf("reports: begin: %w", err)
		}
	}
	var found bool
	err := results.QueryRow().Scan(&s.scope.mode, &found, &s.scope.active, &s.scope.players, &s.scope.listed)
	if errors.Is(err, pgx.ErrNoRows) {
		return apperr.New(apperr.NotFound, "There is no such organisation.")
	}
	if err != nil {
		return fmt.Errorf("reports: scope: %w", err)
	}
	if s.scope.grouped = q.GroupID != ""; s.scope.grouped && !found {
		return ErrGroupNotFound
	}
	if withSealed {
		s.sealed, err = readSealed(results)
	}
	return err
}

func groupOrNull(id string) *string {
	if id == "" {
		return nil
	}
	return &id
}

// close ends the transaction and gives the connection back. A connection in the midst of rows is dropped instead: the
// rest of an export may be long.
func (s *snapshot) close() {
	if s.conn == nil {
		return
	}
	conn := s.conn
	s.conn = nil
	ctx, stop := context.WithTimeout(context.Background(), acquireTimeout)
	defer stop()
	if conn.Conn().PgConn().IsBusy() {
		_ = conn.Conn().Close(ctx)
	} else if s.ended {
		// nothing is left to do
	} else if _, err := conn.Exec(ctx, "rollback"); err != nil {
		_ = conn.Conn().Close(ctx)
	}
	conn.Release()
}

// The plays of one range, or of some, of all players or of a group's. $1 organisation, $2 fork, $3 from and $4 to when,
// $5 the group.
const (
	ofRange  = ` from plays where org_id = $1 and fork_id = $2 and started_at >= $3 and started_at < $4`
	ofRanges = ` from unnest($3::timestamptz[], $4::timestamptz[]) r (lo, hi), lateral (
		select * from plays where org_id = $1 and fork_id = $2 and started_at >= r.lo and started_at < r.hi offset 0) plays where true`
	ofGroup = ` and player = any (array(select player from group_members where org_id = $1 and group_id = $5))`
)

// read runs a query over plays whose rows are read raw, in PostgreSQL's binary format. It is planned for its own
// parameters each time: a plan for any period would be wrong for most.
func (s *snapshot) read(ctx context.Context, selectSQL, orderSQL string, from, to []time.Time) (pgx.Rows, error) {
	sql, args := s.ofPlays(selectSQL, from, to)
	args = append([]any{pgx.QueryExecModeCacheDescribe, pgx.QueryResultFormats{pgx.BinaryFormatCode}}, args...)
	rows, err := s.conn.Query(ctx, sql+orderSQL, args...)
	if err != nil {
		return nil, fmt.Errorf("reports: plays: %w", err)
	}
	return rows, nil
}

// ofPlays completes a statement on the plays of some ranges, of which the report is.
func (s *snapshot) ofPlays(selectSQL string, from, to []time.Time) (sql string, args []any) {
	sql, args = selectSQL+ofRanges, []any{s.query.OrganisationID, s.query.ForkID, from, to}
	if len(from) == 1 {
		sql, args[2], args[3] = selectSQL+ofRange, from[0], to[0]
	}
	if s.scope.grouped {
		sql, args = sql+ofGroup, append(args, s.query.GroupID)
	}
	return sql, args
}

// send runs the statements of a batch in one round trip: while the rows of one are read, PostgreSQL works on the next.
// Errors: errSegment when a segment was damaged, see undamaged.
func (s *snapshot) send(ctx context.Context, batch *pgx.Batch) error {
	known := len(s.damaged)
	err := s.conn.SendBatch(ctx, batch).Close()
	if err == nil && len(s.damaged) > known {
		err = errSegment
	}
	return err
}

// plays calls f for every play of some ranges, in no order. A play's answers are overwritten by the next.
func (s *snapshot) plays(ctx context.Context, from, to []time.Time, f func(play)) error {
	batch := &pgx.Batch{}
	s.queuePlays(batch, from, to, f)
	return s.send(ctx, batch)
}

// queuePlays asks for the plays of some ranges: f is called for each. As in read they are planned for their own parameters,
// which in a batch is a setting, and come in the binary format, which is what pgx asks of these types.
func (s *snapshot) queuePlays(batch *pgx.Batch, from, to []time.Time, f func(play)) {
	if len(from) == 0 {
		return
	}
	sql, args := s.ofPlays(`/* reports.plays */ select started_at, player, score, passed, answers`, from, to)
	batch.Queue(`/* reports.plan */ set local plan_cache_mode = force_custom_plan`)
	batch.Queue(sql, args...).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			v := rows.RawValues()
			f(play{
				startedAt: milliseconds(v[0]), player: int32(binary.BigEndian.Uint32(v[1])),
				completed: v[2] != nil, score: score(v[2]), passed: v[3] != nil && v[3][0] == 1, answers: v[4],
			})
		}
		if err := rows.Err(); err != nil {
			return fmt.Errorf("reports: plays: %w", err)
		}
		return nil
	})
}

// rawPlays yields the plays of an export.
type rawPlays struct {
	ctx  context.Context
	rows pgx.Rows
	row  struct {
		play
		id          [16]byte
		released    bool
		release     int32
		completedAt int64 // milliseconds since 1970
	}
}

// The plays of an export by their start, then id: the order of the index plays_period.
const (
	exportSQL   = `/* reports.export */ select id, release_number, player, started_at, completed_at, score, passed, answers`
	exportOrder = ` order by started_at, id`
)

// export begins to read the first plays of the period, at most limit.
func (s *snapshot) export(ctx context.Context, limit int) (*rawPlays, error) {
	rows, err := s.read(ctx, exportSQL, exportOrder+` limit `+strconv.Itoa(limit), []time.Time{s.query.Period.From}, []time.Time{s.query.Period.End()})
	if err != nil {
		return nil, err
	}
	return &rawPlays{ctx: ctx, rows: rows}, nil
}

// exportAfter begins to read all plays after the last one of r.
func (s *snapshot) exportAfter(ctx context.Context, r *rawPlays) (*rawPlays, error) {
	from := time.UnixMilli(r.row.startedAt).UTC()
	after := ` and (started_at, id) > ('` + from.Format(time.RFC3339Nano) + `', '` + string(csvUUID(nil, r.row.id[:])) + `')`
	rows, err := s.read(ctx, exportSQL, after+exportOrder, []time.Time{from}, []time.Time{s.query.Period.End()})
	if err != nil {
		return nil, err
	}
	return &rawPlays{ctx: ctx, rows: rows}, nil
}

// next reads the next row into r.row, which the one after it overwrites. It returns false at the end.
func (r *rawPlays) next() (bool, error) {
	if !r.rows.Next() {
		if err := r.rows.Err(); err != nil {
			if cause := context.Cause(r.ctx); cause != nil {
				err = cause
			}
			return false, fmt.Errorf("reports: export: %w", err)
		}
		return false, nil
	}
	v, row := r.rows.RawValues(), &r.row
	copy(row.id[:], v[0])
	if row.released = v[1] != nil; row.released {
		row.release = int32(binary.BigEndian.Uint32(v[1]))
	}
	row.player = int32(binary.BigEndian.Uint32(v[2]))
	row.startedAt = milliseconds(v[3])
	if row.completed = v[4] != nil; row.completed {
		row.completedAt = milliseconds(v[4])
	}
	row.score, row.passed, row.answers = score(v[5]), v[6] != nil && v[6][0] == 1, v[7]
	return true, nil
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
