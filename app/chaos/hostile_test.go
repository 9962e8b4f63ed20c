package chaos

import (
	"bufio"
	"context"
	"crypto/tls"
	"expvar"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit"
	"dg/platform/testkit/tb"
)

// smuggler sends all payloads to one address. Each request id contains the payload's number.
type smuggler struct {
	name, address string
	hiddenClient  string // client address that the log would have for a smuggled request: the proxy's, if any
	path          string // path of an export
	keys          []string
}

// dial connects from 127.0.0.2, which the log then shows as the client.
func (s *smuggler) dial() (net.Conn, error) {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	if s.name == "direct" {
		return dialer.Dial("tcp", s.address)
	}
	return tls.DialWithDialer(dialer, "tcp", s.address, &tls.Config{InsecureSkipVerify: true})
}

// sendPayload sends the n-th payload on a new connection and returns the request ids of the responses.
func (s *smuggler) sendPayload(n int, payload string) (ids []string, err error) {
	conn, err := s.dial()
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	head := func(which string) string {
		return fmt.Sprintf("Host: dg.example.org\r\nX-Request-Id: %s-%s-%05d\r\n", which, s.name, n)
	}
	key := "Authorization: Bearer " + s.keys[n%len(s.keys)] + "\r\n"
	text := strings.NewReplacer("/CSV", s.path, "OUTER", head("outer"), "INNER", head("inner")+key).
		Replace(payload)
	// some payloads are incomplete, and the server waits for the rest
	_ = conn.SetDeadline(time.Now().Add(300 * time.Millisecond))
	_, _ = io.WriteString(conn, text)
	for in := bufio.NewReader(conn); ; {
		response, err := http.ReadResponse(in, nil)
		if err != nil {
			return ids, nil
		}
		if _, err = io.Copy(io.Discard, response.Body); err != nil {
			return ids, nil
		}
		ids = append(ids, response.Header.Get("X-Request-Id"))
	}
}

func (s *smuggler) smuggle(t *testing.T, cases []smuggling) {
	var next atomic.Int32
	testkit.Concurrently(24, func(int) {
		for n := int(next.Add(1)) - 1; n < len(cases); n = int(next.Add(1)) - 1 {
			ids, err := s.sendPayload(n, cases[n].payload)
			assert.NoError(t, err, cases[n].name)
			for _, id := range ids {
				if match := requestIDPattern.FindStringSubmatch(id); match != nil { // dg itself generates the other ids
					assert.Equal(t, []string{s.name, fmt.Sprintf("%05d", n)}, match[2:],
						"%s: %s got another's answer", s.name, cases[n].name)
				}
			}
		}
	})
}

// requestIDPattern matches a payload's request id: outer or inner, the smuggler and the payload's number.
var requestIDPattern = regexp.MustCompile(`^(outer|inner)-(\w+)-(\d+)$`)

func (s *smuggler) executedNames(log, client string, cases []smuggling) (names []string) {
	innerPattern := regexp.MustCompile(`"request_id":"inner-` + s.name + `-(\d+)".*"client":"` + client + `"`)
	for _, id := range innerPattern.FindAllStringSubmatch(log, -1) {
		n, _ := strconv.Atoi(id[1])
		names = append(names, cases[n].name)
	}
	return names
}

// dg executes no smuggled request and does not mix up responses, behind a proxy or directly.
func TestChaosSmuggledRequestsAreNotExecuted(t *testing.T) {
	t.Parallel()
	served := apptest.ServeBehindProxy(t, "--log-format", "json")
	upstream := strings.TrimPrefix(served.ListenURL, "http://")
	path, _, _ := strings.Cut(served.ExportPath, "?")
	cases := smugglings()
	for _, name := range []string{"direct", "nginx", "haproxy"} {
		t.Run(name, func(t *testing.T) {
			s := &smuggler{name: name, address: upstream, hiddenClient: "127.0.0.2",
				keys: append(served.MoreTokens, served.Token), path: path + "?from=2020-01-01&to=2020-01-01"}
			if name != "direct" {
				s.address = apptest.StartProxy(t, name, upstream)
				s.hiddenClient = "127.0.0.1"
			}
			s.smuggle(t, cases)
			apptest.WaitUntil(t, 30*time.Second, "the valid request is not executed", func() bool {
				// repeats the valid payload, because a loaded machine may exceed its deadline
				require.NoError(t, tb.ErrorOf(s.sendPayload(len(cases)-1, cases[len(cases)-1].payload)))
				return slices.Contains(s.executedNames(served.Log.String(), "127.0.0.2", cases), validPayload)
			})
			executed := slices.DeleteFunc(s.executedNames(served.Log.String(), s.hiddenClient, cases),
				func(name string) bool { return name == validPayload })
			require.Empty(t, executed, "these requests were executed")
		})
	}
	require.Zero(t, served.CountRows(`audit_entries where action = 'export.started' and (address <> '127.0.0.2'
		or request_id like 'inner-direct-%' and request_id <> $1)`, fmt.Sprintf("inner-direct-%05d", len(cases)-1)))
}

