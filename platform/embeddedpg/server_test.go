package embeddedpg

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/platform/testkit/tb"
)

// A new database has its roles and rights, a private socket and no TCP port. Its log shows no values of queries.
func TestNewDatabaseHasRolesRightsAndNoPort(t *testing.T) {
	server := startServer(t, newParallelFolder(t))
	require.Equal(t, "dg_app in dg",
		tb.Query[string](t, server.URL(), `select current_user || ' in ' || current_database()`))
	require.Equal(t, "dg_owner false false false C 0700 on ", tb.Query[string](t, server.OwnerURL(), `select
		concat_ws(' ', pg_get_userbyid(datdba), has_schema_privilege('dg_app', 'public', 'create')::text,
			has_database_privilege('dg_app', 'dg', 'temporary')::text,
			has_function_privilege('dg_app', 'lo_create(oid)', 'execute')::text, datcollate,
			current_setting('unix_socket_permissions'), current_setting('data_checksums'),
			current_setting('listen_addresses'))
		from pg_database where datname = 'dg'`))
	require.NoError(t, tb.Exec(t, server.OwnerURL(), `create table mine (); drop table mine`))
	require.Equal(t, os.FileMode(0o700), tb.Must(os.Stat(server.socket))(t).Mode().Perm())

	t.Run("the log has no values", func(t *testing.T) {
		for _, url := range []string{server.URL(), server.OwnerURL()} {
			require.ErrorContains(t, tb.Exec(t, url, `select 'topsecret'::uuid`), "topsecret")
		}
		require.NotContains(t, string(tb.Must(os.ReadFile(server.data.filePath(logFile)))(t)), "topsecret")
	})
}

// The server runs until its last user stops, whichever process started it. A server of dg 1.0.0 counts as running.
func TestLastUserStopsTheServer(t *testing.T) {
	dir := newParallelFolder(t)
	require.ErrorIs(t, tb.ErrorOf(RunningURL(dir)), errNotRunning)
	command := joinServer(t, dir, nil)
	require.Equal(t, "dg_owner", tb.Query[string](t, tb.Must(RunningURL(dir))(t), `select current_user`))
	serve := startServer(t, dir)
	command.leave(t) // the process that started the server
	requireServing(t, serve)
	joinServer(t, dir, nil).leave(t)
	requireServing(t, serve)
	stopServer(t, serve)
	require.Error(t, serve.Check())
	require.NoDirExists(t, serve.socket)

	log := tb.Must(os.Open(serve.data.filePath(logFile)))(t) // a server of dg 1.0.0 locks the log
	defer log.Close()
	require.True(t, tryLock(log))
	require.True(t, serve.data.isRunning())
}

// If several users start and stop at once, each has a server, and none runs after the last one.
func TestUsersThatStopAtOnceLeaveNoServer(t *testing.T) {
	dir := newParallelFolder(t)
	var users sync.WaitGroup
	for range 6 { // the first creates the database, and the others wait for it
		users.Go(func() {
			for range 3 {
				if server, err := Start(context.Background(), dir, fastOptions...); assert.NoError(t, err) {
					assert.NoError(t, server.Stop(context.Background()))
				}
			}
		})
	}
	users.Wait()
	require.False(t, dataDir{path: dir}.isRunning())
}

// A user whose Stop was cancelled while it waited no longer counts, even if a fork still has its files: the
// other user stops the server.
func TestCancelledStopEndsTheUse(t *testing.T) {
	dir := newParallelFolder(t)
	first, second := startServer(t, dir), startServer(t, dir)
	forked := tb.Must(syscall.Dup(int(first.clusterLock.Fd())))(t) // shares the lock as a fork's file does
	defer syscall.Close(forked)
	lock := tb.Must(os.Open(dir))(t)
	require.True(t, tryLock(lock))
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, first.Stop(cancelled), context.Canceled)
	require.NoError(t, lock.Close())
	stopServer(t, first)
	stopServer(t, second)
	require.False(t, second.data.isRunning())
}

