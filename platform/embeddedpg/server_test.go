package embeddedpg

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestFirstStartCreatesRolesAndDatabase(t *testing.T) {
	t.Parallel()
	e := sharedServer(t)
	if got := query[string](t, e.URL(),
		`select current_user || ' in ' || current_database()`); got != "dg_app in dg" {
		t.Errorf("URL connects as %s", got)
	}
	owner := query[string](t, e.OwnerURL(),
		`select pg_get_userbyid(datdba) from pg_database where datname = 'dg'`)
	require.Equal(t, owner, query[string](t, e.OwnerURL(), `select current_user`),
		"who owns the database")
	mentions(t, executeOn(t, e.URL(), `create table mine (id int)`), "permission denied")
	require.NoError(t,
		executeOn(t, e.OwnerURL(), `create table theirs (id int); drop table theirs`))
	for setting, want := range map[string]string{
		"listen_addresses":        "",
		"unix_socket_permissions": "0700",
		"server_encoding":         "UTF8",
		"lc_collate":              "C",
		"data_checksums":          "on",
	} {
		if got := query[string](t, e.OwnerURL(),
			`select coalesce(current_setting($1, true), (select datcollate from pg_database where datname = 'dg'))`,
			setting); got != want {
			t.Errorf("%s is %q, want %q", setting, got, want)
		}
	}
	info, err := os.Stat(e.folder.socket)
	require.NoError(t, err)
	if info.Mode().Perm() != 0o700 {
		t.Errorf("the socket's folder is %v", info.Mode())
	}
}

func TestServerLogHoldsNoValues(t *testing.T) {
	t.Parallel()
	e := sharedServer(t)
	for _, url := range []string{e.URL(), e.OwnerURL()} {
		mentions(t, executeOn(t, url, `select 'topsecret'::uuid`), "topsecret")
		mentions(t, executeOn(t, url, `do $$ begin raise 'topsecret'; end $$`), "topsecret")
	}
	text, err := os.ReadFile(filepath.Join(e.folder.path, logFile))
	require.NoError(t, err)
	if strings.Contains(string(text), "topsecret") {
		t.Error("the log holds a value")
	}
	if !strings.Contains(string(text), "ready to accept connections") {
		t.Error("the log is not the server's")
	}
}

func TestLastUserEndsTheServer(t *testing.T) {
	t.Parallel()
	dir := initialised(t)
	command := start(t, dir, Options{})
	// `dg serve` beside a command that has launched the server.
	serve := start(t, dir, Options{})
	began := query[time.Time](t, serve.URL(), `select pg_postmaster_start_time()`)

	stop(t, command) // the launcher goes first
	if got := query[time.Time](t, serve.URL(),
		`select pg_postmaster_start_time()`); !got.Equal(began) {
		t.Error("the server did not outlive the command that launched it")
	}
	later := start(t, dir, Options{})
	stop(t, later)
	if query[int](t, serve.URL(), `select 1`) != 1 || len(processesOn(t, dir)) == 0 {
		t.Error("a command that joined has ended the server")
	}
	stop(t, serve)
	nothingRuns(t, dir)
}

func TestConcurrentStartsCreateOneDatabase(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	var book logBook
	var all sync.WaitGroup
	servers := make([]*Server, 6)
	for i := range servers {
		all.Go(func() {
			e, err := Start(context.Background(), dir,
				Options{Logger: book.logger(), Settings: fast})
			if err != nil {
				t.Error(err)
				return
			}
			servers[i] = e
			if err := execute(context.Background(), e.OwnerURL(), ""); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, e := range servers {
		if e != nil {
			stop(t, e)
		}
	}
	if n := strings.Count(book.String(), "creating a PostgreSQL data folder"); n != 1 {
		t.Errorf("the database was made %d times\n%s", n, book.String())
	}
	nothingRuns(t, dir)
}

func TestDoneIsClosedWhenTheServerDies(t *testing.T) {
	t.Parallel()
	dir := initialised(t)
	launcher := start(t, dir, Options{})
	joined := start(t, dir, Options{})
	kill(t, postmaster(t, dir))
	for name, e := range map[string]*Server{"the launcher": launcher, "who joined": joined} {
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
	begin := time.Now()
	_, err := Start(context.Background(), dir,
		Options{Settings: map[string]string{"shared_buffers": "plenty"}})
	mentions(t, err, dir, `invalid value for parameter "shared_buffers": "plenty"`)
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("it took %v to say so", took)
	}
	nothingRuns(t, dir)
}

// The log holds one run of the server, and the run before is kept beside it.
func TestServerLogIsRotatedAtStart(t *testing.T) {
	t.Parallel()
	dir := initialised(t)
	for range 3 {
		s := start(t, dir, Options{})
		stop(t, s)
		// Stop takes a child that another test is just starting, which inherits every file, for
		// another user
		<-s.Done()
	}
	for _, name := range []string{logFile, logFile + ".old"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, 1, strings.Count(string(text), "database system is shut down"), name)
	}
}
