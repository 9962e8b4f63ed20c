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

var routeParameterPattern = regexp.MustCompile(`:\w+\??|\*`)

// sendExpecting sends a request with the headers (by default the key), and adds the entries to those that
// requireEntries expects. Errors of requests with the key must be in errors.yaml.
func (a *attempt) sendExpecting(method, target string, entries []string, headers ...string) testkit.Page {
	id := fmt.Sprintf("request-%06d", len(a.expectedEntries))
	if a.expectedEntries[id] = entries; len(a.expectedEntries)%100 == 0 {
		a.w.Exec(`delete from api_key_windows`)
	}
	if headers != nil {
		return a.w.sendRaw(a.t, requestText(method, target, append(headers, "X-Request-Id: "+id)...))
	}
	page := a.w.sendRaw(a.t, requestText(method, target, "Authorization: "+a.authorization, "X-Request-Id: "+id))
	require.Equal(a.t, "nosniff", page.Header.Get("X-Content-Type-Options"), target)
	if method == http.MethodHead {
		require.Empty(a.t, page.Body, target)
	} else if page.StatusCode >= 400 {
		checkError(a.t, page)
	}
	return page
}

// requireEntries requires the expected entries in the organisation's log, and none in the other's.
func (a *attempt) requireEntries() {
	recorded := testkit.Query[map[string][]string](a.w.World,
		`select coalesce(json_object_agg(request_id, entries), '{}') from (
			select request_id, json_agg(concat_ws(' ', reason, method, path)) as entries
			  from audit_entries where org_id = $1 group by 1) r`, a.own.id)
	require.Empty(a.t, a.w.entries(a.t, a.foreign.id))
	for id, entries := range a.expectedEntries {
		require.Equal(a.t, entries, recorded[id], id)
	}
}

func outsideAPIEntries(method, path string) []string {
	return []string{"outside_api " + method + " " + path}
}

// Every route and path outside /api/v1/* refuses an API key with 403, and records the refusal once.
func TestEveryRouteOutsideRefusesKeys(t *testing.T) {
	w := start(t)
	a := newAttempt(t, w)
	routes := 0
	for _, r := range w.app.GetRoutes(true) {
		if strings.HasPrefix(r.Path, "/api/v1/") || r.Method == http.MethodConnect {
			continue
		}
		routes++
		route := routeParameterPattern.ReplaceAllString(strings.Replace(r.Path, "/static/*", "/static/dg.css", 1), "x")
		for _, path := range []string{route, route + "/x", strings.ToUpper(route), "/" + route} {
			if strings.HasPrefix(path, "/api/v1/") {
				continue
			}
			a.sendExpecting(r.Method, path+"?from=2024-05-01&to=2024-05-31", outsideAPIEntries(r.Method, path)).
				Is(t, http.StatusForbidden)
		}
		withoutKey := a.sendExpecting(r.Method, route, nil, "X-No: key")
		require.NotEqual(t, http.StatusMethodNotAllowed, withoutKey.StatusCode,
			"without a key, the route is there: %s %s", r.Method, r.Path)
	}
	a.requireEntries()
	require.Greater(t, routes, 15)
}

// rules.md, Order of checks: no trick with slashes, dots or case leads into or out of the API.
func TestPathTricksDoNotReachTheAPI(t *testing.T) {
	a := newAttempt(t, start(t))
	tail := "forks/" + a.fork + "/stats"
	for _, path := range []string{
		"/", "//", "/openapi/v1.json", "/nowhere", "/API/v1/" + tail, "/api/v1extra/" + tail, "/api/v1",
		"//api/v1/" + tail, "/api//v1/" + tail, "/api/v1//" + tail, "/api%2Fv1/" + tail, "/api/v1%2F" + tail,
		"/%61pi/v1/" + tail, "/./api/v1/" + tail, "/x/../api/v1/" + tail, "/x/%2e%2e/api/v1/" + tail,
		"/api\\v1\\" + tail, "/\\api/v1/" + tail, "/api/v1;/" + tail, "/api/v1\xc0\xaf" + tail,
		"/%2Fapi%2Fv1%2F" + tail, "/x/api/v1/" + tail, "//x/api/v1/" + tail + "?u=http://y/",
		"////x/api/v1/" + tail + "?://", "//x/api/v1/http://y/" + tail,
	} {
		for _, method := range []string{"GET", "HEAD", "OPTIONS", "TRACE", "POST", "PUT", "PATCH", "DELETE"} {
			inside := strings.HasPrefix(path, "/api/v1/")
			target, query, _ := strings.Cut(path, "?")
			var entries []string
			if !inside {
				entries = outsideAPIEntries(method, strings.ToValidUTF8(target, "\uFFFD"))
			}
			a.sendExpecting(method, target+"?"+a.query+"&"+query, entries).
				Is(t, map[bool]int{true: http.StatusNotFound, false: http.StatusForbidden}[inside])
		}
		withoutKey := a.sendExpecting("GET", path, nil, "X-No: key")
		if path != "/" && path != "/openapi/v1.json" {
			require.Contains(t, []int{401, 404}, withoutKey.StatusCode, path)
		}
	}
	a.sendExpecting("OPTIONS", "*", outsideAPIEntries("OPTIONS", "*")).Is(t, http.StatusForbidden)
	for path, status := range map[string]int{
		"/api/v1/../healthz": 404, "/api/v1/%2e%2e/healthz": 404, "/api/v1/": 404, "/api/v1/forks/": 404,
		"/api/v1/forks/../../../healthz": 404, "/api/v1/forks%2F" + a.fork: 404, "/api/v1/Forks": 404,
		"/api/v1/forks/..": 403, "/api/v1/" + tail + "/": 404, "/api/v1/" + tail + "%2f": 404,
		"/api/v1/" + tail + "%00": 404, "/api/v1/" + tail: 200,
	} {
		var entries []string
		// this path is a fork's, and the key may read reports only
		if status == http.StatusForbidden {
			entries = []string{"insufficient_scope GET " + path}
		}
		a.sendExpecting("GET", path+"?"+a.query, entries).Is(t, status)
	}
	for _, target := range []string{"dg.example:443", "/" + tail, "/api/v1/" + tail} {
		a.sendExpecting("CONNECT", target, nil).Is(t, http.StatusNotImplemented)
	}
	a.requireEntries()
	for target, status := range map[string]int{ // these requests have no Host header
		"/api/v1/" + tail: 200, "//x/api/v1/" + tail: 403, "//api/v1/" + tail: 403,
		"x//y/api/v1/" + tail: 400,
	} {
		a.w.sendRaw(t, "GET "+target+"?"+a.query+" HTTP/1.0\r\nAuthorization: "+
			a.authorization+"\r\n\r\n").Is(t, status)
	}
}