// A start that is interrupted while PostgreSQL runs says that it keeps running.
func TestInterruptedStartIsExplained(t *testing.T) {
	server := startServer(t, newFolder(t)) // not parallel: the default log is replaced
	var log tb.Buffer
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(log.Logger())
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, tb.ErrorOf(Start(cancelled, server.Folder())), context.Canceled)
	require.Contains(t, log.String(), "PostgreSQL keeps running")
}

// A kill of dg's process group does not end the server. The next user joins it, and as the last user stops it.
func TestServerOfAKilledUserIsUsedAndStopped(t *testing.T) {
	dir := newParallelFolder(t)
	user := joinServer(t, dir, func(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} })
	before := tb.Must(dataDir{path: dir}.readPIDFile())(t)
	require.NoError(t, syscall.Kill(-user.Process.Pid, syscall.SIGKILL))
	user.kill()
	server := startServer(t, dir)
	require.Equal(t, before, server.postmaster)
	requireServing(t, server)
	stopServer(t, server)
	require.Error(t, server.Check())
}

// If the server was killed, the next start serves the same data with a new server. The old user does not stop that one.
func TestKilledServerStartsAgain(t *testing.T) {
	dir := newParallelFolder(t)
	server := startServer(t, dir)
	require.NoError(t, tb.Exec(t, server.OwnerURL(), `create table kept ()`))
	killServer(t, dir)
	newServer := startServer(t, dir) // processes of the killed server may still be ending
	require.NoError(t, tb.Exec(t, newServer.OwnerURL(), `table kept`))
	require.NoDirExists(t, server.socket)
	require.Error(t, server.Check(), "the new one is another")
	stopServer(t, server)
	requireServing(t, newServer)
}

// The start on a copied folder leaves the original's server its socket, which the copied PID file names.
func TestCopiedFolderLeavesTheOriginalItsSocket(t *testing.T) {
	dir := newParallelFolder(t)
	original := startServer(t, dir)
	copied := filepath.Join(filepath.Dir(dir), "copy")
	require.NoError(t, exec.CommandContext(t.Context(), "cp", "-a", dir, copied).Run())
	requireServing(t, startServer(t, copied))
	require.NoError(t, original.Check())
	requireServing(t, original)
}

// After a crash of one of its processes, PostgreSQL recovers by itself. dg keeps using it, and then stops it.
func TestServerStopsAfterItsRecovery(t *testing.T) {
	dir := newParallelFolder(t)
	server := startServer(t, dir)
	require.NoError(t, tb.Exec(t, server.OwnerURL(), `create table kept ()`))
	var pid int
	require.Eventually(t, func() bool { // the walwriter starts after the server accepts connections
		pid = tb.Query[int](t, server.url("postgres", "dg"),
			`select coalesce(max(pid), 0) from pg_stat_activity where backend_type = 'walwriter'`)
		return pid != 0
	}, 20*time.Second, time.Millisecond)
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	require.Eventually(t, func() bool {
		conn, err := pgx.Connect(t.Context(), server.URL())
		if err == nil {
			_ = conn.Close(t.Context())
		}
		return err != nil
	}, 20*time.Second, 100*time.Microsecond, "it does not recover")
	require.NoError(t, server.Check())
	stopServer(t, server)
	require.Error(t, server.Check())
	require.NoError(t, tb.Exec(t, startServer(t, dir).OwnerURL(), `table kept`))
}

// The server starts even if postmaster.pid is damaged or has another process's id, as after a power cut.
func TestStaleProcessIDIsNoObstacle(t *testing.T) {
	dir := newParallelFolder(t)
	for _, content := range []string{
		"%d\n", "%d\n" + dir + "\n1795000000\n5432\n/tmp/dg-postgres-0\n\n", "", "\x00\x00", "no number\n",
	} {
		server := startServer(t, dir)
		d := server.data
		killServer(t, dir)
		stopServer(t, server) // other processes of the server may still be ending
		waitUntilStopped(t, dir)
		sleep := d.command(t.Context(), "sleep", "60") // runs as the server's user
		require.NoError(t, sleep.Start())
		require.NoError(t, os.WriteFile(d.filePath(pidFile), []byte(strings.ReplaceAll(content, "%d",
			strconv.Itoa(sleep.Process.Pid))), 0o600))
		restarted := startServer(t, dir)
		requireServing(t, restarted)
		stopServer(t, restarted)
		require.NoError(t, sleep.Process.Kill())
		_ = sleep.Wait()
	}
}

