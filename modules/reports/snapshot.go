package reports

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"dg/modules/reports/segment"
	"dg/platform/input"
	"dg/platform/postgres"
)

// snapshot is a repeatable-read transaction that sees every commit up to Query.Position.
type snapshot struct {
	Header

	query       Query
	useSegments bool          // sealed days and months are read from segments
	args        pgx.NamedArgs // arguments of all statements
	conn        *pgxpool.Conn
	onReplica   bool

	largeGroup   bool // the plays of all players are read and filtered by members
	lastOrdinal  int  // highest ordinal of the organisation's players; at least the number of players
	isLarge      bool // see maxSmallReport
	sealedDays   []segment.SealedDay
	sealedMonths []segment.SealedMonth // in the period, ascending
	members      members               // read only if largeGroup
}

// customPlanSQL is for statements whose best plan depends on the number of forks or players.
const customPlanSQL = `/* reports.plan */ set local plan_cache_mode = force_custom_plan`

// connTimeout bounds the wait for a connection to the primary, and for the end of a transaction.
const connTimeout = 2 * time.Second

func openSnapshot(
	ctx context.Context, db *postgres.DB, q Query, useSegments bool,
) (*snapshot, error) {
	if q.GroupID != "" && !input.IsID(q.GroupID) {
		return nil, ErrGroupNotFound
	}
	if conn := db.AcquireReplica(ctx, q.Position); conn != nil {
		s := newSnapshot(conn, q, useSegments)
		s.onReplica = true
		err := s.begin(ctx)
		if err == nil {
			return s, nil
		}
		s.close()
		if !s.replicaFailed(ctx, err) {
			return nil, err
		}
	}
	return openPrimarySnapshot(ctx, db, q, useSegments)
}

func openPrimarySnapshot(
	ctx context.Context, db *postgres.DB, q Query, useSegments bool,
) (*snapshot, error) {
	waitCtx, cancel := context.WithTimeout(ctx, connTimeout)
	conn, err := db.Pool.Acquire(waitCtx)
	cancel()
	if err != nil {
		return nil, fmt.Errorf("reports: connect: %w", err)
	}
	s := newSnapshot(conn, q, useSegments)
	if err := s.begin(ctx); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func newSnapshot(conn *pgxpool.Conn, q Query, useSegments bool) *snapshot {
	s := &snapshot{conn: conn, query: q, useSegments: useSegments}
	s.args = segment.Args(q.OrganisationID, q.ForkID, q.Period.From, q.Period.End())
	maps.Copy(s.args, pgx.NamedArgs{
		"group":       idOrNull(q.GroupID),
		"fork":        idOrNull(q.ForkID),
		"minGroup":    MinGroup,
		"smallReport": maxSmallReport,
		"maxHashed":   q.MaxHashedPlays,
	})
	return s
}

func idOrNull(id string) *string {
	if id == "" {
		return nil
	}
	return &id
}

// begin reads metadata, sealed days and months in the round trip that begins the transaction.
func (s *snapshot) begin(ctx context.Context) error {
	batch := &pgx.Batch{}
	batch.Queue("begin isolation level repeatable read read only")
	if s.query.ForkID != "" { // one generic plan of a report fits every group and period
		batch.Queue(`/* reports.plan */ set local plan_cache_mode = force_generic_plan`)
	} else {
		batch.Queue(customPlanSQL)
	}
	batch.Queue(segment.LockPlaysSQL)
	if s.query.GroupID != "" {
		batch.Queue(groupOwnerSQL, s.args)
	}
	batch.Queue(metadataSQL, s.args)
	if s.useSegments {
		sealedArgs := maps.Clone(s.args)
		sealedArgs["to"] = s.query.completePeriod().End() // later days are read from plays
		batch.Queue(reportDaysSQL, sealedArgs)
		batch.Queue(reportMonthsSQL, sealedArgs)
	}
	results := s.conn.SendBatch(ctx, batch)
	defer func() { _ = results.Close() }() // reading the results has returned any error
	for range 3 {
		if _, err := results.Exec(); err != nil {
			return fmt.Errorf("reports: begin: %w", err)
		}
	}
	if err := s.readMetadata(results); err != nil || !s.useSegments {
		return err
	}
	return s.readSealed(results)
}

// queryRows runs a query with s.args and args. rows.Err returns Query's error.
func (s *snapshot) queryRows(ctx context.Context, sql string, args pgx.NamedArgs) pgx.Rows {
	merged := maps.Clone(s.args)
	maps.Copy(merged, args)
	rows, _ := s.conn.Query(ctx, sql, merged)
	return rows
}

// replicaFailed reports whether err comes from a replica's database. Any such error counts, because
// it may be a replay conflict (SQLSTATE 40001), a shutdown or a promotion.
func (s *snapshot) replicaFailed(ctx context.Context, err error) bool {
	return s.onReplica && ctx.Err() == nil && postgres.IsDatabaseError(err)
}

// close ends the transaction and releases the connection. It disconnects if rows are still
// arriving, because the rest of an export may be long.
func (s *snapshot) close() {
	if s.conn == nil {
		return
	}
	conn := s.conn
	s.conn = nil
	defer conn.Release()
	ctx, cancel := context.WithTimeout(context.Background(), connTimeout)
	defer cancel()
	if conn.Conn().PgConn().IsBusy() {
		_ = conn.Conn().Close(ctx) // Release discards a busy connection even if this fails
		return
	}
	_, _ = conn.Exec(ctx, "rollback") // after a failure, Release discards the connection
}
