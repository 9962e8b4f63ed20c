package postgres_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"dg/platform/postgres"
	"dg/platform/testkit/pgtest"
	"dg/platform/testkit/tb"
)

// standbySQL makes the server look like a standby to sessions whose search_path begins with standby.
const standbySQL = `create schema standby;
	create table standby.replayed as select 'FFFFFF/0'::pg_lsn as lsn;
	create function standby.pg_is_in_recovery() returns boolean return true;
	create function standby.pg_last_wal_receive_lsn() returns pg_lsn return 'FFFFFF/0'::pg_lsn;
	create function standby.pg_last_wal_replay_lsn() returns pg_lsn return (select lsn from standby.replayed)`

// A replica that lags is left out, unless the primary was too busy to flush the needed records.
func TestBusyPrimaryKeepsTheReplicaInUse(t *testing.T) {
	_, url := newDatabase(t)
	require.NoError(t, tb.Exec(t, url, standbySQL))
	primary := pgtest.Open(t, url, postgres.Options{MaxConns: 1})
	replicas := tb.Must(postgres.OpenReplicas(t.Context(), []string{url}, primary, postgres.Options{}))(t)
	replica := replicas[0]
	require.True(t, replica.LeftOut(), "before the first check")
	replica.DB.Close()
	config := tb.Must(pgxpool.ParseConfig(url))(t)
	config.ConnConfig.RuntimeParams["search_path"] = "standby, pg_catalog"
	pool := tb.Must(pgxpool.NewWithConfig(t.Context(), config))(t)
	t.Cleanup(pool.Close)
	replica.DB = &postgres.DB{Pool: pool}
	primary.UseReplicas(replicas, primary)

	setReplayed := func(lsn string) {
		require.NoError(t, tb.Exec(t, url, `update standby.replayed set lsn = '`+lsn+`'`))
	}
	requireNotAcquired := func() {
		conn := primary.AcquireReplica(t.Context(), postgres.Position{Timeline: 1, LSN: 2})
		if conn != nil {
			conn.Release() // pool.Close waits for it
		}
		require.Nil(t, conn)
	}
	attempts := 20
	for leftOut := true; leftOut; leftOut = replica.LeftOut() { // on a busy machine the replica itself may be too slow
		require.Positive(t, attempts)
		attempts--
		setReplayed("FFFFFF/0")
		waitUntilUsed(t, replica, primary)
		setReplayed("0/1")
		conn := tb.Must(primary.Pool.Acquire(t.Context()))(t)
		requireNotAcquired()
		conn.Release()
	}
	for ; !replica.LeftOut(); attempts-- { // on a busy machine the primary may be too slow
		require.Positive(t, attempts)
		requireNotAcquired()
	}
}

func waitUntilUsed(t *testing.T, replica *postgres.Replica, primary *postgres.DB) {
	watchCtx, cancel := context.WithCancel(t.Context())
	var watcher sync.WaitGroup
	watcher.Go(func() { primary.WatchReplicas(watchCtx) })
	require.Eventually(t, func() bool { return !replica.LeftOut() }, 10*time.Second, time.Millisecond)
	cancel()
	watcher.Wait()
}
