package httpserver

import (
	"context"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"
)

// stop begins the shutdown and returns what it will return.
func (b *testServer) stop(t *testing.T) <-chan error {
	stopped := make(chan error, 1)
	go func() { stopped <- b.Shutdown(context.Background()) }()
	eventually(t, "the shutdown to begin", b.Stopping)
	return stopped
}

func TestShutdownWithoutConnectionsSkipsTheDelay(t *testing.T) {
	b := serve(t, Options{ShutdownDelay: time.Minute}, plainRoutes)
	require.NoError(t, within10s(t, b.stop(t), "the shutdown"))
}

// waitingServer has /wait, which answers when release is closed, and /query, which waits for its
// context.
func waitingServer(t *testing.T, grace time.Duration) (b *testServer, begun, release chan struct{}) {
	begun = make(chan struct{}, 1)
	release = make(chan struct{})
	b = serve(t, Options{Grace: grace}, func(app *fiber.App) {
		app.Get("/wait", func(c *fiber.Ctx) error {
			begun <- struct{}{}
			<-release
			return c.SendString("ok")
		})
		app.Get("/query", func(c *fiber.Ctx) error {
			begun <- struct{}{}
			<-c.UserContext().Done()
			return c.UserContext().Err()
		})
	})
	return b, begun, release
}

// asks sends a request in the background.
func (b *testServer) asks(t *testing.T, path string) <-chan answer {
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.url+path, http.NoBody)
	require.NoError(t, err)
	answers := make(chan answer, 1)
	go func() {
		if response, err := plainClient.Do(request); err == nil {
			answers <- readAnswer(response)
		}
	}()
	return answers
}

func TestShutdownLetsARequestFinish(t *testing.T) {
	b, begun, release := waitingServer(t, testTimeout)
	answers := b.asks(t, "/wait")
	<-begun
	stopped := b.stop(t)
	close(release)
	require.Equal(t, "ok", within10s(t, answers, "the answer").body)
	require.NoError(t, within10s(t, stopped, "the shutdown"))
}

func TestShutdownBreaksAQueryAfterTheGrace(t *testing.T) {
	b, begun, _ := waitingServer(t, 100*time.Millisecond)
	answers := b.asks(t, "/query")
	<-begun
	require.NoError(t, within10s(t, b.stop(t), "the shutdown"))
	within10s(t, answers, "the answer").wantError(t, 503)
}

func TestStoppedServerDoesNotStart(t *testing.T) {
	s := New(Options{})
	require.NoError(t, s.Shutdown(context.Background()))
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, s.Serve(ln))
	_, err = ln.Accept()
	require.ErrorIs(t, err, net.ErrClosed)
}