// smuggling is a payload that hides a second request. OUTER and INNER stand for the other headers of the two requests.
type smuggling struct{ name, payload string }

const innerRequest = "GET /CSV HTTP/1.1\r\nINNER\r\n"

// validPayload names the only payload whose second request is valid. It comes last.
const validPayload = "two whole requests"

func smugglings() (cases []smuggling) {
	chunk := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(innerRequest), innerRequest)
	const end = "0\r\n\r\n" + innerRequest
	for _, request := range []string{"GET /healthz", "POST /sign-in", "GET /CSV"} {
		for name, headersAndBody := range map[string]string{
			"CL.TE":              "Content-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n" + end,
			"TE.CL":              "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk,
			"TE.TE":              "Transfer-Encoding: x\r\nTransfer-Encoding: chunked\r\n\r\n" + end,
			"TE alone":           "Transfer-Encoding: chunked\r\n\r\n" + end,
			"another TE":         "Transfer-Encoding: identity\r\nContent-Length: 4\r\n\r\n" + chunk,
			"a blank before :":   "Transfer-Encoding : chunked\r\nContent-Length: 4\r\n\r\n" + chunk,
			"a control":          "Transfer-Encoding: \x0bchunked\r\nContent-Length: 4\r\n\r\n" + chunk,
			"LF alone":           "X: y\nTransfer-Encoding: chunked\r\n\r\n" + end,
			"CR alone":           "X: y\rTransfer-Encoding: chunked\r\n\r\n" + end,
			"a folded line":      "Transfer-Encoding:\r\n chunked\r\n\r\n" + end,
			"two lengths":        "Content-Length: 0\r\nContent-Length: 44\r\n\r\n" + innerRequest,
			"a list of lengths":  "Content-Length: 0, 44\r\n\r\n" + innerRequest,
			"a signed length":    "Content-Length: +44\r\n\r\n" + innerRequest,
			"a length overflows": "Content-Length: 18446744073709551660\r\n\r\n" + innerRequest,
			"a folded length":    "Content-Length: 4\r\n 4\r\n\r\n" + innerRequest,
			"NUL":                "X\x00: a\r\n\r\n" + innerRequest,
			"a chunk overflows":  "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF0\r\n" + end,
			"an extension":       "Transfer-Encoding: chunked\r\n\r\n0;\n\r\n" + end,
			"trailers":           "Transfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 3\r\n\r\n" + innerRequest,
		} {
			cases = append(cases, smuggling{request + ", " + name, request + " HTTP/1.1\r\nOUTER" + headersAndBody})
		}
	}
	// After these invalid requests, no second request may be executed.
	for _, head := range []string{
		"BREW /healthz HTTP/1.1\r\nOUTER\r\n", "GET /healthz HTTP/9.9\r\nOUTER\r\n", "GET /healthz\r\n\r\n",
		"GET /healthz#x HTTP/1.1\r\nOUTER\r\n", "GET /healthz HTTP/1.1\rOUTER\r\n",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "CONNECT dg.example.org:443 HTTP/1.1\r\nOUTER\r\n",
		"GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 3\r\n\r\nabc",
		"GET /healthz HTTP/1.1\r\nOUTERConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n" +
			"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
	} {
		cases = append(cases, smuggling{fmt.Sprintf("after %q", head), head + innerRequest})
	}
	return append(cases, smuggling{validPayload, "GET /healthz HTTP/1.1\r\nOUTER\r\n" + innerRequest})
}

