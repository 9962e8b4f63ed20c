package apptest

import (
	"cmp"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/tb"
)

// ProxyDatabase is a proxy in front of PostgreSQL: pass carries the messages of a client and the
// server, and closes both. It returns the URL of the database through it.
func ProxyDatabase(
	t *testing.T, database string, pass func(client, server net.Conn),
) (through string) {
	u, err := url.Parse(database)
	require.NoError(t, err)
	q := u.Query()
	socket := filepath.Join(q.Get("host"), ".s.PGSQL."+cmp.Or(q.Get("port"), "5432"))
	dir, err := os.MkdirTemp("", "relay")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	ln, err := net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for client, err := ln.Accept(); err == nil; client, err = ln.Accept() {
			if server, err := net.Dial("unix", socket); err == nil {
				go pass(client, server)
			} else {
				_ = client.Close()
			}
		}
	}()
	return tb.OnSocket(database, dir, "5432")
}
