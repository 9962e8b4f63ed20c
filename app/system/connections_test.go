package system

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit/fixtures"
)

// At a limit of 1,024 files the process survives 1,100 connections of one client, and answers a new
// client, from that address and from another; it reaches its database too.
func TestMoreConnectionsThanFilesAreSurvived(t *testing.T) {
	t.Parallel()
	dir := apptest.NewFolder(t)
	c := apptest.LaunchWith(t, apptest.WithFiles("1024"), "serve", "--data-dir", dir, "--addr",
		"127.0.0.1:0", "--ops-addr", "127.0.0.1:0").UntilServing()
	address := strings.TrimPrefix(c.URL, "http://")
	for _, from := range []string{"127.0.0.2", "127.0.0.3"} {
		for i := range 1100 {
			conn := dialFrom(t, from, address)
			if i%2 == 0 { // half of them between requests, half of them silent
				_, _ = io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
			}
		}
	}
	for _, from := range []string{"127.0.0.2", "127.0.0.4"} {
		begun := time.Now()
		transport := &http.Transport{
			DisableKeepAlives: true,
			DialContext: (&net.Dialer{
				LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)},
			}).DialContext,
		}
		response := apptest.Ask(t, &http.Client{Transport: transport, Timeout: 10 * time.Second},
			c.URL+"/readyz", "")
		require.Equal(t, http.StatusOK, response.StatusCode)
		t.Logf("a new client from %s was answered after %s", from, time.Since(begun))
		require.Less(t, time.Since(begun), 5*time.Second, "a new client from %s", from)
	}
	c.Stop()
	require.NotContains(t, c.Log.String(), "too many open files")
}

// README, Run it: connections to the operations port do not take the files of the public one,
// whatever they do.
func TestOperationsPortLeavesFilesToThePublicOne(t *testing.T) {
	t.Parallel()
	db := fixtures.New(t)
	c := apptest.LaunchWith(t, apptest.WithFiles("256"), "serve", "--addr", "127.0.0.1:0",
		"--ops-addr", "127.0.0.1:0",
		"--database-url", db.URL, "--migrate-database-url", db.OwnerURL).UntilServing()
	ops := c.OpsAddress(t)
	for i := range 300 {
		conn := dialFrom(t, "127.0.0.1", ops)
		switch i % 3 {
		case 0: // one that is kept
			_, _ = io.WriteString(conn, "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
		case 1: // a slow one; the others are silent
			_, _ = io.WriteString(conn, "GET /metrics HTTP/1.1\r\nHost: ")
		}
	}
	for range 130 { // as many as the public port has
		dialFrom(t, "127.0.0.2", strings.TrimPrefix(c.URL, "http://"))
	}
	require.Equal(t, http.StatusOK,
		apptest.Ask(t, apptest.NewClient(), c.URL+"/readyz", "").StatusCode)
	require.Equal(t, http.StatusOK,
		apptest.Ask(t, apptest.NewClient(), "http://"+ops+"/metrics", "").StatusCode,
		"metrics are read too")
	c.Stop()
	require.NotContains(t, c.Log.String(), "too many open files")
}

// An idle connection takes about 11 KB, and the garbage that is not collected yet.
func TestIdleConnectionsAreSmall(t *testing.T) {
	apptest.NeedsProc(t)
	connections := apptest.Sized(2_000, 9_000)
	dir := apptest.NewFolder(t)
	c := apptest.ServeOn(t, dir, "--log-level", "warn")
	address := strings.TrimPrefix(c.URL, "http://")
	begin := func(n int) {
		conns := make([]net.Conn, n)
		for i := range conns {
			conns[i] = dialFrom(t, fmt.Sprintf("127.0.1.%d", 1+i%4), address)
			_, _ = io.WriteString(conns[i], "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
			_, err := io.ReadFull(conns[i], make([]byte, 16))
			require.NoError(t, err)
		}
	}
	begin(100) // what is made once has been made
	before := c.Memory("VmRSS")
	begin(connections)
	each := (c.Memory("VmRSS") - before) / connections
	t.Logf("%d bytes for each of %d idle connections", each, connections)
	require.Less(t, each, 16<<10)
}

// dialFrom opens a connection from an address of its own. It is closed when the test ends.
func dialFrom(t *testing.T, from, to string) net.Conn {
	t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: 5 * time.Second}
	conn, err := d.DialContext(t.Context(), "tcp", to)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}
