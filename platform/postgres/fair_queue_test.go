package postgres

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"dg/platform/fairshare"
)

// fill acquires connections as that flow, in the background, until ctx ends. Each is released with
// ctx.
func fill(ctx context.Context, db *DB, flow string, n int) (wait func()) {
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			_ = db.Pool.AcquireFunc(fairshare.WithTenant(ctx, flow), func(*pgxpool.Conn) error {
				<-ctx.Done()
				return nil
			})
		})
	}
	return all.Wait
}

func acquired(db *DB) int { return int(db.Pool.Stat().AcquiredConns()) }

// An organisation that asks for everything gets half of the connections. Others find one at once,
// through the pool and through gorm.
func TestFlowsShareAPool(t *testing.T) {
	t.Parallel()
	db := open(t, sharedServer(t).URL(), Options{MaxConns: 8, FairQueue: true})
	ctx, release := context.WithCancel(t.Context())
	wait := fill(ctx, db, "acme", 100)
	require.Eventually(t, func() bool {
		return acquired(db) == 3
	}, 10*time.Second, time.Millisecond)
	other := fairshare.WithTenant(t.Context(), "globex")
	for range 20 {
		var one int
		require.NoError(t, db.Pool.QueryRow(other, "select 1").Scan(&one))
		require.NoError(t,
			db.Gorm.WithContext(other).Scopes(onNoTable).Raw("select 1").Scan(&one).Error)
		require.Equal(t, 3, acquired(db))
	}
	release()
	wait()
	require.Eventually(t, func() bool {
		return acquired(db) == 0
	}, 10*time.Second, time.Millisecond)
	again, stop := context.WithCancel(t.Context())
	wait = fill(again, db, "globex", 100)
	require.Eventually(t, func() bool {
		return acquired(db) == 3
	}, 10*time.Second, time.Millisecond)
	stop()
	wait()
}

// What fails gives its lease back: a broken statement, a transaction that is rolled back, a wait
// that ends, a lost connection.
func TestFailuresReleaseTheLease(t *testing.T) {
	t.Parallel()
	db := open(t, sharedServer(t).URL(), Options{MaxConns: 4, FairQueue: true})
	ctx := fairshare.WithTenant(t.Context(), "acme")
	for range 20 {
		_, err := db.Pool.Exec(ctx, "broken")
		require.Error(t, err)
		require.Error(t, db.Gorm.WithContext(ctx).Scopes(onNoTable).Exec("broken").Error)
		tx := db.Gorm.WithContext(ctx).Begin()
		require.NoError(t, tx.Scopes(onNoTable).Exec("select 1").Error)
		require.NoError(t, tx.Rollback().Error)
		ended, end := context.WithCancel(ctx)
		end()
		_, err = db.Pool.Acquire(ended)
		require.ErrorIs(t, err, context.Canceled)
		require.NoError(t,
			db.Pool.AcquireFunc(ctx, func(c *pgxpool.Conn) error { return c.Conn().Close(ctx) }))
	}
	require.NoError(t, db.Pool.Ping(ctx))
	require.Zero(t, acquired(db))
}

// A request that waits in vain is answered as if the database were out of reach, after five
// seconds.
func TestWaitForAConnectionEnds(t *testing.T) {
	t.Parallel()
	db := open(t, sharedServer(t).URL(), Options{MaxConns: 2, FairQueue: true})
	ctx, release := context.WithCancel(t.Context())
	wait := fill(ctx, db, "acme", 1)
	require.Eventually(t, func() bool {
		return acquired(db) == 1
	}, 10*time.Second, time.Millisecond)
	_, err := db.Pool.Exec(fairshare.WithTenant(t.Context(), "acme"), "select 1")
	require.True(t, Unavailable(err), "%v", err)
	release()
	wait()
}

// BenchmarkFairQueue is what the queue costs a statement at rest.
func BenchmarkFairQueue(b *testing.B) {
	for name, fair := range map[string]bool{"FIFO": false, "fair": true} {
		b.Run(name, func(b *testing.B) {
			db := open(b, sharedServer(b).URL(), Options{MaxConns: 11, FairQueue: fair})
			ctx := fairshare.WithTenant(b.Context(), "acme")
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					_, err := db.Pool.Exec(ctx, "select 1")
					if err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}
