package httpserver

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"
)

// failing is a listener whose next accepts fail.
type failing struct {
	net.Listener
	mu   sync.Mutex
	with []error
}

func (f *failing) Accept() (net.Conn, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.with) > 0 {
		err := f.with[0]
		f.with = f.with[1:]
		return nil, &net.OpError{Op: "accept", Net: "tcp", Err: os.NewSyscallError("accept4", err)}
	}
	return f.Listener.Accept()
}

func TestAcceptErrorsThatPassAreWaitedOut(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	passing := []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED, syscall.EMFILE}
	b := serveOn(t, Options{}, okRoutes, &failing{Listener: ln, with: passing})
	if a := b.get(t, "/ok"); a.StatusCode != 200 {
		t.Errorf("after the errors: %d", a.StatusCode)
	}
	if n := strings.Count(b.logs.String(), "cannot accept connections"); n != 1 {
		t.Errorf("%d lines in the log, want one for the episode: %s", n, b.logs)
	}
}

func TestAWaitForAcceptingEndsWithTheServer(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	without := make([]error, 100)
	for i := range without {
		without[i] = syscall.EMFILE
	}
	b := serveOn(t, Options{}, nil, &failing{Listener: ln, with: without})
	eventually(t, "the first failure", func() bool { return strings.Contains(b.logs.String(), "cannot accept connections") })
}

func TestAListenerThatIsBrokenEndsTheServer(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := New(Options{})
	if err := s.Serve(&failing{Listener: ln, with: []error{syscall.EINVAL}}); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("Serve returned %v", err)
	}
}

func okRoutes(app *fiber.App) {
	app.Get("/ok", func(c *fiber.Ctx) error { return c.SendString("ok") })
}

// crowd is a server with few places, and clients with addresses of their own.
type crowd struct {
	*bench
	t       *testing.T
	entered chan struct{} // a request to /wait has begun
	leave   chan struct{} // lets those go on
	figures *prometheus.Registry
}

func newCrowd(t *testing.T, o Options) *crowd {
	c := &crowd{t: t, entered: make(chan struct{}, 100), leave: make(chan struct{}), figures: prometheus.NewRegistry()}
	o.Metrics = c.figures
	c.bench = serve(t, o, func(app *fiber.App) {
		okRoutes(app)
		app.Get("/wait", func(f *fiber.Ctx) error {
			c.entered <- struct{}{}
			<-c.leave
			return f.SendString("ok")
		})
	})
	t.Cleanup(sync.OnceFunc(func() { close(c.leave) }))
	return c
}

// client is a connection from an address of its own.
type client struct {
	net.Conn
	in    *bufio.Reader
	crowd *crowd
	t     *testing.T
}