// The next start removes cluster.new of an interrupted initdb. Only a complete cluster.new is renamed to cluster.
func TestInterruptedInitdbIsRepeated(t *testing.T) {
	dir := newParallelFolder(t)
	user := startPeer(t, dir, nil)
	initdbStarted := func() bool { return fileExists(filepath.Join(dir, newClusterFolder, "PG_VERSION")) }
	require.Eventually(t, initdbStarted, 20*time.Second, time.Millisecond, "initdb did not begin")
	user.kill()
	require.NoDirExists(t, filepath.Join(dir, clusterFolder), "initdb was too fast for this test")
	requireServing(t, startServer(t, dir)) // waits for the end of the first initdb
	require.NoDirExists(t, filepath.Join(dir, newClusterFolder))
}

// If a server that dg did not start uses the data, Start fails. The error has that server's process id.
func TestServerStartedByHandIsNamed(t *testing.T) {
	dir := newParallelFolder(t)
	stopServer(t, startServer(t, dir))
	d := tb.Must(openDataDir(t.Context(), dir))(t)
	programFolder := tb.Must(FindProgram(t.Context(), dir, "postgres"))(t)
	socket := filepath.Dir(dir)
	byHand := d.command(t.Context(), filepath.Join(programFolder, "postgres"), d.arguments(socket, nil)...)
	require.NoError(t, os.Chmod(socket, 0o777))
	require.NoError(t, byHand.Start())
	defer func() {
		_ = byHand.Process.Signal(syscall.SIGQUIT)
		_ = byHand.Wait()
	}()
	require.Eventually(t, func() bool {
		return errors.Is(tb.ErrorOf(d.readPIDFile()), errForeignServer)
	}, 20*time.Second, 10*time.Millisecond, "it does not answer")
	_, err := Start(t.Context(), dir, fastOptions...)
	require.ErrorContains(t, err, "(PID "+strconv.Itoa(byHand.Process.Pid)+")")
}

// logrotate may rename the log while the server runs. A log of maxLog bytes is copied to the old log and emptied,
// even if it cannot be copied. A start that cannot rename it says why.
func TestLogMayBeRenamedAndIsBounded(t *testing.T) {
	dir := newParallelFolder(t)
	server := startServer(t, dir)
	log := server.data.filePath(logFile)
	require.NoError(t, os.Rename(log, log+".1"))
	require.NoError(t, server.Check())
	joinServer(t, dir, nil).leave(t)
	requireServing(t, server)
	require.NoError(t, os.Rename(log+".1", log))
	require.NoError(t, os.Truncate(log, maxLog))
	require.NoError(t, server.Check())
	require.ErrorContains(t, tb.Exec(t, server.url("postgres", "dg"), `select 1/0`), "division by zero")
	text := tb.Must(os.ReadFile(log))(t)
	require.Less(t, len(text), 1000)
	require.Contains(t, string(text), "division by zero")
	require.EqualValues(t, maxLog, tb.Must(os.Stat(log+".old"))(t).Size())
	require.NoError(t, errors.Join(os.Remove(log+".old"), os.Mkdir(log+".old", 0o700), os.Truncate(log, maxLog)))
	require.NoError(t, server.Check())
	require.Less(t, tb.Must(os.Stat(log))(t).Size(), int64(1000))
	stopServer(t, server)
	require.ErrorContains(t, tb.ErrorOf(Start(t.Context(), dir, fastOptions...)), "rename "+log)
}

