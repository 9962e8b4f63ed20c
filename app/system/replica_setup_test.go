package system

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/postgres"
	"dg/platform/testkit/pgtest"
)

// hotStandby is a standby of an external server, which can be stopped, killed and started again
// under one URL.
type hotStandby struct {
	t            *testing.T
	programs     string
	data, socket string
	user         *syscall.Credential
	cmd          *exec.Cmd
	*apptest.Door
}

// newStandby copies the server and starts the copy as its standby.
func newStandby(t *testing.T, x *apptest.External) *hotStandby {
	t.Helper()
	pgtest.NeedProgram(t, "pg_basebackup")
	d := apptest.DoorTo(t, x.URL(url.User("dg_app")))
	base := filepath.Dir(x.Dir)
	s := &hotStandby{
		t:        t,
		programs: apptest.Read[string](t, d, `select setting from pg_config where name = 'BINDIR'`),
		data:     filepath.Join(base, "standby"),
		socket:   filepath.Join(base, "s"),
	}
	info, err := os.Stat(filepath.Join(x.Dir, "data"))
	require.NoError(t, err)
	owner := info.Sys().(*syscall.Stat_t)
	s.user = &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}
	for _, path := range []string{s.data, s.socket} {
		require.NoError(t, os.Mkdir(path, 0o700))
		require.NoError(t, os.Chown(path, int(owner.Uid), int(owner.Gid)))
	}
	out, err := s.command("pg_basebackup", "-h",
		apptest.Read[string](t, d, `show unix_socket_directories`), "-U", "postgres",
		"-D", s.data, "-R", "-c", "fast", "-X", "stream").CombinedOutput()
	require.NoError(t, err, "%s", out)
	s.start()
	s.Door = apptest.DoorTo(t, s.url("dg_app"))
	t.Cleanup(func() { s.end(syscall.SIGQUIT) })
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

func (s *hotStandby) url(role string) string {
	u := url.URL{
		Scheme:   "postgres",
		User:     url.UserPassword(role, "s3cret"),
		Path:     "/dg",
		RawQuery: url.Values{"host": {s.socket}}.Encode(),
	}
	return u.String()
}

// start starts the server and waits until it answers.
func (s *hotStandby) start() {
	s.t.Helper()
	s.cmd = s.command("postgres", "-D", s.data, "-c", "listen_addresses=", "-c",
		"unix_socket_directories="+s.socket, "-c", "fsync=off",
		"-c", "max_standby_streaming_delay=0")
	log, err := os.OpenFile(s.data+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(s.t, err)
	defer log.Close()
	s.cmd.Stdout = log
	s.cmd.Stderr = log
	require.NoError(s.t, s.cmd.Start())
	apptest.Until(s.t, 30*time.Second, "the standby does not answer", func() bool {
		return s.command("pg_isready", "-q", "-h", s.socket).Run() == nil
	})
	if s.Door != nil {
		s.Reset()
	}
}

// replay pauses or resumes replay, which may cancel the statement itself.
func (s *hotStandby) replay(what string) {
	s.t.Helper()
	apptest.Until(s.t, 10*time.Second, "replay does not "+what, func() bool {
		_, err := s.Exec(context.Background(), `select pg_wal_replay_`+what+`()`)
		return err == nil
	})
}

// end stops the server: in order, at once, or by a kill of all its processes.
func (s *hotStandby) end(how syscall.Signal) {
	if how == syscall.SIGKILL {
		s.signal(how)
	} else {
		_ = s.cmd.Process.Signal(how)
	}
	_ = s.cmd.Wait()
}

// signal reaches the server and all its processes.
func (s *hotStandby) signal(what syscall.Signal) {
	pid := s.cmd.Process.Pid
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	_ = s.cmd.Process.Signal(what)
	for child := range strings.FieldsSeq(string(children)) {
		if number, err := strconv.Atoi(child); err == nil {
			_ = syscall.Kill(number, what)
		}
	}
}

// become makes the stopped server a standby, or one that follows nobody, when it starts.
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
	primary          *apptest.Door
	standby          *hotStandby
	c                *apptest.Child
	ops              string
	token, org, fork string
	query            string
}

