package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// maxReplicaWait bounds how long a read waits for a replica. Then the primary answers.
	maxReplicaWait       = 50 * time.Millisecond
	replicaCheckInterval = 5 * time.Second
)

// Replica is a hot standby of the primary with its pool. Reads leave it out before the first check,
// and after a failure until a check succeeds.
type Replica struct {
	DB         *DB
	Number     int    // starts at 1, in the order of the setting; names the replica in log and metrics
	databaseID string // system identifier and name of the database, which the primary shares
	log        *slog.Logger

	primary *DB
	failure atomic.Pointer[string] // why reads leave the replica out; nil if they use it
	reads   atomic.Int64
}

// OpenReplicas opens a pool for each replica. It fails if a replica is a copy of another database,
// or the primary has no Position. If a replica does not answer, reads leave it out.
func OpenReplicas(
	ctx context.Context, urls []string, primary *DB, opts Options,
) (replicas []*Replica, err error) {
	defer func() {
		if err != nil {
			CloseReplicas(replicas)
		}
	}()
	if len(urls) == 0 {
		return nil, nil
	}
	opts.lazy = true
	name := opts.Name
	log := cmp.Or(opts.Logger, slog.New(slog.DiscardHandler))
	primaryID, err := primary.readDatabaseID(ctx)
	if err != nil {
		return nil, fmt.Errorf("the primary does not tell its identifier and position: if it never does, as "+
			"Aurora, leave DG_DATABASE_REPLICA_URLS empty: %w", err)
	}
	for i, url := range urls {
		r := &Replica{Number: i + 1, databaseID: primaryID, log: log.With("replica", i+1), primary: primary}
		r.failure.Store(new(string))
		opts.Name = fmt.Sprintf("%s replica %d", name, r.Number)
		if r.DB, err = Open(ctx, url, opts); err != nil {
			return replicas, fmt.Errorf("replica %d: %w", r.Number, err)
		}
		replicas = append(replicas, r)
		if id, err := r.DB.readDatabaseID(ctx); err == nil && id != primaryID {
			return replicas, fmt.Errorf("replica %d is not a copy of the primary: it is "+
				"another database. Correct DG_DATABASE_REPLICA_URLS", r.Number)
		}
	}
	return replicas, nil
}

// readDatabaseID returns the identifier of the cluster and the name of the database. It fails on a
// primary that refuses its Position, which each request with a key asks for.
func (db *DB) readDatabaseID(ctx context.Context) (id string, err error) {
	ctx, cancel := context.WithTimeout(ctx, hostTimeout)
	defer cancel()
	err = db.Pool.QueryRow(ctx, `/* postgres.system */ select system_identifier || ' ' ||
		current_database(), `+PositionExpression+` from pg_control_system()`).Scan(&id, new(Position))
	return id, err
}

// CloseReplicas closes the pools one by one. Each takes at most closeTimeout.
func CloseReplicas(replicas []*Replica) {
	for _, r := range replicas {
		r.DB.Close()
	}
}

// Reads returns how many reads the replica has taken since the start.
func (r *Replica) Reads() int64 { return r.reads.Load() }

// LeftOut reports whether reads leave the replica out: before the first check, or after a failure.
func (r *Replica) LeftOut() bool { return r.failure.Load() != nil }

// leaveOut makes reads leave the replica out. It logs a reason that differs from the previous one.
func (r *Replica) leaveOut(err error) {
	reason := err.Error()
	if previous := r.failure.Swap(&reason); previous == nil || *previous != reason {
		r.log.Warn("reports leave out the replica", "error", err)
	}
}

// WatchReplicas checks the replicas of db at once and every replicaCheckInterval, until ctx ends.
func (db *DB) WatchReplicas(ctx context.Context) {
	var checks sync.WaitGroup
	for _, r := range db.replicas {
		checks.Go(func() { r.watch(ctx) })
	}
	checks.Wait()
}

func (r *Replica) watch(ctx context.Context) {
	for ctx.Err() == nil {
		switch err := r.Check(ctx); {
		case err != nil && ctx.Err() == nil:
			r.leaveOut(err)
		case err == nil && r.failure.Swap(nil) != nil:
			r.log.Info("reports read from the replica")
		}
		select {
		case <-ctx.Done():
		case <-time.After(replicaCheckInterval):
		}
	}
}

// Check returns why reads must leave the replica out, or nil. Unlike a read it waits for a new
// connection, which the next reads then find in the pool.
func (r *Replica) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, hostTimeout)
	defer cancel()
	var position Position
	err := r.primary.Pool.QueryRow(ctx, `/* postgres.flushed */ select `+flushedExpression).Scan(&position)
	if err != nil {
		return fmt.Errorf("the primary does not answer: %w", err)
	}
	conn, err := r.DB.Pool.Acquire(ctx)
	if err != nil {
		return explainConnectError(r.DB.Pool, err)
	}
	defer conn.Release()
	waitCtx, cancel := context.WithTimeout(ctx, maxReplicaWait)
	defer cancel()
	return r.await(waitCtx, conn, position)
}

// UseReplicas makes db.AcquireReplica use the replicas, and requestPool.HasReplicas report them.
// Call it before serving. Reads use no replica before WatchReplicas runs.
func (db *DB) UseReplicas(replicas []*Replica, requestPool *DB) {
	db.replicas = replicas
	requestPool.hasReplicas = len(replicas) > 0
}

// HasReplicas reports whether replicas answer reads of another pool, which need a Position.
func (db *DB) HasReplicas() bool { return db.hasReplicas }

