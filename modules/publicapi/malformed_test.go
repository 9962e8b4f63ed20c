package publicapi_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// malformed is a request that the server refuses before it looks at the key, or a method that it
// does not have.
type malformed struct {
	request string
	status  int
	detail  string
	closes  bool // whether the server closes the connection
}

func malformedRequests(path, key, authorization string) map[string]malformed {
	return map[string]malformed{
		"a header of 17 KB": {
			line("GET", path, key, "X-Long: "+strings.Repeat("a", 17<<10)), 431, "ERR_VALIDATION",
			true,
		},
		"headers of 17 KB": {
			line("GET", path, key,
				strings.Repeat("X-Many: "+strings.Repeat("b", 100)+"\r\n", 160)+"X: y"), 431,
			"ERR_VALIDATION", true,
		},
		"a header of 200 KB": {
			line("GET", path, key, "X-Long: "+strings.Repeat("a", 200<<10)), 431, "ERR_VALIDATION",
			true,
		},
		"a key of 17 KB": {
			line("GET", path, key+strings.Repeat("a", 17<<10)), 431, "ERR_VALIDATION", true,
		},
		"a target of 5 KB": {
			line("GET", path+"&x="+strings.Repeat("a", 5<<10), key), 414, "ERR_VALIDATION", true,
		},
		"a target of 100 KB": {
			line("GET", path+"&x="+strings.Repeat("a", 100<<10), key), 431, "ERR_VALIDATION", true,
		},
		"a body on GET": {
			line("GET", path, key, "Content-Length: 5") + "hello", 400, "ERR_VALIDATION", true,
		},
		"a length on GET": {
			line("GET", path, key, "Content-Length: 1") + "x", 400, "ERR_VALIDATION", true,
		},
		"a negative length": {
			line("GET", path, key, "Content-Length: -1"), 400, "ERR_VALIDATION", true,
		},
		"two lengths": {
			line("GET", path, key, "Content-Length: 0", "Content-Length: 0"), 400, "ERR_VALIDATION",
			true,
		},
		"a length that is no number": {
			line("GET", path, key, "Content-Length: 0x0"), 400, "ERR_VALIDATION", true,
		},
		"chunked GET": {
			line("GET", path, key, "Transfer-Encoding: chunked") + "0\r\n\r\n", 400,
			"ERR_VALIDATION", true,
		},
		"identity GET": {
			line("GET", path, key, "Transfer-Encoding: identity"), 400, "ERR_VALIDATION", true,
		},
		"chunked and a length": {
			line("POST", path, key, "Transfer-Encoding: chunked", "Content-Length: 3") +
				"0\r\n\r\n",
			400, "ERR_VALIDATION", true,
		},
		"a body of 70 KB": {
			line("POST", path, key, fmt.Sprint("Content-Length: ", 70<<10)) +
				strings.Repeat("x", 70<<10), 413, "ERR_VALIDATION", true,
		},
		"70 KB to come": {
			line("POST", path, key, fmt.Sprint("Content-Length: ", 70<<10), "Expect: 100-continue"),
			413, "ERR_VALIDATION", true,
		},
		"an unknown expectation": {
			line("GET", path, key, "Expect: 200-ok"), 417, "ERR_VALIDATION", true,
		},
		"a folded line": {
			line("GET", path, key, "X-Folded: a\r\n b"), 400, "ERR_VALIDATION", true,
		},
		"a space before the colon": {
			line("GET", path, "Authorization : "+authorization), 400, "ERR_VALIDATION", true,
		},
		"a header without a colon": {
			line("GET", path, key, "Nothing"), 400, "ERR_VALIDATION", true,
		},
		"NUL in a header": {
			line("GET", path, key, "X: a\x00b"), 400, "ERR_VALIDATION", true,
		},
		"two hosts": {
			line("GET", path, key, "Host: other.example"), 400, "ERR_VALIDATION", true,
		},
		"no host": {
			"GET " + path + " HTTP/1.1\r\n" + key + "\r\n\r\n", 400, "ERR_VALIDATION", true,
		},
		"a fragment": {line("GET", path+"#x", key), 400, "ERR_VALIDATION", true},
		"HTTP/9.9": {
			"GET " + path + " HTTP/9.9\r\nHost: x\r\n" + key + "\r\n\r\n", 505, "ERR_VALIDATION",
			true,
		},
		"a method of its own": {
			line("BREW", path, key), 501, "ERR_METHOD_NOT_ALLOWED", true,
		},
		"a small method": {
			line("get", path, key), 501, "ERR_METHOD_NOT_ALLOWED", true,
		},
		"words":    {"hello there\r\n\r\n", 400, "ERR_VALIDATION", true},
		"one word": {"GET\r\n\r\n", 400, "ERR_VALIDATION", true},
		"no target": {
			"GET  HTTP/1.1\r\nHost: x\r\n\r\n", 400, "ERR_VALIDATION", true,
		},
		"a target without a slash": {
			line("GET", "api/v1/forks", key), 400, "ERR_VALIDATION", true,
		},
		"a space in the target": {
			line("GET", "/api/v1/forks/a b", key), 400, "ERR_VALIDATION", true,
		},
		"NUL in the target": {
			line("GET", "/api/v1/forks/\x00", key), 400, "ERR_VALIDATION", true,
		},
		"a TLS hello": {
			"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400, "ERR_VALIDATION", true,
		},
		"HTTP/2": {
			"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, "ERR_VALIDATION", true,
		},
		"a PROXY line": {
			"PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n" + line("GET", path, key), 400,
			"ERR_VALIDATION",
			true,
		},
		"a body on POST, as it should": {
			line("POST", path, key, "Content-Length: 5") + "hello", 405, "ERR_METHOD_NOT_ALLOWED",
			false,
		},
		"a method that is not theirs": {
			line("DELETE", path, key), 405, "ERR_METHOD_NOT_ALLOWED", false,
		},
	}
}

