package publicapi_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit"
)

// parameter matches a parameter in a route's path.
var parameter = regexp.MustCompile(`:\w+\??|\*`)

// ledger has the expected audit entries of each request, by its id.
type ledger struct {
	*attempt
	expects map[string][]string
}

func newLedger(t *testing.T, w *world) ledger {
	t.Helper()
	return ledger{newAttempt(t, w), map[string][]string{}}
}

// ask sends a request with the headers, the key by default, and expects the entries.
func (l ledger) ask(
	t *testing.T, method, target string, entries []string, headers ...string,
) answer {
	t.Helper()
	id := fmt.Sprintf("request-%06d", len(l.expects))
	if l.expects[id] = entries; len(l.expects)%100 == 0 {
		l.w.freeWindows()
	}
	if headers == nil {
		headers = []string{"Authorization: " + l.authorization}
	}
	return l.w.wire(t, line(method, target, append(headers, "X-Request-Id: "+id)...))
}

// close requires the expected entries in the organisation's log, and none in others.
func (l ledger) close(t *testing.T) {
	t.Helper()
	recorded := testkit.One[map[string][]string](l.w.World,
		`select coalesce(json_object_agg(request_id, entries), '{}') from (
			select request_id, json_agg(concat_ws(' ', reason, method, path)) as entries
			  from audit_entries where org_id = $1 group by 1) r`, l.mine.id)
	require.Empty(t, l.w.entries(t, l.foreign.id))
	for id, entries := range l.expects {
		require.Equal(t, entries, recorded[id], id)
	}
}

func outsideAPI(method, path string) []string {
	return []string{"outside_api " + method + " " + path}
}

// specification, 4.5: each path outside /api/v1/* refuses an API key with 403: the routes of the
// program, of any method, and unknown paths. Each refusal is recorded once.
func TestEveryRouteOutsideRefusesKeys(t *testing.T) {
	t.Parallel()
	w := start(t)
	log := newLedger(t, w)
	routes := 0
	for _, r := range w.app.GetRoutes(true) {
		if strings.HasPrefix(r.Path, "/api/v1/") || r.Method == http.MethodConnect {
			continue
		}
		routes++
		route := parameter.ReplaceAllString(
			strings.Replace(r.Path, "/static/*", "/static/dg.css", 1), "x",
		)
		for _, path := range []string{route, route + "/x", strings.ToUpper(route), "/" + route} {
			if strings.HasPrefix(path, "/api/v1/") {
				continue
			}
			got := log.ask(t, r.Method, path+"?from=2024-05-01&to=2024-05-31",
				outsideAPI(r.Method, path))
			require.Equal(t, http.StatusForbidden, got.StatusCode, "%s %s", r.Method, path)
			if detail := got.detail(t, path); r.Method != http.MethodHead {
				require.Equal(t, "ERR_ACCESS_DENIED", detail)
			}
		}
		without := log.ask(t, r.Method, route, nil, "X-No: key")
		require.NotEqual(t, http.StatusMethodNotAllowed, without.StatusCode,
			"without a key, the route is there: %s %s", r.Method, r.Path)
	}
	log.close(t)
	require.Greater(t, routes, 15)
}

