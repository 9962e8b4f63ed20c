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

// serveWithFiles is a dg that may open so many files. It never runs out of them.
func serveWithFiles(t *testing.T, limit string) *apptest.Child {
	t.Helper()
	db := fixtures.New(t)
	c := apptest.LaunchWith(t, apptest.WithFiles(limit), "serve", "--addr", "127.0.0.1:0",
		"--ops-addr", "127.0.0.1:0", "--database-url", db.URL, "--migrate-database-url",
		db.OwnerURL).UntilServing()
	t.Cleanup(func() { require.NotContains(t, c.Log.String(), "too many open files") })
	return c
}

// dialFrom opens a connection from an address of its own and sends the beginning of a request. It is
// closed when the test ends.
func dialFrom(t *testing.T, from, to, request string) net.Conn {
	t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: 5 * time.Second}
	conn, err := d.DialContext(t.Context(), "tcp", to)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	_, _ = io.WriteString(conn, request)
	return conn
}

// At a limit of 1,024 files the process survives 1,100 connections of one client, and answers a new
// client, from that address and from another; it reaches its database too.
func TestMoreConnectionsThanFilesAreSurvived(t *testing.T) {
	t.Parallel()
	c := serveWithFiles(t, "1024")
	address := strings.TrimPrefix(c.URL, "http://")
	for i := range 2200 { // half of them between requests, half of them silent
		request := []string{"", "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"}[i%2]
		dialFrom(t, []string{"127.0.0.2", "127.0.0.3"}[i/1100], address, request)
	}
	for _, from := range []string{"127.0.0.2", "127.0.0.4"} {
		local := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
		client := &http.Client{
			Transport: &http.Transport{DisableKeepAlives: true, DialContext: local.DialContext},
			Timeout:   5 * time.Second,
		}
		require.Equal(t, http.StatusOK, apptest.Ask(t, client, c.URL+"/readyz", "").StatusCode)
	}
}

// operations.md, Monitoring: connections to the operations port, silent, slow or kept, do not take the files of
// the public one.
func TestOperationsPortLeavesFilesToThePublicOne(t *testing.T) {
	t.Parallel()
	c := serveWithFiles(t, "256")
	ops := c.OpsAddress(t)
	const request = "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
	for i := range 300 {
		dialFrom(t, "127.0.0.1", ops, []string{"", request[:30], request}[i%3])
	}
	for range 130 { // as many as the public port has
		dialFrom(t, "127.0.0.2", strings.TrimPrefix(c.URL, "http://"), "")
	}
	c.Fetch("/readyz", "")
	metrics := apptest.Ask(t, apptest.NewClient(), "http://"+ops+"/metrics", "")
	require.Equal(t, http.StatusOK, metrics.StatusCode, "metrics are read too")
}

// An idle connection takes about 11 KB, and the garbage that is not collected yet.
func TestIdleConnectionsAreSmall(t *testing.T) {
	if !apptest.Soak {
		t.Skip("SKIPPED: it measures, alone: make soak runs it")
	}
	apptest.NeedsProc(t)
	const connections = 9_000
	c := apptest.ServeOn(t, apptest.NewFolder(t), "--log-level", "warn")
	begin := func(n int) {
		for i := range n {
			conn := dialFrom(t, fmt.Sprintf("127.0.1.%d", 1+i%4), strings.TrimPrefix(c.URL, "http://"),
				"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
			_, err := io.ReadFull(conn, make([]byte, 16))
			require.NoError(t, err)
		}
	}
	begin(100) // what is made once has been made
	before := c.Memory("VmRSS")
	begin(connections)
	require.Less(t, (c.Memory("VmRSS")-before)/connections, 16<<10)
}
