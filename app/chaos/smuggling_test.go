package chaos

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit"
)

// smuggler sends the payloads to one address. The request ids contain the payload's number.
type smuggler struct {
	name, address string
	shows         string // the client's address of a hidden request in the access log
	path          string // of an export
	keys          []string
}

// dial connects from the address that the log shows of clients.
func (s *smuggler) dial() (net.Conn, error) {
	from := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	if s.name == "direct" {
		return from.Dial("tcp", s.address)
	}
	return tls.DialWithDialer(from, "tcp", s.address, &tls.Config{InsecureSkipVerify: true})
}

// answersOf sends a payload on a new connection and returns the ids of the answers.
func (s *smuggler) answersOf(n int, payload string) (ids []string, err error) {
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
	// some payloads are incomplete, so that the server waits
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

// smuggle sends all payloads concurrently, and requires that each connection gets only its own
// answers.
func (s *smuggler) smuggle(t *testing.T, all []smuggling) {
	var next atomic.Int32
	testkit.Concurrently(24, func(int) {
		for n := int(next.Add(1)) - 1; n < len(all); n = int(next.Add(1)) - 1 {
			ids, err := s.answersOf(n, all[n].bytes)
			assert.NoError(t, err, all[n].name)
			for _, id := range ids {
				if of := numbered.FindStringSubmatch(id); of != nil { // dg makes others itself
					assert.Equal(t, []string{s.name, fmt.Sprintf("%05d", n)}, of[2:],
						"%s: %s got another's answer", s.name, all[n].name)
				}
			}
		}
	})
}

// numbered are the request ids of payloads: which request, of which smuggler, and its number.
var numbered = regexp.MustCompile(`^(outer|inner)-(\w+)-(\d+)$`)

func (s *smuggler) executed(log, from string, all []smuggling) (names []string) {
	inner := regexp.MustCompile(`"request_id":"inner-` + s.name + `-(\d+)".*"client":"` + from + `"`)
	for _, id := range inner.FindAllStringSubmatch(log, -1) {
		n, _ := strconv.Atoi(id[1])
		names = append(names, all[n].name)
	}
	return names
}

// rules.md, Order of checks: a request that is hidden in the framing of another is never executed. No
// client gets another's answer, neither at dg nor behind the proxies of configs/deploy. A proxy may
// forward it as the client's next request, with the client in X-Forwarded-For. A hidden request would
// have the proxy's address.
func TestChaosSmuggledRequestsAreNotExecuted(t *testing.T) {
	t.Parallel()
	p := apptest.BehindProxy(t, "--log-format", "json")
	upstream := strings.TrimPrefix(p.URL, "http://")
	path, _, _ := strings.Cut(p.ExportPath, "?")
	all := smugglings()
	for _, name := range []string{"direct", "nginx", "haproxy"} {
		t.Run(name, func(t *testing.T) {
			s := &smuggler{name: name, address: upstream, shows: "127.0.0.2"}
			if name != "direct" {
				s.address = apptest.StartProxy(t, name, upstream)
				s.shows = "127.0.0.1"
			}
			s.path = path + "?from=2020-01-01&to=2020-01-01"
			s.keys = slices.Concat(p.MoreTokens, []string{p.Token})
			s.smuggle(t, all)
			apptest.Until(t, 30*time.Second, "the request that is no trick is not seen", func() bool {
				// again: a loaded machine may not be as quick as a payload may take
				_, err := s.answersOf(len(all)-1, all[len(all)-1].bytes)
				require.NoError(t, err)
				return slices.Contains(s.executed(p.Log.String(), "127.0.0.2", all), pipelined)
			})
			hidden := slices.DeleteFunc(s.executed(p.Log.String(), s.shows, all),
				func(name string) bool { return name == pipelined })
			require.Empty(t, hidden, "these requests were executed")
		})
	}
	require.Zero(t, p.Count(`audit_entries
		where action = 'export.started' and (address <> '127.0.0.2'
		or request_id like 'inner-direct-%' and request_id <> $1)`,
		fmt.Sprintf("inner-direct-%05d", len(all)-1)))
}

// smuggling is a payload that hides a second request from some servers. OUTER and INNER are
// replaced by the other header lines of each request. INNER has a key: if it is executed, it
// exports.
type smuggling struct{ name, bytes string }

const (
	getInner = "GET /CSV HTTP/1.1\r\nINNER\r\n"
	getOuter = "GET /healthz HTTP/1.1\r\nOUTER"
)

// pipelined is the one payload whose second request is valid. It comes last.
const pipelined = "two whole requests"

// smugglings are one payload of each kind, for requests without and with a body.
func smugglings() (all []smuggling) {
	chunk := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(getInner), getInner)
	const end = "0\r\n\r\n" + getInner
	for _, request := range []string{"GET /healthz", "POST /sign-in", "GET /CSV"} {
		for name, rest := range map[string]string{
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
			"two lengths":        "Content-Length: 0\r\nContent-Length: 44\r\n\r\n" + getInner,
			"a list of lengths":  "Content-Length: 0, 44\r\n\r\n" + getInner,
			"a signed length":    "Content-Length: +44\r\n\r\n" + getInner,
			"a length overflows": "Content-Length: 18446744073709551660\r\n\r\n" + getInner,
			"a folded length":    "Content-Length: 4\r\n 4\r\n\r\n" + getInner,
			"NUL":                "X\x00: a\r\n\r\n" + getInner,
			"a chunk overflows":  "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF0\r\n" + end,
			"an extension":       "Transfer-Encoding: chunked\r\n\r\n0;\n\r\n" + end,
			"trailers":           "Transfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 3\r\n\r\n" + getInner,
		} {
			all = append(all, smuggling{request + ", " + name, request + " HTTP/1.1\r\nOUTER" + rest})
		}
	}
	// Beginnings after which nothing is a second request.
	for _, head := range []string{
		"BREW /healthz HTTP/1.1\r\nOUTER\r\n", "GET /healthz HTTP/9.9\r\nOUTER\r\n", "GET /healthz\r\n\r\n",
		"GET /healthz#x HTTP/1.1\r\nOUTER\r\n", "GET /healthz HTTP/1.1\rOUTER\r\n",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "CONNECT dg.example.org:443 HTTP/1.1\r\nOUTER\r\n",
		"GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 3\r\n\r\nabc",
		"GET /healthz HTTP/1.1\r\nOUTERConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n" +
			"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
	} {
		all = append(all, smuggling{fmt.Sprintf("after %q", head), head + getInner})
	}
	return append(all, smuggling{pipelined, getOuter + "\r\n" + getInner})
}
