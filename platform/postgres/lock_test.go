package postgres_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/postgres"
	"dg/platform/testkit/pgtest"
	"dg/platform/testkit/tb"
)

// A command waits for a lock as long as it says, and logs that it waits.
func TestLockWaitIsLoggedAndBounded(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	log := &tb.Buffer{}
	await := func(timeout time.Duration) error {
		tx, err := db.Owner.Pool.Begin(t.Context())
		require.NoError(t, err)
		defer func() { _ = tx.Rollback(t.Context()) }() // the pool is small
		return postgres.AwaitLock(t.Context(), log.Logger(), "import", timeout, tx)
	}
	holder, err := db.Owner.Pool.Begin(t.Context())
	require.NoError(t, err)
	require.NoError(t, postgres.AwaitLock(t.Context(), log.Logger(), "import", 0, holder))
	require.ErrorIs(t, await(0), postgres.ErrLocked)
	require.Empty(t, log.String())
	require.ErrorIs(t, await(time.Millisecond), postgres.ErrLocked)
	require.Contains(t, log.String(), "another process holds the import lock: waiting")
	require.NoError(t, holder.Rollback(t.Context()))
	require.NoError(t, await(time.Minute))
}