// AcquireReplica returns a connection whose next snapshot sees every commit before the position, or
// nil if no replica is ready within maxReplicaWait: then the primary must answer.
func (db *DB) AcquireReplica(ctx context.Context, position Position) *pgxpool.Conn {
	if position == (Position{}) {
		return nil
	}
	start := int(db.nextReplica.Add(1))
	for i := range db.replicas {
		if r := db.replicas[(start+i)%len(db.replicas)]; !r.LeftOut() {
			return r.acquire(ctx, position)
		}
	}
	return nil
}

// acquire returns nil if the replica is busy, connects slowly, lags or fails. A replica that lags
// or fails is left out, unless ctx ended or the primary was busy.
func (r *Replica) acquire(ctx context.Context, position Position) *pgxpool.Conn {
	waitCtx, cancel := context.WithTimeout(ctx, maxReplicaWait)
	defer cancel()
	conn, err := r.DB.Pool.Acquire(waitCtx)
	if err == nil {
		if err = r.await(waitCtx, conn, position); err == nil {
			r.reads.Add(1)
			return conn
		}
		conn.Release()
	} else if waitCtx.Err() != nil {
		return nil // a connection that is still being opened goes to the pool, for a later read
	}
	if ctx.Err() == nil && !errors.Is(err, errPrimaryBusy) {
		r.leaveOut(err)
	}
	return nil
}

// replicaStateSQL takes the latest of three timelines: the control file lags behind replay, and the
// WAL receiver's timeline is visible only to roles with pg_read_all_stats.
const replicaStateSQL = `/* postgres.replica */ select pg_is_in_recovery(),
	s.system_identifier || ' ' || current_database(),
	greatest(c.timeline_id, r.min_recovery_end_timeline,
	  (select received_tli from pg_stat_wal_receiver)),
	coalesce(pg_last_wal_replay_lsn() - '0/0', 0)::bigint,
	coalesce(pg_last_wal_receive_lsn() - '0/0', 0)::bigint
	from pg_control_system() s, pg_control_checkpoint() c, pg_control_recovery() r`

// firstReplayDelay is the first delay between checks of replay. It doubles with each check.
const firstReplayDelay = time.Millisecond

// flush makes the primary send all records up to now. Requests may write only unlogged tables, and
// commit without a flush: the WAL writer may flush only after maxReplicaWait.
func (r *Replica) flush(ctx context.Context) error {
	_, err := r.primary.Pool.Exec(ctx, `/* postgres.flush */ select pg_logical_emit_message(true, 'dg', '')
		from set_config('synchronous_commit', 'local', true)`)
	if err != nil {
		return fmt.Errorf("%w: %w", errPrimaryBusy, err)
	}
	return nil
}

// errPrimaryBusy marks a failure of the primary, for which a read does not leave out the replica.
var errPrimaryBusy = errors.New("the primary could not be asked to send its records")

// await waits until the replica has replayed up to the position.
func (r *Replica) await(ctx context.Context, conn *pgxpool.Conn, position Position) error {
	for delay := firstReplayDelay; ; delay *= 2 {
		var isStandby bool
		var databaseID string
		var timeline uint32
		var replayed, received uint64
		err := conn.QueryRow(ctx, replicaStateSQL).Scan(&isStandby, &databaseID, &timeline, &replayed, &received)
		switch {
		case err != nil:
			return err
		case databaseID != r.databaseID:
			return errors.New("it is another database than the primary's")
		case !isStandby:
			return errors.New("it is no standby any more, or never was one: rebuild it from the primary")
		case timeline != position.Timeline:
			return errors.New("it is on another timeline than the primary: let it follow the primary")
		case replayed > received:
			return errors.New("it has replayed what the primary did not send: rebuild it from the primary")
		case replayed >= position.LSN:
			return nil
		case delay == firstReplayDelay:
			if err := r.flush(ctx); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return errors.New("it has not replayed what the primary has committed: if that lasts, see its log, " +
				"or run there as a superuser: select pg_wal_replay_resume()")
		case <-time.After(delay):
		}
	}
}

// Position is the primary's insert LSN and timeline at one moment. A replica that has replayed up
// to it has every commit before that moment. For a zero Position only the primary can answer.
type Position struct {
	Timeline uint32
	LSN      uint64
}

const (
	// PositionExpression is the SQL of a Position: null on a standby. It is not the flushed LSN: a
	// commit of a session with synchronous_commit = off is visible before its record is flushed. At
	// the end of a WAL page, the insert LSN is after the header of the next page. Replay reaches it
	// only with the next record, at the latest with the record that Replica.flush writes.
	PositionExpression = positionPrefix + `pg_current_wal_insert_lsn()` + positionSuffix
	// flushedExpression is the highest LSN that a replica can have received. Check waits for this LSN,
	// because an up-to-date replica reaches it without Replica.flush.
	flushedExpression = positionPrefix + `pg_current_wal_flush_lsn()` + positionSuffix
	positionPrefix    = `(case when not pg_is_in_recovery() then
	(select left(pg_walfile_name(lsn), 8) || ' ' || (lsn - '0/0') from `
	positionSuffix = ` lsn) end)`
)

// Scan implements sql.Scanner. Malformed text is an error. A value that is not text, such as NULL,
// gives the zero Position.
func (p *Position) Scan(value any) error {
	*p = Position{}
	text, ok := value.(string)
	if !ok {
		return nil
	}
	if _, err := fmt.Sscanf(text, "%x %d", &p.Timeline, &p.LSN); err != nil {
		return fmt.Errorf("postgres: position %q: %w", text, err)
	}
	return nil
}
