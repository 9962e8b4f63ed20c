package doctor_test

import (
	"context"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/app/doctor"
	"dg/platform/testkit/pgtest"
)

// operations.md, Settings: an address in use may be that of a running dg serve; one that this
// machine does not have cannot be served on.
func TestAddresses(t *testing.T) {
	t.Parallel()
	used, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer used.Close()
	for address, want := range map[string]doctor.Verdict{
		"127.0.0.1:0":          doctor.OK,
		used.Addr().String():   doctor.Warning,
		"192.0.2.1:8080":       doctor.Failure,
		"127.0.0.1:not-a-port": doctor.Failure,
	} {
		found := doctor.Addresses(t.Context(), address, "127.0.0.1:0", doctor.Warning)
		require.Equal(t, want, found[0].Verdict, address)
	}
}

// Root may write everywhere but where nothing is.
func TestFolderThatIsNotWritable(t *testing.T) {
	t.Parallel()
	require.True(t, doctor.Writable(t.TempDir()))
	require.False(t, doctor.Writable("/proc/self/fd/none"))
}

// A server that answers and refuses is told apart from one that does not answer; a limit of the
// database counts like one of the server.
func TestRefusalsAndLimitsOfTheDatabase(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	_, refused := doctor.Reach(t.Context(), "DG_DATABASE_URL", db.URL+"&options=-c%20no_such_setting%3D1")
	require.Equal(t, doctor.Failure, refused.Verdict)
	require.Contains(t, refused.Says, "the database refuses the connection")
	_, silent := doctor.Reach(t.Context(), "DG_DATABASE_URL", "postgres://127.0.0.1:1/dg")
	require.Contains(t, silent.Says, "the database does not answer")

	_, err := db.Owner.Pool.Exec(t.Context(),
		`do $$ begin execute format('alter database %I connection limit 30', current_database()); end $$`)
	require.NoError(t, err)
	conn, reached := doctor.Reach(t.Context(), "DG_DATABASE_URL", db.URL)
	require.Equal(t, doctor.OK, reached.Verdict)
	defer conn.Close(context.Background())
	found, err := doctor.Connections(t.Context(), conn, 31)
	require.NoError(t, err)
	require.Equal(t, doctor.Warning, found.Verdict)
	require.Contains(t, found.Says, "the database allows 30")
}

// operations.md, Settings: both URLs lead to one database.
func TestMigrateURLOfAnotherDatabaseIsAFailure(t *testing.T) {
	t.Parallel()
	ours := pgtest.New(t)
	const setting = "DG_MIGRATE_DATABASE_URL"
	require.Equal(t, doctor.OK, doctor.Owner(t.Context(), setting, ours.OwnerURL, ours.URL).Verdict)
	other := doctor.Owner(t.Context(), setting, pgtest.New(t).OwnerURL, ours.URL)
	require.Equal(t, doctor.Failure, other.Verdict)
	require.Contains(t, other.Says, "DG_MIGRATE_DATABASE_URL leads to database ")
	gone := doctor.Owner(t.Context(), setting, "postgres://127.0.0.1:1/dg", ours.URL)
	require.Equal(t, doctor.Failure, gone.Verdict)
	require.Contains(t, gone.Says, "DG_MIGRATE_DATABASE_URL: the database does not answer")
	served := doctor.Owner(t.Context(), setting, ours.URL, ours.URL)
	require.Contains(t, served.Says, "may not create tables")
}
