package doctor

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"dg/platform/testkit/pgtest"
)

// A machine whose clock is wrong, or whose disk is full, is a warning with its fix. Package system
// plants the other faults.
func TestClockAndDiskAreChecked(t *testing.T) {
	db := pgtest.New(t)
	sql, err := queries.ReadFile("sql/database.sql")
	require.NoError(t, err)
	for behind, faults := range map[time.Duration]int{time.Second: 0, 6 * time.Second: 1} {
		rows, err := db.Owner.Pool.Query(t.Context(), string(sql),
			pgx.NamedArgs{"now": time.Now().Add(-behind)})
		require.NoError(t, err)
		found, err := pgx.CollectRows(rows, pgx.RowToMap)
		require.NoError(t, err)
		require.Len(t, found, faults, "%v", found)
	}
	const gib = 1 << 30
	require.Empty(t, checkFreeSpace(gib))
	require.Len(t, checkFreeSpace(gib-1), 1)
}