// rules.md, Order of checks: encoded slashes, dot segments, double slashes, other cases and a
// missing slash lead neither into the API nor out of it. No client library normalises these paths.
func TestPathTricksDoNotReachTheAPI(t *testing.T) {
	t.Parallel()
	log := newLedger(t, start(t))
	tail := "forks/" + log.fork + "/stats"
	for _, path := range []string{
		"/", "//", "/openapi/v1.json", "/nowhere", "/API/v1/" + tail, "/api/V1/" + tail,
		"/api/v1extra", "/api/v1extra/" + tail, "/api/v1", "//api/v1/" + tail, "/api//v1/" + tail,
		"/api/v1//" + tail, "/api%2Fv1/" + tail, "/api%2fv1%2f" + tail, "/api/v1%2F" + tail,
		"/%61pi/v1/" + tail, "/./api/v1/" + tail, "/x/../api/v1/" + tail,
		"/x/%2e%2e/api/v1/" + tail, "/api/./v1/" + tail, "/api\\v1\\" + tail, "/\\api/v1/" + tail,
		"/api/v1;/" + tail, "/api/v1\xc0\xaf" + tail, "/%2fapi/v1/" + tail,
		"/%2Fapi%2Fv1%2F" + tail, "/x/api/v1/" + tail, "//x/api/v1/" + tail + "?u=http://y/",
		"////x/api/v1/" + tail + "?://", "//api/v1/" + tail + "?u=http://y/",
		"//x/api/v1/http://y/" + tail,
	} {
		for _, method := range []string{
			"GET", "HEAD", "OPTIONS", "TRACE", "POST", "PUT", "PATCH", "DELETE",
		} {
			inside := strings.HasPrefix(path, "/api/v1/")
			sent, query, _ := strings.Cut(path, "?")
			var entries []string
			if !inside {
				entries = outsideAPI(method, strings.ToValidUTF8(sent, "\uFFFD"))
			}
			got := log.ask(t, method, sent+"?"+log.query+"&"+query, entries)
			status := map[bool]int{true: http.StatusNotFound, false: http.StatusForbidden}[inside]
			require.Equal(t, status, got.StatusCode, "%s %s: %s", method, path, got.body)
			got.detail(t, path)
		}
		without := log.ask(t, "GET", path, nil, "X-No: key")
		if path != "/" && path != "/openapi/v1.json" {
			require.Contains(t, []int{401, 404}, without.StatusCode, path)
		}
	}
	got := log.ask(t, "OPTIONS", "*", outsideAPI("OPTIONS", "*"))
	require.Equal(t, http.StatusForbidden, got.StatusCode)
	for path, status := range map[string]int{
		"/api/v1/../healthz":             404,
		"/api/v1/%2e%2e/healthz":         404,
		"/api/v1/":                       404,
		"/api/v1/forks/":                 404,
		"/api/v1/forks/../../../healthz": 404,
		"/api/v1/forks%2F" + log.fork:    404,
		"/api/v1/Forks":                  404,
		"/api/v1/forks/..":               403,
		"/api/v1/" + tail + "/":          404,
		"/api/v1/" + tail + "%2f":        404,
		"/api/v1/" + tail + "%00":        404,
		"/api/v1/" + tail:                200,
	} {
		var entries []string
		// the path of a fork: this key may read reports only
		if status == http.StatusForbidden {
			entries = []string{"insufficient_scope GET " + path}
		}
		got := log.ask(t, "GET", path+"?"+log.query, entries)
		require.Equal(t, status, got.StatusCode, "%s: %s", path, got.body)
	}
	for _, target := range []string{"dg.example:443", "/" + tail, "/api/v1/" + tail} {
		got := log.ask(t, "CONNECT", target, nil)
		require.Equal(t, http.StatusNotImplemented, got.StatusCode,
			"CONNECT has no path")
		require.Equal(t, "ERR_METHOD_NOT_ALLOWED", got.detail(t, target))
	}
	log.close(t)
	for target, status := range map[string]int{ // without Host
		"/api/v1/" + tail: 200, "//x/api/v1/" + tail: 403, "//api/v1/" + tail: 403,
		"x//y/api/v1/" + tail: 400,
	} {
		got := log.w.wire(t, "GET "+target+"?"+log.query+" HTTP/1.0\r\nAuthorization: "+
			log.authorization+"\r\n\r\n")
		require.Equal(t, status, got.StatusCode, "%s: %s", target, got.body)
	}
}

