package system

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/embeddedpg"
)

// startStandby starts the server of the folder as a standby: it answers, and takes no writes.
func startStandby(x *apptest.External, programs string) {
	t := x.T
	data := filepath.Join(x.Dir, "data")
	info, err := os.Stat(data)
	require.NoError(t, err)
	owner := info.Sys().(*syscall.Stat_t)
	socket := filepath.Join(filepath.Dir(x.Dir), "standby")
	require.NoError(t, os.Mkdir(socket, 0o700))
	signal := filepath.Join(data, "standby.signal")
	require.NoError(t, os.WriteFile(signal, nil, 0o600))
	for _, path := range []string{socket, signal} {
		require.NoError(t, os.Chown(path, int(owner.Uid), int(owner.Gid)))
	}
	cmd := exec.Command(filepath.Join(programs, "postgres"), "-D", data, "-c", "listen_addresses=",
		"-c", "unix_socket_directories="+socket)
	cmd.Dir = "/"
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Credential: &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid},
		}
	}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGINT)
		_ = cmd.Wait()
	})
	require.NoError(t, os.Remove(x.Link))
	require.NoError(t, os.Symlink(socket, x.Link))
}

// On a standby no request can be answered, because each writes its place in the rate limit: /readyz
// is 503 and says why, and requests are answered 503, not 500.
func TestStandbyIsNotReady(t *testing.T) {
	t.Parallel()
	x := apptest.NewExternal(t)
	c := x.Serve("--demo")
	token := demoToken(t, c)
	d := apptest.OpenDoor(t, x.Dir)
	programs := apptest.Read[string](t, d, `select setting from pg_config where name = 'BINDIR'`)
	d.GiveBack(t)
	x.Stop()
	startStandby(x, programs)

	var text string
	apptest.Until(t, 30*time.Second, "/readyz does not speak of the standby", func() bool {
		response := apptest.Ask(t, apptest.NewClient(), c.URL+"/readyz", "")
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.Equal(t, http.StatusServiceUnavailable, response.StatusCode, "%s", body)
		text = string(body)
		return strings.Contains(text, "standby")
	})
	contractError(t, []byte(text))
	for _, path := range []string{"/api/v1/forks", "/api/v1/nothing", "/docs"} {
		response := apptest.Ask(t, apptest.NewClient(), c.URL+path, token)
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.Equal(t, http.StatusServiceUnavailable, response.StatusCode, "%s: %s", path, body)
	}
	require.Equal(t, http.StatusOK,
		apptest.Ask(t, apptest.NewClient(), c.URL+"/healthz", "").StatusCode)
	_, out := examine(x)
	require.Regexp(t, `failure +primary.*\n +Fix: \S`, out)
}

// The start logs how many connections the instance may open and how many the database has, with a
// warning when they are too few.
func TestStartWarnsOfTooFewConnections(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ allowed, level, told string }{
		"enough":  {"100", "level=INFO", "database=97"},
		"too few": {"20", "level=WARN", "database=17"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := apptest.NewFolder(t)
			server, err := embeddedpg.Start(t.Context(), dir,
				embeddedpg.Options{Settings: map[string]string{"max_connections": c.allowed}})
			require.NoError(t, err)
			child := apptest.ServeOn(t, dir)
			line := ""
			for l := range strings.Lines(child.Log.String()) {
				if strings.Contains(l, "instance=") {
					line = l
				}
			}
			require.Contains(t, line, c.level)
			require.Contains(t, line, "instance=31")
			require.Contains(t, line, c.told)
			child.Stop()
			require.NoError(t, server.Stop(t.Context()))
		})
	}
}