// rules.md, Formats: every response outside 2xx and 304 of /api/v1/* has the contract's body,
// whatever caused it. A request that is not valid HTTP is refused before its headers count, and the
// connection closes.
func TestMalformedRequestsGetTheErrorBody(t *testing.T) {
	t.Parallel()
	w := start(t)
	a := newAttempt(t, w, rand.New(rand.NewPCG(72, 72)))
	path := "/api/v1/forks/" + a.fork + "/stats?" + a.query
	key := "Authorization: " + a.authorization
	for name, c := range malformedRequests(path, key, a.authorization) {
		t.Run(name, func(t *testing.T) {
			conn := w.wire(t)
			method, _, _ := strings.Cut(c.request, " ")
			got := conn.ask(method, c.request)
			require.Equal(t, c.status, got.StatusCode, got.body)
			require.Equal(t, c.detail, got.detail(t, name))
			require.Equal(t, c.closes, conn.conn == nil, "whether the connection closes")
			require.NotContains(t, got.body, a.token.Secret)
			again := conn.ask(http.MethodGet, line("GET", path, key))
			require.Equal(t, http.StatusOK, again.StatusCode, "the next request is answered")
		})
	}
}

// rules.md, Formats: NUL, invalid UTF-8, text of other scripts and length in each parameter.
func TestOddParameters(t *testing.T) {
	t.Parallel()
	w := start(t)
	a := newAttempt(t, w, rand.New(rand.NewPCG(73, 73)))
	conn := w.wire(t)
	for name, odd := range map[string]string{
		"NUL":               "%00",
		"NUL within":        a.fork[:10] + "%00" + a.fork[10:],
		"NUL after":         a.fork + "%00",
		"invalid UTF-8":     "%ff%fe",
		"raw invalid UTF-8": "\xff\xfe",
		"an overlong slash": "%c0%af",
		"a surrogate":       "%ed%a0%80",
		"an emoji":          "%F0%9F%92%A5",
		"right to left":     "%E2%80%AE",
		"CRLF":              "%0d%0aX:%20y",
		"a bad escape":      "%zz",
		"half an escape":    "%",
		"SQL":               "'%20or%20true%20--",
		"a template":        "{{7*7}}",
		"a format":          "%25s%25n",
		"spaces":            "%20",
		"a path":            "..%2f..%2fetc",
		"3 KB":              strings.Repeat("x", 3<<10),
		"braces":            "%7B" + a.fork + "%7D",
		"urn":               "urn:uuid:" + a.fork,
		"without dashes":    strings.ReplaceAll(a.fork, "-", ""),
	} {
		const good = "from=2024-05-01&to=2024-05-02"
		for _, tail := range []string{"/stats?", "/exports/csv?"} {
			for target, want := range map[string]struct {
				status int
				detail string
			}{
				"/api/v1/forks/" + odd + tail +
					good: {404, "ERR_NOT_FOUND"},
				"/api/v1/forks/" + a.fork + tail + "to=2024-05-02&from=" +
					odd: {400, "ERR_VALIDATION"},
				"/api/v1/forks/" + a.fork + tail + "from=2024-05-02&to=" +
					odd: {400, "ERR_VALIDATION"},
				"/api/v1/forks/" + a.fork + tail + good + "&groupId=" +
					odd: {404, "ERR_NOT_FOUND"},
				"/api/v1/forks/" + a.fork + tail + good + "x" + "&unknown" +
					odd: {400, "ERR_VALIDATION"},
			} {
				got := conn.ask("GET", line("GET", target, "Authorization: "+a.authorization))
				require.Equal(t, want.status, got.StatusCode, "%s: %q: %s", name, target, got.body)
				require.Equal(t, want.detail, got.detail(t, name))
			}
		}
		w.freeWindows(t)
	}
	for _, target := range []string{
		"/api/v1/forks/%s/stats?from=2024-05-01&to=2024-05-02", "/api/v1/forks/x/stats?from=%s",
		"/api/v1/forks/x/stats?to=%s", "/api/v1/forks/x/stats?groupId=%s",
	} {
		got := conn.ask("GET",
			line("GET", fmt.Sprintf(target, strings.Repeat("x", 100<<10)),
				"Authorization: "+a.authorization))
		require.Equal(t, http.StatusRequestHeaderFieldsTooLarge, got.StatusCode)
		require.Equal(t, "ERR_VALIDATION", got.detail(t, "100 KB"))
	}
	require.Empty(t, w.entries(t, a.mine.id))
}