// rules.md, Order of checks, 1: outside the API, a key in any Authorization header is refused and
// recorded once. TestChallengeSaysWhetherATokenWasSent has two headers inside.
func TestKeyInAnyHeaderIsRefusedOutside(t *testing.T) {
	t.Parallel()
	log := newLedger(t, start(t))
	const basic = "Authorization: Basic eDp5"
	key := "Authorization: " + log.authorization
	for _, headers := range [][]string{
		{key, basic}, {basic, basic, key}, {key, key}, {"Authorization: Basic dg_live_x", key},
		{strings.ToLower(key[:13]) + key[13:], "AUTHORIZATION: x"}, {"Authorization:", key},
	} {
		got := log.ask(t, "GET", "/healthz", outsideAPI("GET", "/healthz"), headers...)
		require.Equal(t, http.StatusForbidden, got.StatusCode, "%s", headers)
	}
	for header, entries := range map[string][]string{
		"Bearer dg_live_short":         nil, // not recorded: the key is unknown
		"Basic " + log.token.String():  outsideAPI("GET", "/healthz"),
		log.token.String()[:40] + " x": outsideAPI("GET", "/healthz"),
	} {
		got := log.ask(t, "GET", "/healthz", entries, "Authorization: "+header)
		require.Equal(t, http.StatusForbidden, got.StatusCode, header)
	}
	log.close(t)
}

// rules.md, Order of checks: an absolute-form target is answered and recorded like its origin form.
func TestAbsoluteFormIsAnsweredLikeOriginForm(t *testing.T) {
	t.Parallel()
	log := newLedger(t, start(t))
	report := "/api/v1/forks/" + log.fork + "/stats"
	for origin, entries := range map[string][]string{
		report + "?" + log.query + "&u=http://x/y": nil,
		"/api/v1/forks":                {"insufficient_scope GET /api/v1/forks"},
		"//api/v1/forks":               outsideAPI("GET", "//api/v1/forks"),
		"/healthz":                     outsideAPI("GET", "/healthz"),
		"/?u=http://evil/api/v1/forks": outsideAPI("GET", "/"),
		"/x/http://evil/api/v1/forks":  outsideAPI("GET", "/x/http://evil/api/v1/forks"),
	} {
		want := log.ask(t, "GET", origin, entries)
		for _, before := range []string{"http://evil", "HTTP://DG.example:8080", "http://[::1]:80"} {
			got := log.ask(t, "GET", before+origin, entries)
			require.Equal(t, want.StatusCode, got.StatusCode, "%s%s: %s", before, origin, got.body)
			require.Equal(t, want.body, got.body, before+origin)
		}
		got := log.ask(t, "GET", "http://evil"+origin, nil, "X-No: key")
		without := log.ask(t, "GET", origin, nil, "X-No: key")
		require.Equal(t, without.StatusCode, got.StatusCode, origin)
	}
	log.close(t)
}

// rules.md, Order of checks, 5: inside the API a method other than GET and HEAD is 405 with Allow
// on an endpoint, and 404 elsewhere, after authentication. The screens' check of browser headers
// does not apply.
func TestOtherMethodsInsideAreNotAllowed(t *testing.T) {
	t.Parallel()
	w := start(t)
	a := newAttempt(t, w)
	fork := "/api/v1/forks/" + a.fork
	for path, status := range map[string]int{
		"/api/v1/forks": 405, fork: 405, fork + "/stats": 405, fork + "/exports/csv": 405,
		"/api/v1/": 404, "/api/v1/x": 404, "/api/v1/sign-in": 404, "/api/v1/o/x/reports": 404,
	} {
		for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "TRACE", "OPTIONS"} {
			const browser = "Sec-Fetch-Site: cross-site"
			got := w.wire(t, line(method, path, "Authorization: "+a.authorization, browser))
			require.Equal(t, status, got.StatusCode, "%s %s: %s", method, path, got.body)
			require.Equal(t, status == 405, got.Header.Get("Allow") == "GET, HEAD")
			require.Empty(t, screenHeaders(got.Header), "%s %s", method, path)
			got = w.wire(t, line(method, path, browser))
			require.Equal(t, 401, got.StatusCode, "authentication comes first")
		}
	}
}