// rules.md, Order of checks, 1: outside the API, a key in any Authorization header is refused and recorded once.
func TestKeyInAnyHeaderIsRefusedOutside(t *testing.T) {
	a := newAttempt(t, start(t))
	const basic = "Authorization: Basic eDp5"
	key := "Authorization: " + a.authorization
	for _, headers := range [][]string{
		{key, basic}, {basic, basic, key}, {key, key}, {"Authorization: Basic dg_live_x", key},
		{strings.ToLower(key[:13]) + key[13:], "AUTHORIZATION: x"}, {"Authorization:", key},
		{"Authorization: Basic " + a.key.Token()},
		{"Authorization: " + a.key.Token()[:40] + " x"},
		{"Authorization: Bearer dg_live_short"}, // not recorded: the key is unknown
		{"Authorization: Bearer dg_live_0123456789ABCDEFGHIJKL_short"},
	} {
		entries := outsideAPIEntries("GET", "/healthz")
		if strings.HasSuffix(headers[0], "short") {
			entries = nil
		}
		a.sendExpecting("GET", "/healthz", entries, headers...).Is(t, http.StatusForbidden)
	}
	a.requireEntries()
}

// rules.md, Order of checks: an absolute-form target is answered and recorded like its origin form.
func TestAbsoluteFormEqualsOriginForm(t *testing.T) {
	a := newAttempt(t, start(t))
	report := "/api/v1/forks/" + a.fork + "/stats"
	for origin, entries := range map[string][]string{
		report + "?" + a.query + "&u=http://x/y": nil,
		"/api/v1/forks":                          {"insufficient_scope GET /api/v1/forks"},
		"//api/v1/forks":                         outsideAPIEntries("GET", "//api/v1/forks"),
		"/healthz":                               outsideAPIEntries("GET", "/healthz"),
		"/?u=http://evil/api/v1/forks":           outsideAPIEntries("GET", "/"),
		"/x/http://evil/api/v1/forks":            outsideAPIEntries("GET", "/x/http://evil/api/v1/forks"),
	} {
		want := a.sendExpecting("GET", origin, entries)
		for _, authority := range []string{"http://evil", "HTTP://DG.example:8080", "http://[::1]:80"} {
			page := a.sendExpecting("GET", authority+origin, entries).Is(t, want.StatusCode)
			require.Equal(t, want.Body, page.Body, authority+origin)
		}
		withoutKey := a.sendExpecting("GET", origin, nil, "X-No: key")
		a.sendExpecting("GET", "http://evil"+origin, nil, "X-No: key").Is(t, withoutKey.StatusCode)
	}
	a.requireEntries()
}

// rules.md, Order of checks, 5: a method other than GET and HEAD gets 405 on an endpoint, and 404 elsewhere.
func TestOtherMethodsInsideAreNotAllowed(t *testing.T) {
	a := newAttempt(t, start(t))
	statuses := map[string]int{"/api/v1/": 404, "/api/v1/x": 404, "/api/v1/sign-in": 404, "/api/v1/o/x/reports": 404}
	for path := range documentedScopes(t, "") {
		statuses[strings.Replace(path, "{forkId}", a.fork, 1)] = 405
	}
	for path, status := range statuses {
		for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "TRACE", "OPTIONS"} {
			const browser = "Sec-Fetch-Site: cross-site"
			page := a.w.sendRaw(t, requestText(method, path, "Authorization: "+a.authorization, browser)).Is(t, status)
			require.Equal(t, status == 405, page.Header.Get("Allow") == "GET, HEAD")
			require.Empty(t, screenHeaders(page.Header), "%s %s", method, path)
			a.w.sendRaw(t, requestText(method, path, browser)).Is(t, 401) // authentication comes first
		}
	}
}
