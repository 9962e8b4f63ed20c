package publicapi_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// resources are what bad input must not use up.
type resources struct {
	goroutines int
	heap       uint64
}

func resourcesNow() resources {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return resources{runtime.NumGoroutine(), m.HeapAlloc}
}

// requireKept requires that the requests left nothing behind.
func (before resources) requireKept(t *testing.T, about string) {
	t.Helper()
	after := resourcesNow()
	t.Logf("%s: goroutines %d → %d, heap %d KB → %d KB", about, before.goroutines, after.goroutines,
		before.heap>>10, after.heap>>10)
	require.InDelta(t, before.goroutines, after.goroutines, 8)
	require.Less(t, after.heap, before.heap+16<<20)
}

// isKey matches an Authorization header with a well-formed key.
var isKey = regexp.MustCompile(`^(?i:bearer) +dg_live_[0-9A-Za-z]{22}_[0-9A-Za-z]{49}$`)

// mutation makes an Authorization header invalid in one of many ways.
func mutation(random *rand.Rand, valid string) string {
	b := []byte(valid)
	at := random.IntN(len(b))
	odd := []string{
		"\x00", "\x01", "\x7f", "\t", "\x0b", "é", "\u202e", "\ufeff", "\xff", "\xc0\xaf", "💥", " ",
		"_", "\"", ",", ";", "%00", "='",
	}
	switch random.IntN(12) {
	case 0: // flip a bit
		b[at] ^= 1 << random.IntN(8)
	case 1: // cut
		b = b[:at]
	case 2:
		b = b[at:]
	case 3: // put in
		b = slices.Insert(b, at, []byte(odd[random.IntN(len(odd))])...)
	case 4: // in place of
		b = append(append(slices.Clone(b[:at]), odd[random.IntN(len(odd))]...), b[at+1:]...)
	case 5: // very long
		b = slices.Insert(b, at,
			[]byte(strings.Repeat(odd[random.IntN(len(odd))], 1+random.IntN(3000)))...)
	case 6: // doubled
		b = []byte(valid + []string{"", " ", ",", ", ", "; "}[random.IntN(5)] + valid)
	case 7: // other schemes
		b = []byte([]string{
			"Basic", "Digest", "Negotiate", "Bearer:", "Token", "bearer\t", "Bearer=", "ApiKey", "",
		}[random.IntN(9)] + valid[6:])
	case 8: // noise
		for i := range b {
			b[i] = byte(random.UintN(256))
		}
	case 9: // a piece elsewhere
		b = append(b[at:], b[:at]...)
	case 10: // another alphabet
		b = []byte(strings.Map(func(r rune) rune {
			if random.IntN(8) == 0 {
				return r + 0xff00 - 0x20 // full width
			}
			return r
		}, valid))
	case 11: // another secret of the right form
		i := strings.LastIndexByte(valid, '_') + 1 + random.IntN(40)
		b[i] = "0Aa"[random.IntN(3)]
	}
	return strings.NewReplacer("\n", "", "\r", "").Replace(string(b)) // it stays one line
}

// Whatever the Authorization header holds, the answer is the contract's, never a 5xx, and nothing
// leaks. The test runs alone: it counts goroutines.
func TestMalformedAuthorization(t *testing.T) {
	w := start(t)
	a := newAttempt(t, w, rand.New(rand.NewPCG(70, 70)))
	random := rand.New(rand.NewPCG(70, 71))
	conn := w.wire(t)
	statuses := map[int]int{}
	var before resources
	n := soak(10_000, 2_000)
	for i := range n {
		if i%100 == 0 {
			w.freeWindows(t)
		}
		if i == 200 {
			before = resourcesNow() // when all that is made once has been made
		}
		header := mutation(random, a.authorization)
		if isKey.MatchString(strings.Trim(header, " \t")) &&
			strings.Contains(header, a.token.String()) {
			continue // nothing is wrong with it
		}
		outside := random.IntN(4) == 0
		target := map[bool]string{
			true:  "/healthz",
			false: "/api/v1/forks/" + a.fork + "/stats?" + a.query,
		}[outside]
		got := conn.ask(http.MethodGet, line(http.MethodGet, target, "Authorization: "+header))
		statuses[got.StatusCode]++
		if outside && got.StatusCode == 200 {
			require.NotContains(t, header, "dg_live_")
			continue // anybody may
		}
		detail := got.detail(t, fmt.Sprintf("%q", header))
		switch {
		// no HTTP: a control character, too long
		case got.StatusCode == 400 || got.StatusCode == 431:
			require.Equal(t, "ERR_VALIDATION", detail)
			require.True(t,
				len(header) > 8000 ||
					strings.ContainsFunc(header, func(r rune) bool { return r < ' ' || r == 0x7f }),
				"%d %q", got.StatusCode, header)
		case outside && strings.Contains(header, "dg_live_"):
			require.Equal(t, 403, got.StatusCode, "%q", header)
		default:
			require.Equal(t, 401, got.StatusCode, "%q", header)
			require.Equal(t, "ERR_AUTH_REQUIRED", detail)
			require.Empty(t, got.Header.Get("RateLimit"))
		}
		require.NotContains(t, got.body, a.token.Secret)
	}
	t.Logf("%d headers: %v", n, statuses)
	require.Greater(t, statuses[401], n/2)
	require.Greater(t, statuses[400], n/50)
	before.requireKept(t, "malformed keys")
}

