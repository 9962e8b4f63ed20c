package httpserver

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

func TestTransientAcceptErrorsAreRetried(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	passing := []error{
		syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED,
		syscall.EMFILE,
	}
	registry := prometheus.NewRegistry()
	b := serveOn(t, Options{Metrics: registry}, okRoutes,
		&failingListener{Listener: ln, with: passing})
	if a := b.get(t, "/ok"); a.StatusCode != 200 {
		t.Errorf("after the errors: %d", a.StatusCode)
	}
	if n := strings.Count(b.logs.String(), "cannot accept connections"); n != 1 {
		t.Errorf("%d lines in the log, want one for the episode: %s", n, b.logs)
	}
	if n := (&fullServer{t: t, registry: registry}).metric("dg_http_accept_failures_total",
		""); int(n) != len(passing) {
		t.Errorf("%v failures in the metrics, want %d", n, len(passing))
	}
}

func TestAcceptRetryEndsWithTheServer(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	without := make([]error, 100)
	for i := range without {
		without[i] = syscall.EMFILE
	}
	b := serveOn(t, Options{}, nil, &failingListener{Listener: ln, with: without})
	eventually(t, "the first failure", func() bool {
		return strings.Contains(b.logs.String(), "cannot accept connections")
	})
}

func TestBrokenListenerEndsTheServer(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := New(Options{})
	if err := s.Serve(&failingListener{
		Listener: ln,
		with:     []error{syscall.EINVAL},
	}); !errors.Is(err,
		syscall.EINVAL) {
		t.Errorf("Serve returned %v", err)
	}
}

func TestLongestIdleConnectionIsEvicted(t *testing.T) {
	c := newFullServer(t, Options{MaxConnections: 6})
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
	if open, closed := c.metric("dg_http_connections_open", ""),
		c.metric("dg_http_connections_closed_for_room_total", ""); open != 6 || closed != 5 {
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

// The response is the error body of the API.
func TestNewConnectionIsRejectedWhenNoneIsIdle(t *testing.T) {
	c := newFullServer(t, Options{MaxConnections: 2})
	c.busy("127.0.0.2")
	c.busy("127.0.0.3")
	response, body, err := c.from("127.0.0.4").ask()
	if err != nil || !response.Close || response.Header.Get("Retry-After") == "" ||
		response.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%v, %v", response, err)
	}
	answer{Response: response, body: body}.wantError(t, 503, "unavailable", "ERR_UNAVAILABLE")
	if n := c.metric("dg_http_connections_refused_total", "full"); n != 1 {
		t.Errorf("%v refused", n)
	}
	c.leave <- struct{}{}
	eventually(t, "room", func() bool {
		response, _, err := c.from("127.0.0.4").ask()
		return err == nil && response.StatusCode == 200
	})
}

func TestAddressHasHalfOfTheConnections(t *testing.T) {
	c := newFullServer(t, Options{MaxConnections: 6})
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
	if n := c.metric("dg_http_connections_refused_total", "share"); n != 1 {
		t.Errorf("%v refused", n)
	}
}

func TestTrustedProxyMayHaveAllConnections(t *testing.T) {
	c := newFullServer(t, Options{
		MaxConnections: 6,
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")},
	})
	for range 6 {
		c.busy("127.0.0.2")
	}
}

// Otherwise a byte now and then on each connection would hold all of them.
func TestSlowlyArrivingRequestIsEvicted(t *testing.T) {
	c := newFullServer(t, Options{MaxConnections: 2})
	slow := c.from("127.0.0.2")
	_, _ = io.WriteString(slow, "GET /ok HTTP/1.1\r\nHo")
	c.waits(1)
	c.busy("127.0.0.3")
	begun := time.Now()
	eventually(t, "room", func() bool {
		response, _, err := c.from("127.0.0.4").ask()
		return err == nil && response.StatusCode == 200
	})
	if took := time.Since(begun); took < slowClient/2 || took > readTimeout {
		t.Errorf("it made room after %s", took)
	}
}

// Otherwise eight addresses that open connections as fast as they can would close everybody's
// between two requests.
func TestAddressAboveItsShareMakesRoomAmongItsOwn(t *testing.T) {
	c := newFullServer(t, Options{MaxConnections: 8})
	other := c.idle("127.0.0.9") // idle for longest of all
	var crowd []*client
	for range 3 {
		crowd = append(crowd, c.idle("127.0.0.2"), c.idle("127.0.0.3"))
	}
	c.idle("127.0.0.3")
	for i := range 3 {
		c.idle("127.0.0.2")
		crowd[2*i].gone()
	}
	other.served()
	crowd[1].served()
}

func TestAddressWithinItsShareIsSpared(t *testing.T) {
	c := newFullServer(t, Options{MaxConnections: 6})
	other := c.idle("127.0.0.9") // the only idle one
	for i := range 3 {
		_, _ = io.WriteString(c.from("127.0.0.2"), "GET /ok HTTP/1.1\r\nHo")
		c.waits(i + 1)
	}
	c.busy("127.0.0.3")
	c.busy("127.0.0.3")
	c.idle("127.0.0.4")
	other.served()
}

// A new client does not wait for a second where those who are slow have more than their share.
func TestSlowRequestOfACrowdedAddressIsEvictedAtOnce(t *testing.T) {
	c := newFullServer(t, Options{MaxConnections: 4})
	begun := time.Now()
	slow := make([]*client, 4)
	for i := range slow {
		slow[i] = c.from([]string{"127.0.0.2", "127.0.0.3"}[i/2])
		_, _ = io.WriteString(slow[i], "GET /ok HTTP/1.1\r\nHo")
		c.waits(i + 1)
	}
	response, _, err := c.from("127.0.0.4").ask()
	if took := time.Since(begun); took > slowClient {
		t.Skipf("the machine took %s to get here", took)
	}
	if err != nil || response.StatusCode != 200 {
		t.Errorf("%v, %v", response, err)
	}
	slow[0].gone()
}

// Otherwise clients that ask for what anybody gets, and read a byte now and then, would hold all
// connections.
func TestSlowReaderOfAPublicAnswerIsEvicted(t *testing.T) {
	c := newFullServer(t, Options{MaxConnections: 2})
	known := c.reads("127.0.0.2", "/large-known")
	c.waits(0)
	slow := c.reads("127.0.0.3", "/large")
	c.waits(1)
	eventually(t, "room", func() bool {
		response, _, err := c.from("127.0.0.4").ask()
		return err == nil && response.StatusCode == 200
	})
	if n, err := io.Copy(io.Discard, slow); err == nil && n >= largeBody {
		t.Error("the slow reader of a public answer got all of it")
	}
	if response, err := http.ReadResponse(known.in, nil); err != nil {
		t.Error(err)
	} else if n, err := io.Copy(io.Discard, response.Body); n != largeBody {
		t.Errorf("a client that is known got %d bytes: %v", n, err)
	}
}

func TestClosedConnectionsAreForgotten(t *testing.T) {
	c := newFullServer(t, Options{MaxConnections: 50})
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
		return k.all.open+len(k.open)+len(k.groups)+k.all.idle.Len()+k.all.waiting.Len() == 0
	})
}
