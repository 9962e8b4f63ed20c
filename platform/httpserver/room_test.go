package httpserver

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"
)

func okRoutes(app *fiber.App) {
	app.Get("/ok", func(c *fiber.Ctx) error { return c.SendString("ok") })
}

// largeBody is more than the buffers between server and client hold.
const largeBody = 16 << 20

// fullServer is a server with few connections, and clients at several addresses.
type fullServer struct {
	*testServer
	t       *testing.T
	entered chan struct{} // a request to /wait has begun
	leave   chan struct{} // lets those go on
}

func newFullServer(t *testing.T, o Options) *fullServer {
	c := &fullServer{t: t, entered: make(chan struct{}, 100), leave: make(chan struct{})}
	c.testServer = serve(t, o, func(app *fiber.App) {
		okRoutes(app)
		app.Get("/large", func(f *fiber.Ctx) error {
			return SendJSON(f, make([]byte, largeBody), JSONOptions{})
		})
		app.Get("/large-known", func(f *fiber.Ctx) error {
			MarkAuthenticated(f)
			return SendJSON(f, make([]byte, largeBody), JSONOptions{})
		})
		app.Get("/wait", func(f *fiber.Ctx) error {
			c.entered <- struct{}{}
			<-c.leave
			if err := f.UserContext().Err(); err != nil {
				return err
			}
			return f.SendString("ok")
		})
		app.Get("/query", func(f *fiber.Ctx) error {
			c.entered <- struct{}{}
			return blocked(f.UserContext())
		})
	})
	t.Cleanup(func() { close(c.leave) })
	return c
}

// client is a connection from its own address.
type client struct {
	net.Conn
	in *bufio.Reader
	t  *testing.T
}

func (c *fullServer) from(address string) *client {
	c.t.Helper()
	conn := c.dialFrom(c.t, address)
	return &client{conn, bufio.NewReader(conn), c.t}
}

// silent returns a client that sends nothing, once the server has accepted it.
func (c *fullServer) silent(address string) *client {
	c.t.Helper()
	before := c.conns.Open()
	k := c.from(address)
	eventually(c.t, "the connection to be accepted", func() bool {
		return c.conns.Open() > before
	})
	return k
}

// idle returns a client that has been served once.
func (c *fullServer) idle(address string) *client {
	c.t.Helper()
	k := c.from(address)
	require.Equal(c.t, 200, k.ask().StatusCode)
	return k
}

// busy returns a client whose request of the path is being served.
func (c *fullServer) busy(address, path string) *client {
	c.t.Helper()
	k := c.from(address)
	k.send(path)
	within10s(c.t, c.entered, "the request to begin")
	return k
}

// reads returns a client that has asked for the path and reads nothing of the answer yet.
func (c *fullServer) reads(address, path string) *client {
	c.t.Helper()
	k := c.from(address)
	k.send(path)
	_, err := k.in.Peek(1)
	require.NoError(c.t, err)
	return k
}

// hasRoom waits until the server serves another client.
func (c *fullServer) hasRoom() {
	c.t.Helper()
	eventually(c.t, "room", func() bool {
		k := c.from("127.0.0.4")
		k.send("/ok")
		response, err := http.ReadResponse(k.in, nil)
		return err == nil && response.StatusCode == 200
	})
}

func (k *client) send(path string) {
	_, _ = io.WriteString(k, "GET "+path+host+"\r\n")
}

// receive reads the response to the client's request.
func (k *client) receive() answer {
	k.t.Helper()
	response, err := http.ReadResponse(k.in, nil)
	require.NoError(k.t, err)
	return readAnswer(response)
}

func (k *client) ask() answer {
	k.t.Helper()
	k.send("/ok")
	return k.receive()
}

// The response has the error body of the API. Package connlimit proves the eviction, these tests
// that the server reports the states of its connections.
func TestNewConnectionIsRejectedWhenNoneIsIdle(t *testing.T) {
	c := newFullServer(t, Options{MaxConnections: 2})
	busy := c.busy("127.0.0.2", "/wait")
	c.busy("127.0.0.3", "/wait")
	rejected := c.from("127.0.0.4").ask()
	rejected.wantError(t, 503)
	require.True(t, rejected.Close)
	require.NotEmpty(t, rejected.Header.Get("Retry-After"))
	require.Equal(t, "nosniff", rejected.Header.Get("X-Content-Type-Options"))
	c.leave <- struct{}{}
	c.leave <- struct{}{}
	require.Equal(t, 200, busy.receive().StatusCode)
	c.hasRoom()
	require.NotContains(t, c.logs.String(), `"status":400`, "a connection that made room")
}

func TestSlowlyArrivingRequestIsEvicted(t *testing.T) {
	t.Parallel()
	c := newFullServer(t, Options{MaxConnections: 2, ReadTimeout: time.Minute})
	_, _ = io.WriteString(c.from("127.0.0.2"), "GET /ok HTTP/1.1\r\nHo")
	c.busy("127.0.0.3", "/wait")
	c.hasRoom()
}

// Otherwise slow readers of public responses would hold all connections.
func TestSlowReaderOfAPublicAnswerIsEvicted(t *testing.T) {
	t.Parallel()
	c := newFullServer(t, Options{MaxConnections: 2})
	known := c.reads("127.0.0.2", "/large-known")
	slow := c.reads("127.0.0.3", "/large")
	c.hasRoom()
	n, _ := io.Copy(io.Discard, slow)
	require.Less(t, n, int64(largeBody))
	require.Len(t, known.receive().body, largeBody)
}
