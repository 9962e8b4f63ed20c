package system

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/embeddedpg"
	"dg/platform/testkit/tb"
)

// requireUser requires that every thread runs as the user, without capabilities and root's group.
func requireUser(c *apptest.Child, uid, gid uint32) {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", c.Process.Pid))
	require.NoError(c.T, err)
	require.NotEmpty(c.T, threads)
	want := fmt.Sprintf(`(?s)\nUid:\t%[1]d\t%[1]d\t%[1]d\t%[1]d\nGid:\t%[2]d\t%[2]d\t%[2]d\t%[2]d\n`+
		`.*\nCapInh:\t0+\nCapPrm:\t0+\nCapEff:\t0+\n.*\nCapAmb:\t0+\n`, uid, gid)
	for _, thread := range threads {
		if text, err := os.ReadFile(thread); err == nil { // a thread may have ended
			require.Regexp(c.T, want, string(text))
			require.NotRegexp(c.T, `\nGroups:.*\s0\s`, string(text))
		}
	}
}

func statOf(t *testing.T, path string) *syscall.Stat_t {
	info, err := os.Stat(path)
	require.NoError(t, err)
	return info.Sys().(*syscall.Stat_t)
}

func joinServer(t *testing.T, dir string) *embeddedpg.Server {
	server, err := embeddedpg.Start(t.Context(), dir)
	require.NoError(t, err)
	return server
}

// As root, dg serve binds its ports and continues as the owner of the data. It still answers, shows
// metrics, shares its server with other commands, joins their server, stops without waiting for
// them, and leaves no process or socket.
func TestServeGivesUpRoot(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 || runtime.GOOS != "linux" {
		t.Skip("SKIPPED, NOTHING WAS TESTED: this is about root on Linux")
	}
	pid := os.Getpid()
	dir := apptest.NewFolder(t)
	host := fmt.Sprintf("127.77.%d.%d", pid>>8&0xff, pid&0xff)
	serve := func(args ...string) *apptest.Child {
		c := apptest.ServeOn(t, dir, append(args, "--addr", host+":81", "--ops-addr", host+":82")...)
		owner := statOf(t, filepath.Join(dir, "cluster"))
		require.NotZero(t, owner.Uid)
		requireUser(c, owner.Uid, owner.Gid)
		require.Contains(t, c.Log.String(), fmt.Sprintf("user=%d", owner.Uid))
		return c
	}
	c := serve("--demo")
	c.DemoToken()
	paste(t, c.Out.String())
	metrics := apptest.Ask(t, apptest.NewClient(), "http://"+host+":82/metrics", "")
	require.Contains(t, apptest.ReadAll(t, metrics), "\nprocess_open_fds ", "/proc/self is its own")
	apptest.Succeeds(t, dir, "migrate")
	require.Zero(t, statOf(t, fmt.Sprintf("/proc/%d/mem", c.Process.Pid)).Uid,
		"no other process of the user reads its memory")
	c.Stop()
	require.Empty(t, apptest.ProcessesOn(t, dir))

	another := joinServer(t, dir)
	c = serve()
	require.NoError(t, another.Stop(t.Context()))
	apptest.Succeeds(t, dir, "segments", "rebuild")
	c.Fetch("/readyz", "")
	another = joinServer(t, dir)
	begun := time.Now()
	c.Stop()
	require.Less(t, time.Since(begun), 10*time.Second)
	require.Equal(t, 1, tb.Query[int](t, another.URL(), `select 1`))
	require.NoError(t, another.Stop(t.Context()))
	require.Empty(t, apptest.ProcessesOn(t, dir))
}
