package apptest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/embeddedpg"
	"dg/platform/testkit"
)

func Postmaster(t *testing.T, dir string) int {
	text, err := os.ReadFile(filepath.Join(dir, "cluster", "postmaster.pid"))
	require.NoError(t, err)
	var pid int
	_, err = fmt.Sscan(string(text), &pid) // the first line is the process id
	require.NoError(t, err)
	return pid
}

// External is a PostgreSQL server that dg did not start. After Stop, Start starts it under the same URL.
type External struct {
	*testkit.World // connects as the superuser
	T              *testing.T
	Dir            string
	Link           string // symbolic link to the socket's folder; its path survives restarts
	Server         *embeddedpg.Server
}

func NewExternal(t *testing.T) *External { return ExternalOn(t, NewFolder(t)) }

func ExternalOn(t *testing.T, dir string) *External {
	x := &External{T: t, Dir: dir, Link: filepath.Join(filepath.Dir(dir), "socket")}
	t.Cleanup(x.Stop)
	x.Start()
	x.World = AdminDBAt(t, x.As(url.User("dg_app")))
	x.OwnerURL = x.As(url.User("dg_owner"))
	return x
}

func (x *External) Start() {
	var err error
	x.Server, err = embeddedpg.Start(context.Background(), x.Dir)
	require.NoError(x.T, err)
	u, err := url.Parse(x.Server.URL())
	require.NoError(x.T, err)
	_ = os.Remove(x.Link)
	require.NoError(x.T, os.Symlink(u.Query().Get("host"), x.Link))
	if x.World != nil {
		x.Owner.Pool.Reset()
	}
}

func (x *External) Stop() { require.NoError(x.T, x.Server.Stop(context.Background())) }

func (x *External) As(role *url.Userinfo) string {
	return fmt.Sprintf("postgres://%s@/dg?host=%s", role, url.QueryEscape(x.Link))
}

// On appends the flags with the server's URLs to a command line.
func (x *External) On(args ...string) []string { return append(args, x.Flags()...) }

// Succeeds runs a command on the server and requires exit status 0. It returns the output.
func (x *External) Succeeds(args ...string) (output string) { return RunToExit(x.T, 0, x.On(args...)) }

func (x *External) Serve(args ...string) *Child { return ServeWith(x.T, x.On(args...)...) }

func (x *External) Kill() {
	require.NoError(x.T, syscall.Kill(Postmaster(x.T, x.Dir), syscall.SIGKILL))
	x.Stop()
}
