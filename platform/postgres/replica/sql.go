package replica

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"dg/platform/postgres"
)

const (
	replayedSQL = `/* postgres.replayed */ select pg_is_in_recovery(), pg_postmaster_start_time(),
		coalesce(pg_last_wal_replay_lsn() - '0/0', 0)::bigint`

	// The control file shows a new timeline some time after its first record is replayed. The WAL
	// receiver's is current, but visible only to roles with pg_read_all_stats.
	identifySQL = `/* postgres.identify */ select pg_is_in_recovery(), pg_postmaster_start_time(),
		coalesce(pg_last_wal_replay_lsn() - '0/0', 0)::bigint,
		s.system_identifier, greatest(c.timeline_id, r.min_recovery_end_timeline,
		  (select received_tli from pg_stat_wal_receiver))
		from pg_control_system() s, pg_control_checkpoint() c, pg_control_recovery() r`

	primarySQL = `/* postgres.position */ select s.system_identifier, ` + postgres.PositionExpression +
		` from pg_control_system() s`

	// markSQL writes an empty logical message and flushes the log. It never waits for a synchronous
	// standby.
	markSQL = `/* postgres.mark */ select set_config('synchronous_commit', 'local', true),
		pg_logical_emit_message(true, 'dg', '')::text`
)

// replayedIn returns the replayed LSN of a server that is still a standby in the same run.
func replayedIn(
	ctx context.Context, conn *pgxpool.Conn, run *serverRun,
) (replayed uint64, err error) {
	var standby bool
	var started time.Time
	err = conn.QueryRow(ctx, replayedSQL).Scan(&standby, &started, &replayed)
	switch {
	case err != nil:
		return 0, err
	case !standby:
		return 0, errPromoted
	case !started.Equal(run.started):
		return 0, errRestarted
	}
	return replayed, nil
}

// identity is the result of identifySQL.
type identity struct {
	standby  bool
	started  time.Time
	replayed uint64
	system   int64
	timeline uint32
}

func identify(ctx context.Context, conn *pgxpool.Conn) (i identity, err error) {
	err = conn.QueryRow(ctx, identifySQL).
		Scan(&i.standby, &i.started, &i.replayed, &i.system, &i.timeline)
	return i, err
}

// position returns the primary's system and position.
func (rs *Replicas) position(ctx context.Context) (system int64, at postgres.Position, err error) {
	err = rs.primary.Pool.QueryRow(ctx, primarySQL).Scan(&system, &at)
	return system, at, err
}

// mark writes a record and returns a position after it.
func (rs *Replicas) mark(ctx context.Context) (at postgres.Position, err error) {
	if _, err = rs.primary.Pool.Exec(ctx, markSQL); err == nil {
		_, at, err = rs.position(ctx)
	}
	return at, err
}

// flush flushes the log beyond a position inside a record, one call at a time, so that no read
// waits for wal_writer_delay.
func (rs *Replicas) flush() {
	if !rs.flushing.CompareAndSwap(false, true) {
		return
	}
	go func() {
		defer rs.flushing.Store(false)
		ctx, stop := context.WithTimeout(context.Background(), checkTimeout)
		defer stop()
		// if it fails, reads wait or use the primary
		_, _ = rs.primary.Pool.Exec(ctx, markSQL)
	}()
}

// walPage is the size of a WAL page. An LSN on a page boundary may fall inside a record; no replica
// reports it until the record is flushed, which takes PostgreSQL up to wal_writer_delay.
const walPage = 8192

func amidRecord(lsn uint64) bool { return lsn%walPage == 0 }
