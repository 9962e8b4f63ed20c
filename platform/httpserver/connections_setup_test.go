package httpserver

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"
)

// failingListener fails the next accepts.
type failingListener struct {
	net.Listener
	mu   sync.Mutex
	with []error
}

func (f *failingListener) Accept() (net.Conn, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.with) > 0 {
		err := f.with[0]
		f.with = f.with[1:]
		return nil, &net.OpError{Op: "accept", Net: "tcp", Err: os.NewSyscallError("accept4", err)}
	}
	return f.Listener.Accept()
}

func okRoutes(app *fiber.App) {
	app.Get("/ok", func(c *fiber.Ctx) error { return c.SendString("ok") })
}

// largeBody is more than the buffers between server and client hold.
const largeBody = 16 << 20

// fullServer is a server with few connections, and clients with addresses of their own.
type fullServer struct {
	*testServer
	t        *testing.T
	entered  chan struct{} // a request to /wait has begun
	leave    chan struct{} // lets those go on
	registry *prometheus.Registry
}

func newFullServer(t *testing.T, o Options) *fullServer {
	c := &fullServer{
		t:        t,
		entered:  make(chan struct{}, 100),
		leave:    make(chan struct{}),
		registry: prometheus.NewRegistry(),
	}
	o.Metrics = c.registry
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
	in         *bufio.Reader
	fullServer *fullServer
	t          *testing.T
}

func (c *fullServer) from(address string) *client {
	c.t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}, Timeout: testTimeout}
	conn, err := d.DialContext(c.t.Context(), "tcp", c.addr)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(testTimeout))
	return &client{conn, bufio.NewReader(conn), c, c.t}
}

// silent returns a client that sends nothing, once the server has accepted it.
func (c *fullServer) silent(address string) *client {
	c.t.Helper()
	before := c.conns.count()
	k := c.from(address)
	eventually(c.t, "the connection to be accepted", func() bool {
		return c.conns.count() > before
	})
	return k
}

// idle returns a client that has been served once.
func (c *fullServer) idle(address string) *client {
	c.t.Helper()
	k := c.from(address)
	k.served()
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

// waits until the server waits for that many clients, to send or to read.
func (c *fullServer) waits(n int) {
	c.t.Helper()
	eventually(c.t, "the server to wait for the client", func() bool {
		c.conns.mu.Lock()
		defer c.conns.mu.Unlock()
		return c.conns.all.waiting.Len() == n
	})
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

// served sends a request and waits until the server counts the connection as idle, which is after
// the response.
func (k *client) served() {
	k.t.Helper()
	if response, body, err := k.ask(); err != nil || response.StatusCode != 200 {
		k.t.Fatalf("%v, %s", err, body)
	}
	eventually(k.t, "the connection to be idle", func() bool {
		conns := k.fullServer.conns
		conns.mu.Lock()
		defer conns.mu.Unlock()
		last := conns.all.idle.Back()
		return last != nil &&
			last.Value.(*lingerConn).RemoteAddr().String() == k.LocalAddr().String()
	})
}

func (k *client) gone() {
	k.t.Helper()
	if _, err := k.in.ReadByte(); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		k.t.Fatalf("the connection is still there: %v", err)
	}
}

// metric returns the value of a metric.
func (c *fullServer) metric(name, label string) float64 {
	c.t.Helper()
	families, err := c.registry.Gather()
	if err != nil {
		c.t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == name && (label == "" || m.GetLabel()[0].GetValue() == label) {
				return m.GetCounter().GetValue() + m.GetGauge().GetValue()
			}
		}
	}
	return 0
}
