package reports

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"dg/modules/org"
	"dg/modules/reports/segment"
	"dg/platform/apperr"
	"dg/platform/input"
	"dg/platform/limiter"
	"dg/platform/postgres"
)

// snapshot is a transaction that reads one state of the data for a report.
type snapshot struct {
	conn    *pgxpool.Conn
	replica bool // the connection is a replica's
	query   Query
	meta    metadata
	sealed  sealed
	members ordinalSet // of a large group, once they are read
	ended   bool       // the transaction is over
	damaged []Damage   // found so far

	lease       *limiter.Lease // of the memory that statistics take
	estimate    int64          // of it, in bytes
	labelBudget int64          // bytes of labels that the lease still covers
}

// metadata is what is known of a report before a play is read.
type metadata struct {
	mode          org.ReportingMode
	grouped       bool // the report is on a group
	largeGroup    bool // everybody's plays are read for the group
	activeMembers int  // members of the group with a play, counted up to minGroup
	lastOrdinal   int  // at least as many as the organisation has players
	listedPlayers int  // at least as many as the report lists, counted up to one more than LargeReport; 0: they are few
}

func (m metadata) suppressed() bool { return m.grouped && suppressed(m.activeMembers) }

// smallGroup reports whether the report looks up the plays of each member.
func (m metadata) smallGroup() bool { return m.grouped && !m.largeGroup }

// acquireTimeout bounds the wait for a connection.
const acquireTimeout = 2 * time.Second

// metadataSQL also finds the group's owner: NULL if the organisation has no such group. Each member's
// plays are looked up as in ofMembers: a join also reads those of everybody else until enough members
// are found. $1 organisation, $2 group or null, $3 fork or null, $4 and $5 the period, $6 LargeReport.
var metadataSQL = `/* reports.metadata */
select o.reporting_mode, g.org_id::text, $2::uuid is not null and ` + largeGroup(largeInPlays) + `,
       (select count(*)::int from (
           select from (select m.player from group_members m where m.org_id = o.id and m.group_id = g.id ` + byPlayer + `) m,
               lateral (select from plays p where p.org_id = o.id and p.player = m.player
                                              and (p.player, p.fork_id, p.started_at) >= (m.player, $3, $4)
                                              and (p.player, p.fork_id, p.started_at) < (m.player, $3, $5) limit 1) p
            limit ` + activeLimit + `) x),
       coalesce(n.last, 0),
       case when coalesce(n.last, 0) <= $6 then 0
            when $2::uuid is not null then (select count(*)::int from (
                select from group_members m where m.org_id = o.id and m.group_id = $2 order by m.player limit $6 + 1) x)
            else (select count(*)::int from (
                select from plays p where p.org_id = o.id and p.fork_id = $3 and p.started_at >= $4 and p.started_at < $5 limit $6 + 1) x) end
  from organisations o
  left join player_ordinals n on n.org_id = o.id
  left join player_groups g on g.org_id = o.id and g.id = $2
 where o.id = $1`

// byPlayer reads the members of a group by their index, where an organisation of few groups would have
// its whole table scanned: LIMIT in a subquery is opaque to the planner, which forces the index.
const byPlayer = ` order by player limit (select 9223372036854775807)`

// activeLimit is minGroup in SQL.
const activeLimit = string(rune('0' + minGroup))

// lockPlaysSQL keeps TRUNCATE of the plays out until the transaction ends. TRUNCATE is not MVCC-safe: it empties the table
// for older snapshots, too, but not their segments. It comes before the snapshot is taken, and nothing else waits for it.
const lockPlaysSQL = `/* reports.lockPlays */ lock table plays in access share mode`

// open begins a snapshot, on a replica if one has replayed the query's position; withSealed also reads what of the period is sealed. Errors: ErrGroupNotFound, apperr.Unavailable.
func open(ctx context.Context, db *postgres.DB, q Query, withSealed bool) (*snapshot, error) {
	if q.GroupID != "" && !input.IsID(q.GroupID) {
		return nil, ErrGroupNotFound
	}
	if conn := db.AcquireReplica(ctx, q.Position); conn != nil {
		s := &snapshot{conn: conn, query: q, replica: true}
		err := s.begin(ctx, withSealed)
		if err == nil {
			return s, nil
		}
		s.close()
		if !s.replicaFailed(ctx, err) {
			return nil, err
		}
	}
	for attempt := int32(0); ; attempt++ {
		s, err := acquire(ctx, db, q)
		if err != nil {
			return nil, err
		}
		if err = s.begin(ctx, withSealed); err == nil {
			return s, nil
		}
		// After an outage of the database every pooled connection may be dead, and shows it only when it is used.
		dead := s.conn.Conn().IsClosed() && ctx.Err() == nil && attempt < db.Pool.Config().MaxConns
		s.close()
		if !dead {
			return nil, err
		}
	}
}

