package reports

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

// snapshot is a transaction that reads one state of the data for a report. It alone knows whether a
// replica or the primary is read. Readers take it, and send their statements through it.
type snapshot struct {
	db         *postgres.DB
	query      Query
	withSealed bool // what of the period is sealed is read, too

	conn    *pgxpool.Conn
	replica bool // the connection is a replica's
	meta    metadata
	ended   bool     // the transaction is over
	damaged []Damage // found so far
}

// acquireTimeout bounds the wait for a connection.
const acquireTimeout = 2 * time.Second

// lockPlaysSQL keeps TRUNCATE of the plays out until the transaction ends. TRUNCATE is not
// MVCC-safe: it empties the table for older snapshots, too, but not their segments. It comes before
// the snapshot is taken, and nothing else waits for it.
const lockPlaysSQL = `/* reports.lockPlays */ lock table plays in access share mode`

// openSnapshot begins a snapshot, on a replica if one has replayed the query's position; withSealed
// also reads what of the period is sealed. Errors: ErrGroupNotFound, apperr.Unavailable.
func openSnapshot(
	ctx context.Context, db *postgres.DB, q Query, withSealed bool,
) (*snapshot, error) {
	if q.GroupID != "" && !input.IsID(q.GroupID) {
		return nil, ErrGroupNotFound
	}
	s := &snapshot{db: db, query: q, withSealed: withSealed}
	if s.conn = db.AcquireReplica(ctx, q.Position); s.conn != nil {
		s.replica = true
		err := s.begin(ctx)
		if err == nil {
			return s, nil
		}
		s.close()
		if !s.replicaFailed(ctx, err) {
			return nil, err
		}
	}
	if err := s.openOnPrimary(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// openOnPrimary begins the snapshot on the primary. What was found in an earlier one is forgotten.
func (s *snapshot) openOnPrimary(ctx context.Context) error {
	s.replica = false
	s.damaged = nil
	for attempt := int32(0); ; attempt++ {
		if err := s.acquire(ctx); err != nil {
			return err
		}
		err := s.begin(ctx)
		if err == nil {
			return nil
		}
		// After an outage of the database every pooled connection may be dead, and shows it only
		// when it is used.
		dead := s.conn.Conn().IsClosed() && ctx.Err() == nil &&
			attempt < s.db.Pool.Config().MaxConns
		s.close()
		if !dead {
			return err
		}
	}
}

func (s *snapshot) acquire(ctx context.Context) error {
	waiting, stop := context.WithTimeout(ctx, acquireTimeout)
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
	s.conn = conn
	return nil
}

// read calls f, which reads the snapshot, and again on the primary where a replica failed. Whatever
// the caller has authorised, a group of another organisation is not read. Errors: ErrGroupNotFound.
func (s *snapshot) read(ctx context.Context, f func() error) error {
	if err := s.meta.header().CheckGroup(s.query.OrganisationID); err != nil {
		return err
	}
	err := f()
	if !s.replicaFailed(ctx, err) {
		return err
	}
	s.close()
	if err := s.openOnPrimary(ctx); err != nil {
		return err
	}
	return f()
}

// replicaFailed reports whether err is a replica's doing: the report is asked again of the primary.
// Replay cancels statements that are in its way (SQLSTATE 40001), a standby may stop or be
// promoted, and none but the primary can say what is wrong.
func (s *snapshot) replicaFailed(ctx context.Context, err error) bool {
	return s.replica && ctx.Err() == nil && postgres.Failed(err)
}

// begin starts the transaction and reads the metadata, and what is sealed, in one round trip.
func (s *snapshot) begin(ctx context.Context) error {
	q := s.query
	s.ended = false
	batch := &pgx.Batch{}
	batch.Queue("begin isolation level repeatable read read only")
	// one plan suits every group and period here
	batch.Queue(`/* reports.plan */ set local plan_cache_mode = force_generic_plan`)
	batch.Queue(lockPlaysSQL)
	queueMetadata(batch, q)
	if s.withSealed {
		queueSealed(batch, q)
	}
	results := s.conn.SendBatch(ctx, batch)
	defer func() { _ = results.Close() }() // fails only where a statement has failed
	for range 3 {
		if _, err := results.Exec(); err != nil {
			return fmt.Errorf("reports: begin: %w", err)
		}
	}
	meta, err := readMetadata(results, q)
	if err == nil && s.withSealed {
		meta.sealed, err = readSealed(results)
		meta.largeGroup = meta.largeGroup || meta.grouped && !meta.sealed.empty()
	}
	s.meta = meta
	return err
}

// send runs a batch in one round trip. While the rows of one statement are read, PostgreSQL works
// on the next.
// Errors: segment.ErrDamaged where the batch met a damaged segment.
func (s *snapshot) send(ctx context.Context, batch *pgx.Batch) error {
	before := len(s.damaged)
	err := s.conn.SendBatch(ctx, batch).Close()
	if err == nil && len(s.damaged) > before {
		err = segment.ErrDamaged
	}
	return err
}

// sendLast is send, and ends the transaction in the same round trip.
func (s *snapshot) sendLast(ctx context.Context, batch *pgx.Batch) error {
	batch.Queue("rollback")
	err := s.send(ctx, batch)
	s.ended = err == nil || errors.Is(err, segment.ErrDamaged)
	return err
}

// close ends the transaction and releases the connection. A connection amid rows is closed instead:
// the rest of an export may be long.
func (s *snapshot) close() {
	if s.conn == nil {
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
