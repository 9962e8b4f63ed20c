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

// ExternalServer is a PostgreSQL server that dg does not start. After Stop, Start starts it under the same URL.
type ExternalServer struct {
	*testkit.World // connects as the superuser
	T              *testing.T
	Dir            string
	Link           string // symbolic link to the socket's folder; its path survives restarts
	Server         *embeddedpg.Server
}

func NewExternalServer(t *testing.T) *ExternalServer { return NewExternalServerIn(t, NewFolder(t)) }

func NewExternalServerIn(t *testing.T, dir string) *ExternalServer {
	s := &ExternalServer{T: t, Dir: dir, Link: filepath.Join(filepath.Dir(dir), "socket")}
	t.Cleanup(s.Stop)
	s.Start()
	s.World = OpenAdminDBAt(t, s.URLAs(url.User("dg_app")))
	s.OwnerURL = s.URLAs(url.User("dg_owner"))
	return s
}

func (s *ExternalServer) Start() {
	var err error
	s.Server, err = embeddedpg.Start(context.Background(), s.Dir)
	require.NoError(s.T, err)
	u, err := url.Parse(s.Server.URL())
	require.NoError(s.T, err)
	_ = os.Remove(s.Link)
	require.NoError(s.T, os.Symlink(u.Query().Get("host"), s.Link))
	if s.World != nil {
		s.Owner.Pool.Reset()
	}
}

func (s *ExternalServer) Stop() { require.NoError(s.T, s.Server.Stop(context.Background())) }

func (s *ExternalServer) URLAs(role *url.Userinfo) string {
	return fmt.Sprintf("postgres://%s@/dg?host=%s", role, url.QueryEscape(s.Link))
}

// WithFlags appends the flags with the server's URLs to a command line.
func (s *ExternalServer) WithFlags(args ...string) []string { return append(args, s.Flags()...) }

// RequireSuccess runs a command on the server and requires exit status 0. It returns the output.
func (s *ExternalServer) RequireSuccess(args ...string) (output string) {
	return RequireExit(s.T, 0, s.WithFlags(args...))
}

func (s *ExternalServer) Serve(args ...string) *Child { return ServeWith(s.T, s.WithFlags(args...)...) }

func (s *ExternalServer) Kill() {
	require.NoError(s.T, syscall.Kill(PostmasterPID(s.T, s.Dir), syscall.SIGKILL))
	s.Stop()
}
