package system

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"dg/app/apptest"
	"dg/platform/embeddedpg"
	"dg/platform/testkit"
	"dg/platform/testkit/tb"
)

// systemd, dg health, the log and the collector of traces learn the state of dg serve.
func TestServeReportsItsState(t *testing.T) {
	t.Parallel()
	dir := apptest.NewFolder(t)
	collector := tb.NewCollector(t)
	path := filepath.Join(filepath.Dir(dir), "notify")
	systemd := tb.Must(net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"}))(t)
	defer systemd.Close()
	require.NoError(t, os.Chmod(path, 0o777)) // as root, dg serve has changed its user by then
	requireState := func(state string) {
		require.NoError(t, systemd.SetReadDeadline(time.Now().Add(time.Minute)))
		text := make([]byte, 64)
		n := tb.Must(systemd.Read(text))(t)
		require.Equal(t, state, string(text[:n]))
	}
	dg := apptest.LaunchWith(t, func(c *exec.Cmd) {
		c.Env = append(c.Env, "NOTIFY_SOCKET="+path, "OTEL_EXPORTER_OTLP_ENDPOINT="+collector.URL,
			"OTEL_EXPORTER_OTLP_HEADERS=hunter2,x-team=%hunter2", "PGSERVICE=another", "PGTARGETSESSIONATTRS=standby")
	}, "serve", "--data-dir", dir, "--base-url", "http://127.0.0.1:8080")
	requireState("READY=1")
	address := strings.TrimPrefix(dg.AwaitServing().ListenURL, "http://")
	for _, addr := range []string{strings.Replace(address, "127.0.0.1", "[::ffff:127.0.0.1%lo]", 1),
		strings.Replace(address, "127.0.0.1", "", 1)} {
		status, out, stderr := apptest.RunCommand(t, "health", "--addr", addr)
		require.Zero(t, status, stderr)
		require.Equal(t, "ready\n", out)
	}
	dg.Stop()
	requireState("STOPPING=1")
	status, _, stderr := apptest.RunCommand(t, "health", "--addr", address)
	require.Equal(t, 1, status)
	require.Contains(t, stderr, "refused")
	require.Regexp(t, `^time=\S+ level=INFO msg="dg starts" version=dev base_url=http://127.0.0.1:8080\n`,
		dg.Log.String())
	require.NotContains(t, dg.Log.String(), "hunter2")
	require.True(t, slices.ContainsFunc(collector.Spans(), func(s *tracepb.Span) bool {
		return s.GetName() == "GET /readyz"
	}), "%v", collector.Spans())
	require.Equal(t, "/v1/traces", collector.Received()[0].URL.Path)
}

// A second Ctrl-C ends dg without the grace period, but may be ignored within a second of the first.
func TestSecondInterruptSkipsTheGrace(t *testing.T) {
	t.Parallel()
	dir := apptest.NewFolder(t)
	imported := apptest.NewImportFile(t, 1, 30_000)
	imported.ImportInto(t, dir)
	dg := apptest.ServeOn(t, dir)
	key := apptest.OpenAdminDB(t, dir).AddKey(imported.IDs.Organisation.String()).Token()
	require.NoError(t, dg.Process.Signal(syscall.SIGHUP), "which is ignored")
	ended := apptest.ReadSlowly(apptest.Get(t, apptest.SmallWindowClient(), dg.ListenURL+imported.CSVPath(), key).Body)
	require.NoError(t, dg.Process.Signal(os.Interrupt))
	apptest.WaitUntil(t, 5*time.Second, "it does not say that it stops", func() bool {
		return strings.Contains(dg.Log.String(), "stopping")
	})
	apptest.WaitUntil(t, 2*time.Second, "it does not end", func() bool {
		return errors.Is(dg.Process.Signal(os.Interrupt), os.ErrProcessDone)
	})
	require.NotZero(t, dg.ExitStatus(2*time.Second))
	require.NotErrorIs(t, <-ended, io.EOF)
}

// Commands and dg serve share one PostgreSQL server; the last stops it. Only dg serve and dg demo create a database.
func TestConcurrentCommandsShareOneServer(t *testing.T) {
	t.Parallel()
	dir := apptest.NewFolder(t)
	imported := apptest.NewImportFile(t, 1, 5_000)
	for _, line := range []string{"erase 00000000-0000-4000-8000-000000000001", "migrate",
		"account reset ann@example.org", "segments rebuild", "import " + imported.Path} {
		apptest.RequireRefusal(t, "there is no database in", dir, strings.Fields(line)...)
		require.NoDirExists(t, dir, line)
	}
	for _, command := range [][]string{{"demo"}, {"import", imported.Path}} {
		testkit.Concurrently(2, func(int) { apptest.RequireSuccess(t, dir, command...) })
		require.Empty(t, apptest.ProcessesOn(t, dir))
	}
	dg := apptest.ServeOn(t, dir)
	apptest.NewImportFile(t, 2, 5_000).ImportInto(t, dir)
	require.Regexp(t, `^postgres://dg_owner@/dg\?`, apptest.RequireSuccess(t, dir, "database"))
	dg.GetBody("/readyz", "")
	dg.Stop()
	require.Empty(t, apptest.ProcessesOn(t, dir))
	apptest.RequireRefusal(t, "is not running on "+dir+": start dg serve", dir, "database")
	db := apptest.OpenAdminDB(t, dir)
	require.Equal(t, imported.Plays, db.CountRows(`plays where org_id = $1`, imported.IDs.Organisation))
	require.Equal(t, 4, db.CountRows(`organisations`), "the demo's two, once, and those of the histories")
}

// requireUser requires that every thread runs as the user, without capabilities and without root's group.
func requireUser(c *apptest.Child, uid, gid uint32) {
	threads := tb.Must(filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", c.Process.Pid)))(c.T)
	require.NotEmpty(c.T, threads)
	want := fmt.Sprintf(
		`(?s)\nUid:(\t%d){4}\nGid:(\t%d){4}\n.*\n(Cap(Inh|Prm|Eff):\t0+\n){3}.*\nCapAmb:\t0+\n`, uid, gid)
	for _, thread := range threads {
		if text, err := os.ReadFile(thread); err == nil { // the thread may have ended
			require.Regexp(c.T, want, string(text))
			require.NotRegexp(c.T, `\nGroups:.*\s0\s`, string(text))
		}
	}
}

func statOf(t *testing.T, path string) *syscall.Stat_t {
	return tb.Must(os.Stat(path))(t).Sys().(*syscall.Stat_t)
}

// As root, dg serve binds its ports, continues as the data's owner, shares its PostgreSQL server and leaves no process.
func TestServeDropsRoot(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 || runtime.GOOS != "linux" {
		t.Skip("SKIPPED, NOTHING WAS TESTED: this is about root on Linux")
	}
	dir := apptest.NewFolder(t)
	host, _, _ := strings.Cut(apptest.FreeAddress(t), ":")
	serve := func(args ...string) *apptest.Child {
		dg := apptest.ServeOn(t, dir, append(args, "--addr", host+":81", "--ops-addr", host+":82")...)
		owner := statOf(t, filepath.Join(dir, "cluster"))
		require.NotZero(t, owner.Uid)
		requireUser(dg, owner.Uid, owner.Gid)
		require.Contains(t, dg.Log.String(), fmt.Sprintf("user=%d", owner.Uid))
		return dg
	}
	dg := serve("--demo")
	dg.DemoToken()
	runCurlLine(t, dg.Out.String())
	require.Contains(t, dg.GetOps("/metrics"), "\nprocess_open_fds ", "/proc/self is its own")
	apptest.RequireSuccess(t, dir, "migrate")
	require.Zero(t, statOf(t, fmt.Sprintf("/proc/%d/mem", dg.Process.Pid)).Uid,
		"no other process of the user reads its memory")
	dg.Stop()
	require.Empty(t, apptest.ProcessesOn(t, dir))

	server := tb.Must(embeddedpg.Start(t.Context(), dir))(t)
	dg = serve()
	require.NoError(t, server.Stop(t.Context()))
	require.Regexp(t, `(?m)^Sealed \d+ days and \d+ months`, apptest.RequireSuccess(t, dir, "segments", "rebuild"))
	dg.GetBody("/readyz", "")
	server = tb.Must(embeddedpg.Start(t.Context(), dir))(t)
	startedAt := time.Now()
	dg.Stop()
	require.Less(t, time.Since(startedAt), 10*time.Second)
	require.Equal(t, 1, tb.Query[int](t, server.URL(), `select 1`))
	require.NoError(t, server.Stop(t.Context()))
	require.Empty(t, apptest.ProcessesOn(t, dir))
}

type servedDemo struct {
	*apptest.Child
	dir   string
	db    *testkit.World
	token string // token of the demo's key
}

func serveDemo(t *testing.T, args ...string) *servedDemo {
	dir := apptest.NewFolder(t)
	c := apptest.ServeOn(t, dir, append([]string{"--demo"}, args...)...)
	return &servedDemo{Child: c, dir: dir, db: apptest.OpenAdminDB(t, dir), token: c.DemoToken()}
}

func programsOf(db *testkit.World) string {
	return testkit.Query[string](db, `select setting from pg_config where name = 'BINDIR'`)
}

func runDoctor(pg *apptest.ExternalServer, args ...string) (status int, out string) {
	c := apptest.Launch(pg.T, append(pg.WithFlags("doctor"), args...)...)
	return c.ExitStatus(time.Minute), c.Out.String()
}

func runCurlLine(t *testing.T, greeting string) (forks string) {
	if _, err := exec.LookPath("curl"); err != nil {
		tb.SkipOrFail(t, err)
	}
	match := apptest.CurlLinePattern.FindStringSubmatch(greeting)
	require.NotNil(t, match, greeting)
	out, err := exec.CommandContext(t.Context(), "sh", "-c", match[1]+" --fail").Output()
	require.NoError(t, err, match[1])
	require.Contains(t, string(out), `"gameId"`)
	return string(out)
}

func TestMain(m *testing.M) {
	execFilteredIfChild() // replaces the tests in a process that TestServiceWorksUnderItsFilter starts
	apptest.Main(m)
}
