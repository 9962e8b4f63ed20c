package system

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
)

// Neither unauthenticated requests nor a key far over its rate can fill the log: it tells how many
// it left out. Every other authenticated request is there.
func TestUnauthenticatedFloodIsSampledInTheLog(t *testing.T) {
	t.Parallel()
	c := apptest.ServeOn(t, apptest.NewFolder(t), "--demo")
	apptest.Until(t, 30*time.Second, "there is no demo key", func() bool {
		return apptest.CurlLine.MatchString(c.Out.String())
	})
	token := demoToken(t, c)
	conn := dialFrom(t, "127.0.0.1", strings.TrimPrefix(c.URL, "http://"))
	in := bufio.NewReader(conn)
	const flood = 5_000
	const known = 100
	const accepted = 120
	begun := time.Now()
	for i := range flood {
		header := ""
		if i%(flood/known) == 0 {
			header = "Authorization: Bearer " + token + "\r\n"
		}
		send(t, conn, in, "GET /api/v1/forks HTTP/1.1\r\nHost: x\r\n"+header+"\r\n")
	}
	for range flood {
		send(t, conn, in,
			"GET /api/v1/forks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+token+"\r\n\r\n")
	}
	seconds := int(time.Since(begun).Seconds()) + 2
	c.Stop()
	log := c.Log.String()
	require.LessOrEqual(t, accepted,
		strings.Count(log, "route=/api/v1/forks path=/api/v1/forks status=200"),
		"every request with the key")
	require.Less(t, strings.Count(log, "status=401")+strings.Count(log, "status=429"), 20*seconds+1)
	require.Contains(t, log, `msg="unauthenticated or limited requests not logged" requests=`)
	t.Logf("%d bytes of log for %d requests in %d seconds", len(log), 2*flood, seconds)
}

// send sends a request and reads the answer.
func send(t *testing.T, conn net.Conn, in *bufio.Reader, request string) {
	t.Helper()
	_, err := io.WriteString(conn, request)
	require.NoError(t, err)
	response, err := http.ReadResponse(in, nil)
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
}