// If the server's socket was deleted, Start fails soon, and the last user can still stop the server.
func TestServerWithoutSocketIsNamed(t *testing.T) {
	dir := newParallelFolder(t)
	server := startServer(t, dir)
	require.NoError(t, os.RemoveAll(server.socket))
	require.ErrorContains(t, server.Check(), "lost its socket")
	start := time.Now()
	_, err := Start(t.Context(), dir, fastOptions...)
	require.Less(t, time.Since(start), 12*time.Second)
	require.ErrorContains(t, err, "process "+strconv.Itoa(server.pid)+" runs")
	require.ErrorContains(t, err, server.socket)
	require.ErrorContains(t, err, "send that process SIGINT")
	stopServer(t, server)
	require.False(t, server.data.isRunning())
}

// A busy backend of a killed server prevents a new start. The error says how to find and end it.
func TestErrorExplainsBackendOfAKilledServer(t *testing.T) {
	dir := newParallelFolder(t)
	server := startServer(t, dir)
	conn := tb.Must(pgx.Connect(t.Context(), server.URL()))(t)
	backend := int(conn.PgConn().PID())
	go func() {
		_, _ = conn.Exec(t.Context(), `select count(*) from generate_series(1, 10000) a,
			generate_series(1, 10000) b, generate_series(1, 10000) c`)
	}()
	defer func() {
		_ = syscall.Kill(backend, syscall.SIGKILL)
		waitUntilStopped(t, dir)
	}()
	require.Eventually(t, func() bool {
		return tb.Query[bool](t, server.url("postgres", "dg"), `select exists (select from pg_stat_activity
			where pid = `+strconv.Itoa(backend)+` and state = 'active')`)
	}, 20*time.Second, 10*time.Millisecond)
	killServer(t, dir)
	_, err := Start(t.Context(), dir, fastOptions...)
	require.ErrorContains(t, err, "process "+strconv.Itoa(server.pid)+" on ")
	require.ErrorContains(t, err, "end those that fuser names for")
}

// The path of the data folder may be longer than the path of a Unix socket can be.
func TestLongPathWorks(t *testing.T) {
	dir := newParallelFolder(t, strings.Repeat("long name ", 12), strings.Repeat("länger'\"$(x)", 8))
	require.Greater(t, len(dir), 200)
	requireServing(t, startServer(t, dir))
}

// If PostgreSQL's user cannot enter root's folder, the data is stored in a folder that it can enter.
func TestDataIsRelocatedIfOnlyRootCanEnter(t *testing.T) {
	skipUnlessRoot(t)
	dir := newParallelFolder(t)
	parent := filepath.Dir(dir)
	require.NoError(t, os.Chmod(parent, 0o700))
	t.Cleanup(func() {
		_ = os.RemoveAll(relocatedPath(dir))
		_ = os.Remove(filepath.Dir(relocatedPath(dir))) // fails unless the folder is empty
	})
	server := startServer(t, dir)
	require.Equal(t, relocatedPath(dir), server.data.path)
	require.True(t, HasData(dir))
	require.NoError(t, tb.Exec(t, server.OwnerURL(), `create table kept ()`))
	stopServer(t, server)
	require.NoDirExists(t, dir)
	require.NoError(t, os.Chmod(parent, 0o755)) // dir can now be made; the relocated data must be found
	require.NoError(t, tb.Exec(t, startServer(t, dir).OwnerURL(), `table kept`))
}

// Root can use a normal user's folder. A normal user cannot use root's folder.
func TestRootUsesTheFolderOfANormalUser(t *testing.T) {
	skipUnlessRoot(t)
	dir := newParallelFolder(t)
	asNobody := asUser(t, 65534, dir)
	normalUser := joinServer(t, dir, asNobody)
	rootServer := startServer(t, dir)
	require.EqualValues(t, 65534, rootServer.data.user.Uid)
	normalUser.leave(t)
	stopServer(t, rootServer) // root is the last user of the server
	rootServer = startServer(t, dir)
	joinServer(t, dir, asNobody).leave(t)
	stopServer(t, rootServer)
	joinServer(t, dir, asNobody).leave(t)

	dirOfRoot := newFolder(t)
	startServer(t, dirOfRoot)
	require.Contains(t, startPeer(t, dirOfRoot, asNobody).firstLine(t), "permission denied")
}

