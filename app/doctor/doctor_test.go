package doctor

import (
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"dg/platform/testkit/pgtest"
)

// A machine whose clock is wrong, or whose disk is full, is a warning with its fix. Package system
// plants the other faults.
func TestClockAndDiskAreChecked(t *testing.T) {
	s := Subject{URL: pgtest.New(t).URL, Log: slog.New(slog.DiscardHandler)}
	require.Empty(t, findDatabase(t.Context(), &s))
	t.Cleanup(s.Close)
	i := slices.IndexFunc(checks, func(c check) bool { return c.name == "clock" })
	for behind, faults := range map[time.Duration]int{time.Second: 0, 6 * time.Second: 1} {
		rows, err := s.db.Pool.Query(t.Context(), checks[i].sql,
			pgx.NamedArgs{"now": time.Now().Add(-behind)})
		require.NoError(t, err)
		found, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		require.Len(t, found, faults, "%v", found)
	}
	require.NotEmpty(t, checks[i].fix)
	const gib = 1 << 30
	require.Empty(t, room(10*gib, 100*gib))
	require.Len(t, room(gib-1, 10*gib), 1)
	require.Len(t, room(10*gib, 1000*gib), 1)
}
