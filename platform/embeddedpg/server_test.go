package embeddedpg

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/logbook"
)

func TestFirstStartCreatesRolesAndDatabase(t *testing.T) {
	t.Parallel()
	e := sharedServer(t)
	require.Equal(t, "dg_app in dg",
		query[string](t, e.URL(), `select current_user || ' in ' || current_database()`))
	owner := query[string](t, e.OwnerURL(),
		`select pg_get_userbyid(datdba) from pg_database where datname = 'dg'`)
	require.Equal(t, owner, query[string](t, e.OwnerURL(), `select current_user`),
		"who owns the database")
	mentions(t, execute(t.Context(), e.URL(), `create table mine (id int)`), "permission denied")
	require.NoError(t,
		execute(t.Context(), e.OwnerURL(), `create table theirs (id int); drop table theirs`))
	for setting, want := range map[string]string{
		"listen_addresses":        "",
		"unix_socket_permissions": "0700",
		"server_encoding":         "UTF8",
		"lc_collate":              "C",
		"data_checksums":          "on",
	} {
		require.Equal(t, want, query[string](t, e.OwnerURL(),
			`select coalesce(current_setting($1, true), (select datcollate from pg_database where datname = 'dg'))`,
			setting), setting)
	}
	info, err := os.Stat(e.folder.socket)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
}

func TestServerLogHoldsNoValues(t *testing.T) {
	t.Parallel()
	e := sharedServer(t)
	for _, url := range []string{e.URL(), e.OwnerURL()} {
		mentions(t, execute(t.Context(), url, `select 'topsecret'::uuid`), "topsecret")
		mentions(t, execute(t.Context(), url, `do $$ begin raise 'topsecret'; end $$`), "topsecret")
	}
	text, err := os.ReadFile(filepath.Join(e.folder.path, logFile))
	require.NoError(t, err)
	require.NotContains(t, string(text), "topsecret")
	require.Contains(t, string(text), "ready to accept connections")
}

func TestLastUserEndsTheServer(t *testing.T) {
	t.Parallel()
	dir := initialised(t)
	command := start(t, dir, Options{})
	serve := start(t, dir, Options{})
	began := query[time.Time](t, serve.URL(), `select pg_postmaster_start_time()`)

	stop(t, command) // the launcher goes first
	require.Equal(t, began, query[time.Time](t, serve.URL(), `select pg_postmaster_start_time()`))
	later := start(t, dir, Options{})
	stop(t, later)
	answers(t, serve)
	stop(t, serve)
	nothingRuns(t, dir)
}

func TestConcurrentStartsCreateOneDatabase(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	var book logbook.Book
	var all sync.WaitGroup
	servers := make([]*Server, 6)
	errs := make([]error, len(servers))
	for i := range servers {
		all.Go(func() {
			servers[i], errs[i] = Start(context.Background(), dir,
				Options{Logger: book.Logger(), Settings: fast})
		})
	}
	all.Wait()
	require.NoError(t, errors.Join(errs...))
	for _, e := range servers {
		answers(t, e)
		stop(t, e)
	}
	require.Equal(t, 1, strings.Count(book.String(), "creating a PostgreSQL data folder"))
	nothingRuns(t, dir)
}

func TestDoneIsClosedWhenTheServerDies(t *testing.T) {
	t.Parallel()
	dir := initialised(t)
	launcher := start(t, dir, Options{})
	joined := start(t, dir, Options{})
	kill(t, postmaster(t, dir))
	for name, e := range map[string]*Server{"the launcher": launcher, "the other": joined} {
		select {
		case <-e.Done():
		case <-time.After(20 * time.Second):
			t.Errorf("%s was not told", name)
		}
	}
	start(t, dir, Options{}) // and the next start recovers
}

func TestFailedStartShowsTheServerLog(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	_, err := Start(context.Background(), dir,
		Options{Settings: map[string]string{"shared_buffers": "plenty"}})
	mentions(t, err, dir, `invalid value for parameter "shared_buffers": "plenty"`)
	nothingRuns(t, dir)
}

// The log has one run of the server, and the file beside it the run before.
func TestServerLogIsRotatedAtStart(t *testing.T) {
	t.Parallel()
	dir := initialised(t)
	for range 3 {
		s := start(t, dir, Options{})
		stop(t, s)
		// A child that another test is starting inherits every file: Stop takes it for a user.
		<-s.Done()
	}
	for _, name := range []string{logFile, logFile + ".old"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, 1, strings.Count(string(text), "database system is shut down"), name)
	}
}

// An interrupted restore changes nothing. Once the backup is restored completely, it replaces the
// database in spite of the interruption: otherwise the outcome would be unknown.
func TestInterruptedRestoreIsWholeOrNothing(t *testing.T) {
	t.Parallel()
	if _, err := FindProgram(t.Context(), "", "pg_dump"); err != nil {
		failStart(t, err)
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
