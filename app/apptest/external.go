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

func PostmasterPID(t *testing.T, dir string) int {
	text, err := os.ReadFile(filepath.Join(dir, "cluster", "postmaster.pid"))
	require.NoError(t, err)
	var pid int
	_, err = fmt.Sscan(string(text), &pid) // the first line is the process id
	require.NoError(t, err)
	return pid
}

// ExternalServer is a PostgreSQL server that dg did not start. After Stop, Start starts it under the same URL.
type ExternalServer struct {
	*testkit.World // connects as the superuser
	T              *testing.T
	Dir            string
	Link           string // symbolic link to the socket's folder; its path survives restarts
	Server         *embeddedpg.Server
}

func NewExternalServer(t *testing.T) *ExternalServer { return NewExternalServerIn(t, NewFolder(t)) }

func NewExternalServerIn(t *testing.T, dir string) *ExternalServer {
	x := &ExternalServer{T: t, Dir: dir, Link: filepath.Join(filepath.Dir(dir), "socket")}
	t.Cleanup(x.Stop)
	x.Start()
	x.World = OpenAdminDBAt(t, x.URLAs(url.User("dg_app")))
	x.OwnerURL = x.URLAs(url.User("dg_owner"))
	return x
}

func (x *ExternalServer) Start() {
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

func (x *ExternalServer) Stop() { require.NoError(x.T, x.Server.Stop(context.Background())) }

func (x *ExternalServer) URLAs(role *url.Userinfo) string {
	return fmt.Sprintf("postgres://%s@/dg?host=%s", role, url.QueryEscape(x.Link))
}

// WithFlags appends the flags with the server's URLs to a command line.
func (x *ExternalServer) WithFlags(args ...string) []string { return append(args, x.Flags()...) }

// RequireSuccess runs a command on the server and requires exit status 0. It returns the output.
func (x *ExternalServer) RequireSuccess(args ...string) (output string) {
	return RequireExit(x.T, 0, x.WithFlags(args...))
}

func (x *ExternalServer) Serve(args ...string) *Child { return ServeWith(x.T, x.WithFlags(args...)...) }

func (x *ExternalServer) Kill() {
	require.NoError(x.T, syscall.Kill(PostmasterPID(x.T, x.Dir), syscall.SIGKILL))
	x.Stop()
}
