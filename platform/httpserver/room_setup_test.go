package httpserver

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"sync"
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

// fullServer is a server with few connections, and clients with addresses of their own.
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
			return f.SendString("ok")
		})
	})
	t.Cleanup(sync.OnceFunc(func() { close(c.leave) }))
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
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}, Timeout: testTimeout}
	conn, err := d.DialContext(c.t.Context(), "tcp", c.addr)
	require.NoError(c.t, err)
	c.t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(testTimeout))
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
	if response, body, err := k.ask(); err != nil || response.StatusCode != 200 {
		c.t.Fatalf("%v, %s", err, body)
	}
	return k
}

// busy returns a client that waits for its response.
func (c *fullServer) busy(address string) *client {
	c.t.Helper()
	k := c.from(address)
	_, _ = io.WriteString(k, "GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
	within10s(c.t, c.entered, "the request to begin")
	return k
}

// reads returns a client that has asked for the path and reads nothing of the answer yet.
func (c *fullServer) reads(address, path string) *client {
	c.t.Helper()
	k := c.from(address)
	_, _ = io.WriteString(k, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n")
	eventually(c.t, "the answer to begin", func() bool {
		_, err := k.in.Peek(1)
		return err == nil
	})
	return k
}

// ask sends a request and reads the response.
func (k *client) ask() (*http.Response, string, error) {
	_, _ = io.WriteString(k, "GET /ok HTTP/1.1\r\nHost: x\r\n\r\n")
	response, err := http.ReadResponse(k.in, nil)
	if err != nil {
		return nil, "", err
	}
	body, err := io.ReadAll(response.Body)
	return response, string(body), err
}
