package system

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit"
)

// dialFrom opens a connection from the given address and sends the text. The end of the test closes
// it.
func dialFrom(t *testing.T, from, to, request string) net.Conn {
	t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: 5 * time.Second}
	conn, err := d.DialContext(t.Context(), "tcp", to)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	_, _ = io.WriteString(conn, request)
	return conn
}

// operations.md, Monitoring: silent, slow or idle connections to the operations port do not exhaust
// the files of the public port. It survives more connections than there are files, and answers new
// clients from any address.
func TestOperationsPortLeavesFilesToThePublicOne(t *testing.T) {
	t.Parallel()
	db := testkit.New(t)
	c := apptest.LaunchWith(t, apptest.WithFiles("256"), "serve", "--addr", "127.0.0.1:0",
		"--ops-addr", "127.0.0.1:0", "--database-url", db.URL, "--migrate-database-url",
		db.OwnerURL).UntilServing()
	ops := c.Ops
	const request = "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
	for i := range 300 {
		dialFrom(t, "127.0.0.1", ops, []string{"", request[:30], request}[i%3])
	}
	for i := range 300 { // half of them between requests, half of them silent
		public := []string{"", "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"}[i%2]
		dialFrom(t, "127.0.0.21", strings.TrimPrefix(c.URL, "http://"), public)
	}
	for _, client := range []*http.Client{
		apptest.NewClient(), apptest.PlainClient(false), // from 127.0.0.20
	} {
		ready := apptest.Ask(t, client, c.URL+"/readyz", "")
		require.Equal(t, http.StatusOK, ready.StatusCode)
	}
	metrics := apptest.Ask(t, apptest.NewClient(), "http://"+ops+"/metrics", "")
	require.Equal(t, http.StatusOK, metrics.StatusCode, "metrics are read too")
	require.NotContains(t, c.Log.String(), "too many open files")
}
