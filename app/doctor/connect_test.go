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
		require.Equal(t, want, doctor.Address(t.Context(), "DG_ADDR", address).Verdict, address)
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
	_, refused := doctor.Reach(t.Context(), db.URL+"&options=-c%20no_such_setting%3D1")
	require.Equal(t, doctor.Failure, refused.Verdict)
	require.Contains(t, refused.Says, "the database refuses the connection")
	_, silent := doctor.Reach(t.Context(), "postgres://127.0.0.1:1/dg")
	require.Contains(t, silent.Says, "the database does not answer")

	_, err := db.Owner.Pool.Exec(t.Context(),
		`do $$ begin execute format('alter database %I connection limit 30', current_database()); end $$`)
	require.NoError(t, err)
	conn, reached := doctor.Reach(t.Context(), db.URL)
	require.Equal(t, doctor.OK, reached.Verdict)
	defer conn.Close(context.Background())
	found, err := doctor.Connections(t.Context(), conn, 31)
	require.NoError(t, err)
	require.Equal(t, doctor.Failure, found.Verdict)
	require.Contains(t, found.Says, "the database allows 30")
}

// operations.md, Settings: both URLs lead to one database.
func TestMigrateURLOfAnotherDatabaseIsAFailure(t *testing.T) {
	t.Parallel()
	ours := pgtest.New(t)
	same, err := doctor.SameDatabase(t.Context(), ours.URL, ours.OwnerURL)
	require.NoError(t, err)
	require.Equal(t, doctor.OK, same.Verdict)
	other, err := doctor.SameDatabase(t.Context(), ours.URL, pgtest.New(t).OwnerURL)
	require.NoError(t, err)
	require.Equal(t, doctor.Failure, other.Verdict)
	require.Contains(t, other.Says, "DG_MIGRATE_DATABASE_URL leads to database ")
	gone, err := doctor.SameDatabase(t.Context(), ours.URL, "postgres://127.0.0.1:1/dg")
	require.Error(t, err)
	require.Equal(t, doctor.Failure, gone.Verdict)
}
