package system

import (
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit"
	"dg/platform/testkit/pgtest"
)

// hotStandby is a standby that the test can stop, kill and start under one URL.
type hotStandby struct {
	t            *testing.T
	programs     string
	data, socket string
	user         *syscall.Credential
	cmd          *exec.Cmd
	*testkit.World
}

// standbyOf prepares to start the external server as a standby.
func standbyOf(t *testing.T, x *apptest.External) *hotStandby {
	t.Helper()
	s := &hotStandby{
		t: t, data: filepath.Join(x.Dir, "cluster"), socket: filepath.Join(filepath.Dir(x.Dir), "s"),
		programs: testkit.One[string](x.World,
			`select setting from pg_config where name = 'BINDIR'`),
	}
	info, err := os.Stat(s.data)
	require.NoError(t, err)
	owner := info.Sys().(*syscall.Stat_t)
	s.user = &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}
	s.makeFolder(s.socket)
	t.Cleanup(func() {
		if s.cmd != nil {
			s.end(syscall.SIGQUIT)
		}
		if log, err := os.ReadFile(s.data + ".log"); err == nil && t.Failed() {
			t.Logf("log of the standby:\n%s", log)
		}
	})
	return s
}

func (s *hotStandby) makeFolder(path string) {
	require.NoError(s.t, os.Mkdir(path, 0o700))
	require.NoError(s.t, os.Chown(path, int(s.user.Uid), int(s.user.Gid)))
}

// newStandby copies the server and starts the copy as its standby.
func newStandby(t *testing.T, x *apptest.External) *hotStandby {
	t.Helper()
	pgtest.RequireProgram(t, "pg_basebackup")
	s := standbyOf(t, x)
	s.data = filepath.Join(filepath.Dir(x.Dir), "standby")
	s.makeFolder(s.data)
	primary, err := url.Parse(x.Server.URL())
	require.NoError(t, err)
	out, err := s.command("pg_basebackup", "-h", primary.Query().Get("host"), "-U", "postgres",
		"-D", s.data, "-R", "-c", "fast", "-X", "stream").CombinedOutput()
	require.NoError(t, err, "%s", out)
	s.start()
	s.World = apptest.AdminDBAt(t, s.url())
	return s
}

func (s *hotStandby) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.programs, name), args...)
	cmd.Dir = "/"
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.user}
	}
	return cmd
}

// url connects as the serving role, with a password that no output may show.
func (s *hotStandby) url() string {
	return "postgres://dg_app:s3cret@/dg?host=" + url.QueryEscape(s.socket)
}

// start starts the server and waits until it answers.
func (s *hotStandby) start() {
	s.t.Helper()
	s.cmd = s.command("postgres", "-D", s.data, "-c", "listen_addresses=", "-c",
		"unix_socket_directories="+s.socket, "-c", "fsync=off", "-c", "max_standby_streaming_delay=0")
	log, err := os.OpenFile(s.data+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(s.t, err)
	defer log.Close()
	s.cmd.Stdout = log
	s.cmd.Stderr = log
	require.NoError(s.t, s.cmd.Start())
	apptest.Until(s.t, 30*time.Second, "the standby does not answer", func() bool {
		conn, err := pgx.Connect(context.Background(), s.url())
		return err == nil && conn.Close(context.Background()) == nil
	})
	if s.World != nil {
		s.Owner.Pool.Reset()
	}
}

// replay pauses or resumes replay. It retries, because replay may cancel the statement.
func (s *hotStandby) replay(what string) {
	s.t.Helper()
	apptest.Until(s.t, 10*time.Second, "replay does not "+what, func() bool {
		_, err := s.Owner.Pool.Exec(context.Background(), `select pg_wal_replay_`+what+`()`)
		return err == nil
	})
}

// end stops the server: in order, or at once.
func (s *hotStandby) end(how syscall.Signal) {
	_ = s.cmd.Process.Signal(how)
	_ = s.cmd.Wait()
}

// become makes the stopped server start as a standby or as a primary.
func (s *hotStandby) become(standby bool) {
	s.t.Helper()
	signal := filepath.Join(s.data, "standby.signal")
	if !standby {
		require.NoError(s.t, os.Remove(signal))
		return
	}
	require.NoError(s.t, os.WriteFile(signal, nil, 0o600))
	require.NoError(s.t, os.Chown(signal, int(s.user.Uid), int(s.user.Gid)))
}

// replicated is dg on a primary with a replica, and a key of an organisation with plays.
type replicated struct {
	t                *testing.T
	x                *apptest.External
	primary          *testkit.World
	standby          *hotStandby
	c                *apptest.Child
	token, org, fork string
	query            string
}

func newReplicated(t *testing.T) *replicated {
	t.Helper()
	x := apptest.NewExternal(t)
	x.Serve("--demo").Stop() // the standby begins with a schema
	w := &replicated{t: t, x: x, standby: newStandby(t, x), primary: x.World}
	w.c = x.Serve("--demo", "--database-replica-urls", w.standby.url())
	w.token = w.c.DemoToken()
	w.org = testkit.One[string](w.primary,
		`select org_id::text from api_keys where starts_with($1, 'dg_live_' || id)`, w.token)
	w.fork = testkit.One[string](w.primary, `select fork_id::text from plays where org_id = $1
		group by fork_id order by count(*) desc limit 1`, w.org)
	w.query = apptest.LastDays(366)
	return w
}

func (w *replicated) stats() string { return w.read("/stats") }

func (w *replicated) export() string { return w.read("/exports/csv") }

func (w *replicated) read(endpoint string) string {
	w.t.Helper()
	w.primary.Exec(`delete from api_key_windows`) // this test asks more often than a key may
	return w.c.Fetch("/api/v1/forks/"+w.fork+endpoint+w.query, w.token)
}

// screen is a page of the organisation's owner.
func (w *replicated) screen(path string) string {
	w.t.Helper()
	slug := testkit.One[string](w.primary, `select slug from organisations where id = $1`, w.org)
	return w.c.Fetch("/o/"+slug+path, "", "Cookie", ownersSession(w.t, w.primary),
		"Accept", "text/html", "Sec-Fetch-Site", "same-origin")
}

func (w *replicated) mode(mode string) {
	w.t.Helper()
	w.primary.Exec(`update organisations set reporting_mode = $1 where id = $2`, mode, w.org)
}

// reads is how many reads the replica has taken.
func (w *replicated) reads() float64 { return w.c.Metric(`dg_replica_reads_total{replica="1"}`) }

// untilRead repeats a request until it reads from the replica.
func (w *replicated) untilRead(what string, ask func()) {
	w.t.Helper()
	before := w.reads()
	apptest.Until(w.t, 30*time.Second, what+" does not read from the replica", func() bool {
		ask()
		return w.reads() != before
	})
}

// leftOut waits until the replica is left out.
func (w *replicated) leftOut() {
	w.t.Helper()
	before := len(w.c.Log.String())
	apptest.Until(w.t, 20*time.Second, "the replica is not left out", func() bool {
		w.stats()
		return strings.Contains(w.c.Log.String()[before:], "reports leave out the replica")
	})
	require.Equal(w.t, 1.0, w.c.Metric(`dg_replica_resting{replica="1"}`))
	require.Equal(w.t, "ready\nreplica 1: left out\n", w.c.Fetch("/readyz", ""))
}
