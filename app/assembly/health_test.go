package assembly_test

import (
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/pgtest"
)

// A load balancer sees that the program stops while it still answers: /readyz is 503, and other
// requests are served.
func TestStoppingIsAnnouncedBeforeItHappens(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	settings := settingsOn(db)
	settings.ShutdownDelay = time.Second
	w := startOn(t, db, settings)
	kept, err := net.Dial("tcp", w.ln.Addr().String())
	require.NoError(t, err)
	defer kept.Close()
	b := w.browser()
	ready, _ := b.send(http.MethodGet, "/readyz", nil)
	require.Equal(t, http.StatusOK, ready.StatusCode)

	go func() { _ = w.stop() }()
	require.Eventually(t, w.p.Server.Stopping, 5*time.Second, time.Millisecond)
	for path, status := range map[string]int{
		"/readyz":  http.StatusServiceUnavailable,
		"/healthz": http.StatusOK,
		"/sign-in": http.StatusOK,
	} {
		response, body := b.send(http.MethodGet, path, nil)
		require.Equal(t, status, response.StatusCode, "%s: %s", path, body)
		require.True(t, response.Close, path)
	}
	require.NoError(t, w.stop())
}