// invalidQuery returns a query that rules.md, Formats, does not allow.
func invalidQuery(random *rand.Rand) string {
	good := []string{"2024-05-01", "2024-02-29", "2000-01-01", "2199-12-31"}
	bad := []string{
		"", "x", "2024", "2024-05", "2024-5-1", "24-05-01", "2024-13-01", "2024-00-10",
		"2024-02-30",
		"2023-02-29", "2024-04-31", "1999-12-31", "2200-01-01",
		"0000-00-00", "9999-12-31", "-2024-05-01", "+2024-05-01", " 2024-05-01", "2024-05-01 ",
		"2024-05-01T00:00:00Z", "2024/05/01", "2024-05-01\x00", "\x00",
		"\xff\xfe", "２０２４-05-01", "٢٠٢٤-05-01", "2024‐05‐01", "2024-05-0\u0661", "NaN", "null",
		"true", "'; drop table plays; --", "%", "2024-05-01,2024-05-02",
		strings.Repeat("9", 1+random.IntN(900)), strings.Repeat("é", 1+random.IntN(150)),
		"2024-05-01\r\nX: y", "now", "0x7E8-05-01", "1e3-01-01", "2024-05-1a",
	}
	pick := func(of []string) string { return url.QueryEscape(of[random.IntN(len(of))]) }
	switch random.IntN(8) {
	case 0:
		return "from=" + pick(bad) + "&to=" + pick(good)
	case 1:
		return "from=" + pick(good) + "&to=" + pick(bad)
	case 2:
		return "from=" + pick(bad) + "&to=" + pick(bad)
	case 3: // one is missing
		return []string{"from", "to"}[random.IntN(2)] + "=" + pick(good) +
			strings.Repeat("&x=1", random.IntN(5))
	case 4: // repeated
		again := []string{"from", "to", "%66rom", "t%6f", "groupId"}[random.IntN(5)] + "=" +
			pick(good)
		return "from=2024-05-01&to=2024-05-02&groupId=x&" + again
	case 5: // the wrong way round, or too long
		return []string{
			"from=2024-05-02&to=2024-05-01", "from=2023-01-01&to=2024-01-02",
			"from=2000-01-01&to=2199-12-31", "to=2000-01-01&from=2199-12-31",
		}[random.IntN(4)]
	case 6: // empty
		return "from=2024-05-01&to=2024-05-01&groupId" + []string{"", "="}[random.IntN(2)]
	}
	noise := make([]byte, 1+random.IntN(200))
	const signs = "frmto=&%-0129;+.\\\"'<>[]{}|^`~"
	for i := range noise {
		noise[i] = signs[random.IntN(len(signs))]
	}
	return string(noise)
}

// An invalid period is 400 ERR_VALIDATION, whatever it holds. The test runs alone, as above.
func TestMalformedQueries(t *testing.T) {
	w := start(t)
	a := newAttempt(t, w, rand.New(rand.NewPCG(71, 71)))
	random := rand.New(rand.NewPCG(71, 72))
	conn := w.wire(t)
	var before resources
	n := soak(10_000, 2_000)
	for i := range n {
		if i%100 == 0 {
			w.freeWindows(t)
		}
		if i == 200 {
			before = resourcesNow()
		}
		tail := []string{"/stats?", "/exports/csv?"}[random.IntN(2)]
		query := invalidQuery(random)
		got := conn.ask(http.MethodGet,
			line(http.MethodGet, "/api/v1/forks/"+a.fork+tail+query,
				"Authorization: "+a.authorization))
		require.Equal(t, http.StatusBadRequest, got.StatusCode, "%q", query)
		require.Equal(t, "ERR_VALIDATION", got.detail(t, query))
		require.NotEmpty(t, got.Header.Get("RateLimit"), "it reached the key: %q", query)
	}
	require.Empty(t, w.entries(t, a.mine.id), "no export was begun, no use refused")
	t.Logf("%d queries", n)
	before.requireKept(t, "malformed queries")
}