// asUser gives the parent of dir to the user. The returned function makes a command run as that user.
func asUser(t *testing.T, user uint32, dir string) func(*exec.Cmd) {
	parent := filepath.Dir(dir)
	require.NoError(t, os.Chown(parent, int(user), int(user)))
	return func(c *exec.Cmd) {
		program := filepath.Join(parent, "user")
		require.NoError(t, exec.CommandContext(t.Context(), "install", c.Path, program).Run())
		c.Path = program
		c.Dir = "/"
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
	}
}

func skipUnlessRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can show this")
	}
}

// initdb needs a user with a name. The error for one without, as in some containers, says how to add a name.
func TestUserWithoutNameIsExplained(t *testing.T) {
	skipUnlessRoot(t)
	dir := newParallelFolder(t)
	require.Contains(t, startPeer(t, dir, asUser(t, 54321, dir)).firstLine(t), "add a line for it to /etc/passwd")
}

func fakePostgres(t *testing.T, version string) string {
	folder := t.TempDir()
	script := "#!/bin/sh\necho 'postgres (PostgreSQL) " + version + "'\n"
	require.NoError(t, os.WriteFile(filepath.Join(folder, "postgres"), []byte(script), 0o755))
	return folder
}

// PG_BIN replaces the search. Its version must be 15 or later, and that of the data if there is any.
func TestPGBINReplacesTheSearch(t *testing.T) {
	dir := newFolder(t)
	d := dataDir{path: dir}
	for _, c := range []struct {
		bin, writtenBy string
		needs          string // version in the error; "": the program is accepted
	}{
		{bin: fakePostgres(t, "16.4")},
		{bin: fakePostgres(t, "16.4 (Debian 16.4-1)"), writtenBy: "16"},
		{bin: fakePostgres(t, "18beta1")},
		{bin: fakePostgres(t, "14.2"), needs: "15 or later"},
		{bin: fakePostgres(t, "9.6.24"), needs: "15 or later"},
		{bin: fakePostgres(t, "16.4"), writtenBy: "17", needs: "17"},
		{bin: t.TempDir(), needs: "15 or later"},
	} {
		t.Setenv("PG_BIN", c.bin)
		_ = os.RemoveAll(dir)
		if c.writtenBy != "" {
			require.NoError(t, os.MkdirAll(d.filePath(clusterFolder), 0o700))
			require.NoError(t, os.WriteFile(d.filePath(clusterFolder+"/PG_VERSION"), []byte(c.writtenBy+"\n"), 0o600))
		}
		folder, err := FindProgram(t.Context(), dir, "postgres")
		if c.needs != "" {
			require.ErrorContains(t, err, "dg needs PostgreSQL "+c.needs+" ")
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.bin, folder)
	}
}

// A link in PG_BIN or on PATH leads to the other programs. FindPrograms fails if initdb is missing beside postgres.
func TestProgramsAreThoseBesideTheLinksTarget(t *testing.T) {
	target := fakePostgres(t, "99.1")
	linkFolder := t.TempDir()
	require.NoError(t, os.Symlink(filepath.Join(target, "postgres"), filepath.Join(linkFolder, "postgres")))
	t.Setenv("PG_BIN", linkFolder)
	require.Equal(t, target, tb.Must(FindProgram(t.Context(), newFolder(t), "postgres"))(t))
	_, err := FindPrograms(t.Context(), newFolder(t))
	require.ErrorContains(t, err, "with the program initdb: install it, set PG_BIN")

	t.Setenv("PG_BIN", "") // programs on PATH precede those of a distribution
	t.Setenv("PATH", linkFolder+":"+os.Getenv("PATH"))
	require.Equal(t, target, tb.Must(FindProgram(t.Context(), newFolder(t), "postgres"))(t))
}