func newReplicated(t *testing.T) *replicated {
	t.Helper()
	dir := apptest.NewFolder(t)
	apptest.CopyDemo(t, dir)
	x := apptest.ExternalOn(t, dir)
	w := &replicated{
		t:       t,
		x:       x,
		standby: newStandby(t, x),
		ops:     apptest.FreeAddress(t),
		primary: apptest.DoorTo(t, x.URL(url.User("dg_app"))),
	}
	// For the pooler of later. Setting them ends idle sessions, so that the next requests of a
	// running instance would be 503.
	require.NoError(t,
		postgres.SetRoleDefaults(t.Context(), x.URL(url.User("dg_app")),
			slog.New(slog.DiscardHandler)))
	w.c = x.Serve("--demo", "--database-replica-urls", w.standby.url("dg_app"), "--ops-addr", w.ops)
	w.token = demoToken(t, w.c)
	w.org = apptest.Read[string](t, w.primary,
		`select org_id::text from api_keys where starts_with($1, 'dg_live_' || id)`, w.token)
	w.fork = apptest.Read[string](t, w.primary,
		`select fork_id::text from plays where org_id = $1 group by fork_id order by count(*) desc limit 1`,
		w.org)
	w.query = "?from=" + time.Now().AddDate(0, 0, -365).Format(time.DateOnly) + "&to=" +
		time.Now().Format(time.DateOnly)
	return w
}

// get returns the body of an answer, which must have the status.
func (w *replicated) get(status int, path string, headers ...string) string {
	w.t.Helper()
	token := w.token
	if len(headers) > 0 {
		token = ""
	}
	response := apptest.Ask(w.t, apptest.NewClient(), w.c.URL+path, token, headers...)
	body, err := io.ReadAll(response.Body)
	require.NoError(w.t, err)
	require.Equal(w.t, status, response.StatusCode, "%s: %s", path, body)
	return string(body)
}

func (w *replicated) head(path string) {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.t.Context(), http.MethodHead, w.c.URL+path,
		http.NoBody)
	require.NoError(w.t, err)
	request.Header.Set("Authorization", "Bearer "+w.token)
	response, err := apptest.NewClient().Do(request)
	require.NoError(w.t, err)
	require.NoError(w.t, response.Body.Close())
	require.Equal(w.t, http.StatusOK, response.StatusCode)
}

func (w *replicated) stats() string {
	w.t.Helper()
	w.primary.Do(w.t, `delete from api_key_windows`) // this test asks more often than a key may
	return w.get(http.StatusOK, "/api/v1/forks/"+w.fork+"/stats"+w.query)
}

func (w *replicated) export() string {
	w.t.Helper()
	return w.get(http.StatusOK, "/api/v1/forks/"+w.fork+"/exports/csv"+w.query)
}

func (w *replicated) mode(mode string) {
	w.t.Helper()
	w.primary.Do(w.t, `update organisations set reporting_mode = $1 where id = $2`, mode, w.org)
}

// metric is the value of a series of the replica.
func (w *replicated) metric(series string) string {
	w.t.Helper()
	response := apptest.Ask(w.t, apptest.NewClient(), "http://"+w.ops+"/metrics", "")
	body, err := io.ReadAll(response.Body)
	require.NoError(w.t, err)
	for line := range strings.Lines(string(body)) {
		if value, ok := strings.CutPrefix(line, series+" "); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// reads is how many reads the replica has taken.
func (w *replicated) reads() string { return w.metric(`dg_replica_reads_total{replica="1"}`) }

// state waits until the replica is in the state, which readyz, the metrics and the log tell.
func (w *replicated) state(state string) {
	w.t.Helper()
	apptest.Until(w.t, 10*time.Second, "the replica is not "+state, func() bool {
		return w.metric(`dg_replica_state{replica="1",state="`+state+`"}`) == "1"
	})
	require.Equal(w.t, "ready\nreplica 1: "+state+"\n",
		w.get(http.StatusOK, "/readyz", "Accept", "*/*"))
}