type hostileClients struct {
	ctx     context.Context
	running sync.WaitGroup
}

// Hostile connections to both listeners break no response to a customer.
func TestHostileClientsBreakNoResponse(t *testing.T) {
	if !apptest.ChaosEnabled {
		t.Parallel()
	}
	db := testkit.New(t)
	limitFiles := func(c *exec.Cmd) {
		c.Args = append([]string{"sh", "-c", `ulimit -n 256 && exec "$0" "$@"`, c.Path}, c.Args[1:]...)
		c.Path = "/bin/sh"
	}
	dg := apptest.LaunchWith(t, limitFiles, append([]string{"serve"}, db.Flags()...)...).AwaitServing()
	customer := newCaller(t, db, dg.ListenURL)
	ctx, cancel := context.WithCancel(t.Context())
	hostile := &hostileClients{ctx: ctx}
	stop := func() { cancel(); hostile.running.Wait() }
	defer stop()
	addr := strings.TrimPrefix(dg.ListenURL, "http://")
	hostile.hold(addr, apptest.PickSize(150, 2000, 2000), trickle("GET /api/v1/forks HTTP/1.1\r\nHost: x\r\nX-Slow: "))
	hostile.hold(addr, apptest.PickSize(150, 2000, 2000),
		trickle("POST /sign-in HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\nemail="))
	hostile.hold(addr, apptest.PickSize(150, 4500, 4500), readSlowly)
	hostile.hold(addr, apptest.PickSize(300, 10_000, 10_000), stayIdle)
	hostile.hold(dg.OpsAddress, 300, stayIdle)
	stopCalls := callEverything([]*caller{customer}, 6)
	defer stopCalls()
	<-time.After(time.Duration(apptest.PickSize(1, 20, 60)) * time.Second)
	stopCalls()
	stop()
	require.NotContains(t, dg.Log.String(), "too many open files")
	require.NotNil(t, customer.outcomes.Get(string(outcomeRight)))
	if apptest.ChaosEnabled { // in make test, parallel tests may slow dg until it refuses a call
		customer.outcomes.Do(func(n expvar.KeyValue) { require.Equal(t, string(outcomeRight), n.Key, n.Value) })
	}
	requireCorrectResponses(t, apptest.OpenAdminDBAt(t, db.URL), dg, customer)
}

// hold runs behave on n connections with small receive windows. A second after a connection ends, it opens a new one.
func (h *hostileClients) hold(address string, n int, behave func(ctx context.Context, conn net.Conn) error) {
	dialer := net.Dialer{
		LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 3)}, Timeout: 2 * time.Second,
		Control: func(_, _ string, raw syscall.RawConn) error {
			return raw.Control(func(fd uintptr) {
				_ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096)
			})
		},
	}
	for i := range n {
		h.running.Go(func() {
			pause(h.ctx, time.Duration(i)*2*time.Second/time.Duration(n))
			for h.ctx.Err() == nil {
				if conn, err := dialer.DialContext(h.ctx, "tcp", address); err == nil {
					stop := context.AfterFunc(h.ctx, func() { _ = conn.Close() })
					for err == nil {
						err = behave(h.ctx, conn)
					}
					stop()
					_ = conn.Close()
				}
				pause(h.ctx, time.Second)
			}
		})
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// trickle returns a function that sends the beginning of a request, and then a byte every half second.
func trickle(beginning string) func(ctx context.Context, conn net.Conn) error {
	return func(ctx context.Context, conn net.Conn) error {
		_, err := io.WriteString(conn, beginning)
		for err == nil && ctx.Err() == nil {
			pause(ctx, 500*time.Millisecond)
			_, err = io.WriteString(conn, "a")
		}
		return err
	}
}

func readSlowly(ctx context.Context, conn net.Conn) error {
	_, err := io.WriteString(conn, strings.Repeat("GET /openapi/v1.json HTTP/1.1\r\nHost: x\r\n\r\n", 50))
	for err == nil && ctx.Err() == nil {
		pause(ctx, 500*time.Millisecond)
		_, err = io.ReadFull(conn, make([]byte, 512))
	}
	return err
}

func stayIdle(_ context.Context, conn net.Conn) error {
	_, _ = io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
	_, _ = io.Copy(io.Discard, conn)
	return net.ErrClosed
}