func acquire(ctx context.Context, db *postgres.DB, q Query) (*snapshot, error) {
	waiting, stop := context.WithTimeout(ctx, acquireTimeout)
	conn, err := db.Pool.Acquire(waiting)
	stop()
	if errors.Is(err, context.DeadlineExceeded) {
		e := apperr.Wrap(apperr.Unavailable, err, "Too many reports are being computed. Retry in 5 seconds.")
		e.RetryAfter = 5
		return nil, e
	}
	if err != nil {
		return nil, fmt.Errorf("reports: connect: %w", err)
	}
	return &snapshot{conn: conn, query: q}, nil
}

// replicaFailed reports whether err is a replica's doing: the report is asked again of the primary. Replay cancels statements that
// are in its way (SQLSTATE 40001), a standby may stop or be promoted, and none but the primary can say what is wrong.
func (s *snapshot) replicaFailed(ctx context.Context, err error) bool {
	return s.replica && ctx.Err() == nil && postgres.Failed(err)
}

// begin starts the transaction and reads the metadata, and what is sealed, in one round trip.
func (s *snapshot) begin(ctx context.Context, withSealed bool) error {
	q := s.query
	batch := &pgx.Batch{}
	batch.Queue("begin isolation level repeatable read read only")
	batch.Queue(`/* reports.plan */ set local plan_cache_mode = force_generic_plan`) // one plan suits every group and period here
	batch.Queue(lockPlaysSQL)
	batch.Queue(metadataSQL, q.OrganisationID, idOrNull(q.GroupID), idOrNull(q.ForkID), q.Period.From, q.Period.End(), LargeReport)
	if withSealed {
		queueSealed(batch, q)
	}
	results := s.conn.SendBatch(ctx, batch)
	defer func() { _ = results.Close() }() // fails only where a statement has failed
	for range 3 {
		if _, err := results.Exec(); err != nil {
			return fmt.Errorf("reports: begin: %w", err)
		}
	}
	err := s.readMetadata(results.QueryRow())
	if err == nil && withSealed {
		s.sealed, err = readSealed(results)
		s.meta.largeGroup = s.meta.largeGroup || s.meta.grouped && !s.sealed.empty()
	}
	return err
}

func (s *snapshot) readMetadata(row pgx.Row) error {
	var groupOwner *string
	m := &s.meta
	err := row.Scan(&m.mode, &groupOwner, &m.largeGroup, &m.activeMembers, &m.lastOrdinal, &m.listedPlayers)
	if errors.Is(err, pgx.ErrNoRows) {
		return apperr.New(apperr.NotFound, "No such organisation.")
	}
	if err != nil {
		return fmt.Errorf("reports: metadata: %w", err)
	}
	m.grouped = s.query.GroupID != ""
	switch {
	case !m.grouped:
		return nil
	case groupOwner == nil:
		return ErrGroupNotFound
	case s.query.MayReadGroup != nil:
		return s.query.MayReadGroup(*groupOwner)
	}
	return nil
}

func idOrNull(id string) *string {
	if id == "" {
		return nil
	}
	return &id
}

// send runs a batch in one round trip. While the rows of one statement are read, PostgreSQL works on the next.
// Errors: segment.ErrDamaged where the batch met a damaged segment.
func (s *snapshot) send(ctx context.Context, batch *pgx.Batch) error {
	before := len(s.damaged)
	err := s.conn.SendBatch(ctx, batch).Close()
	if err == nil && len(s.damaged) > before {
		err = segment.ErrDamaged
	}
	return err
}

func (s *snapshot) damagedDay(date time.Time) {
	s.damaged = append(s.damaged, Damage{s.query.ForkID, Period{From: date, Days: 1}})
}

func (s *snapshot) damagedMonth(first time.Time) {
	s.damaged = append(s.damaged, Damage{s.query.ForkID, monthOf(first)})
}

// close ends the transaction and releases the connection. A connection amid rows is closed instead: the rest of an export
// may be long.
func (s *snapshot) close() {
	if s == nil || s.conn == nil {
		return
	}
	conn := s.conn
	s.conn = nil
	defer conn.Release()
	ctx, stop := context.WithTimeout(context.Background(), acquireTimeout)
	defer stop()
	if conn.Conn().PgConn().IsBusy() {
		_ = conn.Conn().Close(ctx)
		return
	}
	if s.ended {
		return
	}
	if _, err := conn.Exec(ctx, "rollback"); err != nil {
		_ = conn.Conn().Close(ctx)
	}
}
