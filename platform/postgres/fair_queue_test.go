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

// fill acquires n connections for an organisation in the background. They are released when ctx
// ends.
func fill(ctx context.Context, db *DB, organisation string, n int) (wait func()) {
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			_ = db.Pool.AcquireFunc(fairshare.WithTenant(ctx, organisation), func(*pgxpool.Conn) error {
				<-ctx.Done()
				return nil
			})
		})
	}
	return all.Wait
}

func acquired(db *DB) int { return int(db.Pool.Stat().AcquiredConns()) }

// acquires waits until that many connections are acquired.
func acquires(t *testing.T, db *DB, n int) {
	t.Helper()
	require.Eventually(t, func() bool { return acquired(db) == n }, 10*time.Second, time.Millisecond)
}

// An organisation that asks for all connections gets half of them. Another one finds a connection
// at once, through the pool and through gorm.
func TestOrganisationsShareAPool(t *testing.T) {
	t.Parallel()
	db := open(t, sharedServer(t).URL(), Options{MaxConns: 8, FairQueue: true})
	ctx, release := context.WithCancel(t.Context())
	wait := fill(ctx, db, "acme", 100)
	acquires(t, db, 3)
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
	acquires(t, db, 0)
	again, stop := context.WithCancel(t.Context())
	wait = fill(again, db, "globex", 100)
	acquires(t, db, 3)
	stop()
	wait()
}

// A failure releases the lease: a broken statement, a rollback, a cancelled wait, a lost
// connection.
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

// A request that gets no connection within five seconds fails as if the database were unavailable.
func TestWaitForAConnectionEnds(t *testing.T) {
	t.Parallel()
	db := open(t, sharedServer(t).URL(), Options{MaxConns: 2, FairQueue: true})
	ctx, release := context.WithCancel(t.Context())
	wait := fill(ctx, db, "acme", 1)
	acquires(t, db, 1)
	_, err := db.Pool.Exec(fairshare.WithTenant(t.Context(), "acme"), "select 1")
	require.True(t, Unavailable(err), "%v", err)
	release()
	wait()
}
