package embeddedpg

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// An interrupted restore changes nothing. Once the backup is restored completely, it replaces the
// database in spite of the interruption: otherwise the outcome would be unknown.
func TestInterruptedRestoreIsWholeOrNothing(t *testing.T) {
	t.Parallel()
	if _, err := FindProgram(t.Context(), "", "pg_dump"); err != nil {
		unavailableHere(t, err)
	}
	e := start(t, initialised(t), Options{Settings: fast})
	defer stop(t, e)
	state := func() string {
		return query[string](t, e.URL(),
			`select string_agg(tablename, ' ' order by tablename) from pg_tables where schemaname = 'public'`)
	}
	require.NoError(t, execute(t.Context(), e.OwnerURL(), `create table kept ()`))
	file, err := os.Create(filepath.Join(t.TempDir(), "backup"))
	require.NoError(t, err)
	require.NoError(t, e.Dump(t.Context(), file))
	require.NoError(t, execute(t.Context(), e.OwnerURL(), `alter table kept rename to replaced`))

	interrupted := func(finish func() error) error {
		_, err := file.Seek(0, 0)
		require.NoError(t, err)
		ctx, interrupt := context.WithCancel(t.Context())
		return e.Restore(ctx, file, func(string) error {
			interrupt()
			return finish()
		})
	}
	require.ErrorIs(t, interrupted(func() error { return context.Canceled }), context.Canceled)
	require.Equal(t, "replaced", state())
	require.Zero(t,
		query[int](t, e.URL(), `select count(*) from pg_database where datname = 'dg_restored'`),
		"it is cleaned up")

	require.NoError(t, interrupted(func() error { return nil }))
	require.Equal(t, "kept", state())
}
