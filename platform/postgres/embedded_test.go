package postgres

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestFirstStartMakesTheRolesAndTheDatabase(t *testing.T) {
	t.Parallel()
	e := sharedServer(t)
	if got := query[string](t, e.URL(), `select current_user || ' in ' || current_database()`); got != "dg_app in dg" {
		t.Errorf("URL connects as %s", got)
	}
	owner := query[string](t, e.OwnerURL(), `select pg_get_userbyid(datdba) from pg_database where datname = 'dg'`)
	if role, err := RoleOf(e.OwnerURL()); err != nil || role != owner {
		t.Errorf("the database is owned by %s, OwnerURL connects as %s (%v)", owner, role, err)
	}
	mentions(t, execute(t, e.URL(), `create table mine (id int)`), "permission denied")
	must(t, execute(t, e.OwnerURL(), `create table theirs (id int); drop table theirs`))
	for setting, want := range map[string]string{
		"listen_addresses": "", "unix_socket_permissions": "0700", "server_encoding": "UTF8", "lc_collate": "C", "data_checksums": "on",
	} {
		if got := query[string](t, e.OwnerURL(), `select coalesce(current_setting($1, true), (select datcollate from pg_database where datname = 'dg'))`, setting); got != want {
			t.Errorf("%s is %q, want %q", setting, got, want)
		}
	}
	info, err := os.Stat(e.socket)
	must(t, err)
	if info.Mode().Perm() != 0o700 {
		t.Errorf("the socket's folder is %v", info.Mode())
	}
}

func TestNoValueOfAStatementLandsInTheServersLog(t *testing.T) {
	t.Parallel()
	e := sharedServer(t)
	for _, url := range []string{e.URL(), e.OwnerURL()} {
		mentions(t, execute(t, url, `select 'topsecret'::uuid`), "topsecret")
		mentions(t, execute(t, url, `do $$ begin raise 'topsecret'; end $$`), "topsecret")
	}
	text, err := os.ReadFile(filepath.Join(e.Dir(), logFile))
	must(t, err)
	if strings.Contains(string(text), "topsecret") {
		t.Error("the log holds a value")
	}
	if !strings.Contains(string(text), "ready to accept connections") {
		t.Error("the log is not the server's")
	}
}

func TestASecondServeOnTheFolderSaysSo(t *testing.T) {
	t.Parallel()
	dir := initialised(t)
	first := start(t, dir, EmbeddedOptions{Exclusive: true})
	_, err := StartEmbedded(context.Background(), dir, EmbeddedOptions{Exclusive: true})
	mentions(t, err, strconv.Quote(dir), fmt.Sprintf("process %d", os.Getpid()), "dg serve")

	stop(t, first)
	nothingRuns(t, dir)
	if exists(first.socket) {
		t.Error("the socket's folder is left")
	}
	start(t, dir, EmbeddedOptions{Exclusive: true})
}

func TestACommandJoinsTheServerAndTheLastOneOutEndsIt(t *testing.T) {
	t.Parallel()
	dir := initialised(t)
	command := start(t, dir, EmbeddedOptions{})
	// `dg serve` beside a command that has launched the server.
	serve := start(t, dir, EmbeddedOptions{Exclusive: true})
	began := query[time.Time](t, serve.URL(), `select pg_postmaster_start_time()`)

	stop(t, command) // the launcher goes first
	if got := query[time.Time](t, serve.URL(), `select pg_postmaster_start_time()`); !got.Equal(began) {
		t.Error("the server did not outlive the command that launched it")
	}
	later := start(t, dir, EmbeddedOptions{})
	stop(t, later)
	if query[int](t, serve.URL(), `select 1`) != 1 || len(processesOn(t, dir)) == 0 {
		t.Error("a command that joined has ended the server")
	}
	stop(t, serve)
	nothingRuns(t, dir)
}

func TestManyAtOnceOnAnEmptyFolder(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	var book logBook
	var all sync.WaitGroup
	servers := make([]*Embedded, 6)
	for i := range servers {
		all.Go(func() {
			e, err := StartEmbedded(context.Background(), dir, EmbeddedOptions{Logger: book.logger(), Settings: fast})
			if err != nil {
				t.Error(err)
				return
			}
			servers[i] = e
			if err := ping(context.Background(), e.OwnerURL()); err != nil {
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
	if n := strings.Count(book.String(), "making a new PostgreSQL data folder"); n != 1 {
		t.Errorf("the database was made %d times\n%s", n, book.String())
	}
	nothingRuns(t, dir)
}

// Processes that come and go at the same moment are where a server could be ended under somebody's feet.
func TestComingAndGoingNeverLosesTheServer(t *testing.T) {
	t.Parallel()
	dir := initialised(t)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 6 {
				e, err := StartEmbedded(context.Background(), dir, EmbeddedOptions{Settings: fast})
				if err != nil {
					t.Error(err)
					return
				}
				if err := ping(context.Background(), e.URL()); err != nil {
					t.Errorf("the server that was joined is gone: %v", err)
				}
				if err := e.Stop(context.Background()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	nothingRuns(t, dir)
}

func TestDoneTellsOfAServerThatDied(t *testing.T) {
	t.Parallel()
	dir := initialised(t)
	launcher := start(t, dir, EmbeddedOptions{})
	joined := start(t, dir, EmbeddedOptions{})
	kill(t, postmaster(t, dir))
	for name, e := range map[string]*Embedded{"the launcher": launcher, "who joined": joined} {
		select {
		case <-e.Done():
		case <-time.After(20 * time.Second):
			t.Errorf("%s was not told", name)
		}
	}
	start(t, dir, EmbeddedOptions{}) // and the next start recovers
}

func TestAServerThatCannotStartShowsItsLog(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	begin := time.Now()
	_, err := StartEmbedded(context.Background(), dir, EmbeddedOptions{Settings: map[string]string{"shared_buffers": "plenty"}})
	mentions(t, err, dir, `invalid value for parameter "shared_buffers": "plenty"`)
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("it took %v to say so", took)
	}
	nothingRuns(t, dir)
}

func TestTheLogDoesNotGrowForEver(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	must(t, os.MkdirAll(dir, 0o755))
	must(t, os.WriteFile(filepath.Join(dir, logFile), make([]byte, maxLogSize+1), 0o600))
	log, begin, err := folder{path: dir}.openLog()
	must(t, err)
	defer log.Close()
	if begin != 0 {
		t.Errorf("a log of more than 10 MB is kept: %d", begin)
	}
}