func (c *crowd) from(address string) *client {
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

// silent is a client that sends nothing. It returns when the server has it.
func (c *crowd) silent(address string) *client {
	c.t.Helper()
	before := c.conns.count()
	k := c.from(address)
	eventually(c.t, "the connection to be accepted", func() bool { return c.conns.count() > before })
	return k
}

// idle is a client that has been answered once.
func (c *crowd) idle(address string) *client {
	c.t.Helper()
	k := c.from(address)
	k.served()
	return k
}

// busy is a client that waits for its answer.
func (c *crowd) busy(address string) *client {
	c.t.Helper()
	k := c.from(address)
	_, _ = io.WriteString(k, "GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
	within10s(c.t, c.entered, "the request to begin")
	return k
}

// ask sends a request and reads the answer.
func (k *client) ask() (*http.Response, string, error) {
	_, _ = io.WriteString(k, "GET /ok HTTP/1.1\r\nHost: x\r\n\r\n")
	response, err := http.ReadResponse(k.in, nil)
	if err != nil {
		return nil, "", err
	}
	body, err := io.ReadAll(response.Body)
	return response, string(body), err
}

// served sends a request and waits until the server holds the connection for idle, which is after the answer.
func (k *client) served() {
	k.t.Helper()
	if response, body, err := k.ask(); err != nil || response.StatusCode != 200 {
		k.t.Fatalf("%v, %s", err, body)
	}
	eventually(k.t, "the connection to be idle", func() bool {
		conns := k.crowd.conns
		conns.mu.Lock()
		defer conns.mu.Unlock()
		last := conns.all.idle.Back()
		return last != nil && last.Value.(*lingerConn).RemoteAddr().String() == k.LocalAddr().String()
	})
}

func (k *client) gone() {
	k.t.Helper()
	if _, err := k.in.ReadByte(); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		k.t.Fatalf("the connection is still there: %v", err)
	}
}

// figure reads one metric.
func (c *crowd) figure(name, label string) float64 {
	c.t.Helper()
	families, err := c.figures.Gather()
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

func TestTheLongestIdleMakesRoom(t *testing.T) {
	c := newCrowd(t, Options{MaxConnections: 6})
	silent := c.silent("127.0.0.2")
	first := c.idle("127.0.0.2")
	busy := c.busy("127.0.0.3")
	second := c.idle("127.0.0.3")
	third := c.idle("127.0.0.4")
	first.served() // it is now the one that has been idle shortest
	fourth := c.idle("127.0.0.4")
	for i, victim := range []*client{silent, second, third, first, fourth} {
		c.idle([]string{"127.0.0.5", "127.0.0.6", "127.0.0.7", "127.0.0.8", "127.0.0.9"}[i])
		victim.gone()
	}
	if open, closed := c.figure("dg_http_connections_open", ""), c.figure("dg_http_connections_closed_for_room_total", ""); open != 6 || closed != 5 {
		t.Errorf("%v open, %v closed", open, closed)
	}
	c.leave <- struct{}{}
	if response, err := http.ReadResponse(busy.in, nil); err != nil || response.StatusCode != 200 {
		t.Errorf("a connection in the middle of a request: %v", err)
	}
	if strings.Contains(c.logs.String(), `"status":400`) {
		t.Errorf("a connection that made room is in the log: %s", c.logs)
	}
}

// Where nothing can make room the answer is the contract's error body.
func TestWithoutRoomANewConnectionIsRefused(t *testing.T) {
	c := newCrowd(t, Options{MaxConnections: 2})
	c.busy("127.0.0.2")
	c.busy("127.0.0.3")
	response, body, err := c.from("127.0.0.4").ask()
	if err != nil || !response.Close || response.Header.Get("Retry-After") == "" || response.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%v, %v", response, err)
	}
	answer{Response: response, body: body}.wantError(t, 503, "unavailable", "ERR_UNAVAILABLE")
	if n := c.figure("dg_http_connections_refused_total", "full"); n != 1 {
		t.Errorf("%v refused", n)
	}
	c.leave <- struct{}{}
	eventually(t, "room", func() bool {
		response, _, err := c.from("127.0.0.4").ask()
		return err == nil && response.StatusCode == 200
	})
}

func TestAnAddressHasAShare(t *testing.T) {
	c := newCrowd(t, Options{MaxConnections: 6})
	other := c.idle("127.0.0.3") // idle for longest of all
	own := c.idle("127.0.0.2")
	c.busy("127.0.0.2")
	c.busy("127.0.0.2")
	c.busy("127.0.0.2") // takes the place of own
	own.gone()
	response, body, err := c.from("127.0.0.2").ask()
	if err != nil {
		t.Fatal(err)
	}
	answer{Response: response, body: body}.wantError(t, 503, "unavailable", "ERR_UNAVAILABLE")
	other.served()
	c.idle("127.0.0.4")
	if n := c.figure("dg_http_connections_refused_total", "share"); n != 1 {
		t.Errorf("%v refused", n)
	}
}

func TestTrustedProxiesHaveNoShare(t *testing.T) {
	c := newCrowd(t, Options{MaxConnections: 6, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")}})
	for range 6 {
		c.busy("127.0.0.2")
	}
}

// Otherwise a byte now and then on each connection would hold every place.
func TestARequestThatArrivesTooSlowlyMakesRoom(t *testing.T) {
	c := newCrowd(t, Options{MaxConnections: 2})
	slow := c.from("127.0.0.2")
	_, _ = io.WriteString(slow, "GET /ok HTTP/1.1\r\nHo")
	eventually(t, "the request to begin to arrive", func() bool {
		c.conns.mu.Lock()
		defer c.conns.mu.Unlock()
		return c.conns.all.arriving.Len() == 1
	})
	c.busy("127.0.0.3")
	begun := time.Now()
	eventually(t, "room", func() bool {
		response, _, err := c.from("127.0.0.4").ask()
		return err == nil && response.StatusCode == 200
	})
	if took := time.Since(begun); took < slowArrival/2 || took > readTimeout {
		t.Errorf("it made room after %s", took)
	}
}

func TestConnectionsAreForgotten(t *testing.T) {
	c := newCrowd(t, Options{MaxConnections: 50})
	for i := range 40 {
		k := c.from("127.0.0." + string(rune('2'+i%4)))
		if i%2 == 0 {
			k.served()
		}
		_ = k.Close()
	}
	eventually(t, "all to be forgotten", func() bool {
		c.conns.mu.Lock()
		defer c.conns.mu.Unlock()
		k := c.conns
		return k.all.open+len(k.open)+len(k.groups)+k.all.idle.Len()+k.all.arriving.Len() == 0
	})
}

func TestWhatCountsAsOneAddress(t *testing.T) {
	for text, want := range map[string]string{
		"192.0.2.7": "192.0.2.7", "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::", "2001:db8:1:2::9": "2001:db8:1:2::", "fe80::1%eth0": "fe80::",
	} {
		if got := addressKey(netip.MustParseAddr(text)); got.String() != want {
			t.Errorf("%s counts as %s, want %s", text, got, want)
		}
	}
}
