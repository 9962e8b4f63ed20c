package snapshot

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"dg/modules/reports/segment"
	"dg/platform/apperr"
	"dg/platform/input"
	"dg/platform/postgres"
)

// Snapshot is a transaction that reads one state of the data for a report, on a replica or the
// primary. Readers send their statements through it.
type Snapshot struct {
	db         *postgres.DB
	Query      Query
	withSealed bool // begin also reads the sealed days and months

	Conn    *pgxpool.Conn
	Replica bool // the connection is a replica's
	Meta    Metadata
	ended   bool     // the transaction is over
	Damaged []Damage // found so far
}

// AcquireTimeout bounds the wait for a connection.
const AcquireTimeout = 2 * time.Second

// LockPlaysSQL keeps TRUNCATE of the plays out until the transaction ends. TRUNCATE is not MVCC-safe:
// it empties the table for older snapshots, but not their segments. It comes before the snapshot.
const LockPlaysSQL = `/* reports.lockPlays */ lock table plays in access share mode`

// Open begins a snapshot, on a replica if one has replayed the query's position. withSealed also
// reads the sealed days and months. Errors: ErrGroupNotFound, apperr.Unavailable.
func Open(ctx context.Context, db *postgres.DB, q Query, withSealed bool) (*Snapshot, error) {
	if q.GroupID != "" && !input.IsID(q.GroupID) {
		return nil, ErrGroupNotFound
	}
	s := &Snapshot{db: db, Query: q, withSealed: withSealed}
	if s.Conn = db.AcquireReplica(ctx, q.Position); s.Conn != nil {
		s.Replica = true
		err := s.begin(ctx)
		if err == nil {
			return s, nil
		}
		s.Close()
		if !s.replicaFailed(ctx, err) {
			return nil, err
		}
	}
	if err := s.openOnPrimary(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// On returns the snapshot of a transaction that the caller has begun on the connection, and ends.
func On(conn *pgxpool.Conn, q Query) *Snapshot { return &Snapshot{Conn: conn, Query: q} }

// openOnPrimary begins the snapshot on the primary, and drops the findings of an earlier one.
func (s *Snapshot) openOnPrimary(ctx context.Context) error {
	s.Replica = false
	s.Damaged = nil
	for attempt := int32(0); ; attempt++ {
		if err := s.acquire(ctx); err != nil {
			return err
		}
		err := s.begin(ctx)
		if err == nil {
			return nil
		}
		// After an outage every pooled connection may be dead, which shows at its first use only.
		dead := s.Conn.Conn().IsClosed() && ctx.Err() == nil &&
			attempt < s.db.Pool.Config().MaxConns
		s.Close()
		if !dead {
			return err
		}
	}
}

func (s *Snapshot) acquire(ctx context.Context) error {
	waiting, stop := context.WithTimeout(ctx, AcquireTimeout)
	conn, err := s.db.Pool.Acquire(waiting)
	stop()
	if errors.Is(err, context.DeadlineExceeded) {
		e := apperr.Wrap(apperr.Unavailable, err,
			"Too many reports are being computed. Retry in 5 seconds.")
		e.RetryAfter = 5
		return e
	}
	if err != nil {
		return fmt.Errorf("reports: connect: %w", err)
	}
	s.Conn = conn
	return nil
}

// ReadWithFailover calls f, which reads the snapshot, and again on the primary after a replica's
// failure. Errors: ErrGroupNotFound for a group of another organisation, whatever the caller has
// authorised.
func (s *Snapshot) ReadWithFailover(ctx context.Context, f func() error) error {
	if err := s.Meta.Header().CheckGroup(s.Query.OrganisationID); err != nil {
		return err
	}
	err := f()
	if !s.replicaFailed(ctx, err) {
		return err
	}
	s.Close()
	if err := s.openOnPrimary(ctx); err != nil {
		return err
	}
	return f()
}

// replicaFailed reports whether err is the failure of a replica, so that the primary is read. Replay
// cancels conflicting statements (SQLSTATE 40001), and a standby may stop or be promoted.
func (s *Snapshot) replicaFailed(ctx context.Context, err error) bool {
	return s.Replica && ctx.Err() == nil && postgres.Failed(err)
}

// begin begins the transaction and reads the metadata in one round trip.
func (s *Snapshot) begin(ctx context.Context) error {
	q := s.Query
	s.ended = false
	batch := &pgx.Batch{}
	batch.Queue("begin isolation level repeatable read read only")
	// one plan suits every group and period here
	batch.Queue(`/* reports.plan */ set local plan_cache_mode = force_generic_plan`)
	batch.Queue(LockPlaysSQL)
	queueMetadata(batch, q)
	if s.withSealed {
		queueSealed(batch, q)
	}
	results := s.Conn.SendBatch(ctx, batch)
	defer func() { _ = results.Close() }() // fails only where a statement has failed
	for range 3 {
		if _, err := results.Exec(); err != nil {
			return fmt.Errorf("reports: begin: %w", err)
		}
	}
	meta, err := readMetadata(results, q)
	if err == nil && s.withSealed {
		meta.Sealed, err = readSealed(results)
		meta.LargeGroup = meta.LargeGroup || meta.Grouped && !meta.Sealed.Empty()
	}
	s.Meta = meta
	return err
}

// Send runs a batch in one round trip. Errors: segment.ErrDamaged if it met a damaged segment.
func (s *Snapshot) Send(ctx context.Context, batch *pgx.Batch) error {
	before := len(s.Damaged)
	err := s.Conn.SendBatch(ctx, batch).Close()
	if err == nil && len(s.Damaged) > before {
		err = segment.ErrDamaged
	}
	return err
}

// SendLast is Send, and ends the transaction in the same round trip.
func (s *Snapshot) SendLast(ctx context.Context, batch *pgx.Batch) error {
	batch.Queue("rollback")
	err := s.Send(ctx, batch)
	s.ended = err == nil || errors.Is(err, segment.ErrDamaged)
	return err
}

// Close ends the transaction and releases the connection. A connection that is sending rows is closed
// instead: the rest of an export may be long.
func (s *Snapshot) Close() {
	if s.Conn == nil {
		return
	}
	conn := s.Conn
	s.Conn = nil
	defer conn.Release()
	ctx, stop := context.WithTimeout(context.Background(), AcquireTimeout)
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
