package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestShortPathRedirectsToTheOrganisation(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme, slash := w.organisation("acme"), w.organisation(`a/b "<c> é?#%`)

	anonymous := w.browser(t).get("/settings/api-keys")
	require.Equal(t, http.StatusSeeOther, anonymous.StatusCode)
	require.Equal(t, "/sign-in?next=%2Fsettings%2Fapi-keys", anonymous.Header.Get("Location"))

	for path, want := range map[string]string{"/": "/o/acme/reports", "/settings/audit-log": "/o/acme/settings/audit-log"} {
		require.Equal(t, want, w.signedIn(t, acme.owner).get(path).Header.Get("Location"))
	}
	require.Equal(t, "/account", w.signedIn(t, acme.member).get("/reports").Header.Get("Location"))
	require.Equal(t, slash.at("/reports"), w.signedIn(t, slash.owner).get("/").Header.Get("Location"))

	// A person of two organisations chooses.
	w.db.Join(acme.ID, slash.owner.ID, "admin")
	both := w.signedIn(t, slash.owner).get("/settings")
	require.Equal(t, http.StatusOK, both.StatusCode)
	require.Contains(t, both.body, `href="/o/acme/settings/api-keys"`)
	require.Contains(t, both.body, `href="`+slash.at("/settings/api-keys")+`"`)
}

// An organisation of others looks like an unknown one; members have no settings and no reports.
func TestForeignOrganisationIsNotFound(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme, other := w.organisation("acme"), w.organisation("other")
	unknown := w.signedIn(t, acme.owner).get("/o/nobody/reports")
	foreign := w.signedIn(t, acme.owner).get(other.at("/reports"))
	require.Equal(t, http.StatusNotFound, unknown.StatusCode)
	require.Equal(t, http.StatusNotFound, foreign.StatusCode)
	require.NotContains(t, foreign.body, other.Name)
	denied := w.signedIn(t, acme.member).get(acme.at("/reports"))
	require.Equal(t, http.StatusForbidden, denied.StatusCode)
	require.Contains(t, denied.body, "owners and admins")
}

func TestEveryPageHasSecurityHeaders(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	for _, path := range []string{"/settings", "/nowhere", acme.at("/nowhere")} {
		p := w.signedIn(t, acme.owner).get(path)
		policy := p.Header.Get("Content-Security-Policy")
		require.Contains(t, policy, "default-src 'none'", path)
		require.Contains(t, policy, "frame-ancestors 'none'", path)
		require.NotContains(t, policy, "unsafe", path)
		require.Equal(t, "DENY", p.Header.Get("X-Frame-Options"), path)
		require.Equal(t, "no-store", p.Header.Get("Cache-Control"), path)
		require.NotContains(t, p.body, "style=", path)
	}
}

// A failure is a page for people; the API and keys get the contract's body.
func TestErrorsArePagesInBrowsersOnly(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	b := w.signedIn(t, acme.owner)
	p := b.get("/nowhere")
	require.Equal(t, http.StatusNotFound, p.StatusCode)
	require.Contains(t, p.body, p.Header.Get("X-Request-Id"))
	for path, header := range map[string]http.Header{
		"/api/v1/nowhere": nil,
		"/nowhere":        {"Authorization": {"Bearer dg_live_x"}},
		"/elsewhere":      {"Authorization": {"Basic eA==", "Bearer dg_live_x"}},
		"/other":          {"Accept": {"application/json"}},
	} {
		p := b.send(http.MethodGet, path, "", header)
		require.True(t, strings.HasPrefix(p.body, `{"code":"not-found"`), "%s: %s", path, p.body)
	}
}

// Files may be kept for ever under the version of what they hold, and are checked again without it.
func TestStaticFilesAreCached(t *testing.T) {
	t.Parallel()
	w := start(t)
	b := w.browser(t)
	sheet := regexpFind(t, `href="(/static/dg\.css\?v=[0-9a-f]+)"`, b.get("/nowhere").body)
	kept := b.get(sheet)
	require.Equal(t, "text/css; charset=utf-8", kept.Header.Get("Content-Type"))
	require.Contains(t, kept.Header.Get("Cache-Control"), "immutable")
	plain := b.get("/static/dg.css?v=older")
	require.Equal(t, "no-cache", plain.Header.Get("Cache-Control"))
	again := b.send(http.MethodGet, "/static/dg.css", "", http.Header{"If-None-Match": {plain.Header.Get("ETag")}})
	require.Equal(t, http.StatusNotModified, again.StatusCode)
	require.Equal(t, http.StatusNotFound, b.get("/static/../site.go").StatusCode)
	require.Equal(t, http.StatusNotFound, b.get("/static/").StatusCode)
}

// A method that a screen does not have is 405 with the methods that it has; a path without a screen is 404. Neither is the
// refusal of a form, and only screens have the headers of screens.
func TestOtherMethodsAndPathsGetNoScreenHeaders(t *testing.T) {
	t.Parallel()
	w := start(t)
	b := w.browser(t)
	for _, c := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{"PUT", "/account", 405, "GET, HEAD, POST"},
		{"DELETE", "/", 405, "GET, HEAD"},
		{"POST", "/docs", 405, "GET, HEAD"},
		{"GET", "/sign-out", 405, "POST"},
		{"POST", "/static/dg.css", 405, "GET, HEAD"},
		{"OPTIONS", "/docs", 405, "GET, HEAD"},
		{"POST", "/nowhere", 404, ""},
	} {
		p := b.send(c.method, c.path, "", http.Header{"Accept": {"application/json"}})
		require.Equal(t, c.status, p.StatusCode, "%s %s: %s", c.method, c.path, p.body)
		require.Equal(t, c.allow, p.Header.Get("Allow"), "%s %s", c.method, c.path)
		require.Empty(t, p.Header.Get("Content-Security-Policy"), "%s %s", c.method, c.path)
		require.Equal(t, "nosniff", p.Header.Get("X-Content-Type-Options"), "%s %s", c.method, c.path)
	}
	for _, path := range []string{"/sign-in", "/static/dg.css", "/nowhere", "/account"} {
		require.Equal(t, "nosniff", b.get(path).Header.Get("X-Content-Type-Options"), path)
	}
}

// Requests without a sign-in are sampled in the access log.
func TestRequestsOfSignedInPeopleAreAllLogged(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner, nobody := w.signedIn(t, w.organisation("acme").owner), w.browser(t)
	for range 60 {
		require.Equal(t, http.StatusOK, owner.get("/account").StatusCode)
	}
	sent := 0
	for deadline := time.Now().Add(time.Minute); !strings.Contains(w.logged.String(), "unauthenticated or limited requests not logged"); sent++ {
		require.True(t, time.Now().Before(deadline), "all %d are logged", sent)
		require.Equal(t, http.StatusNotFound, nobody.get("/nowhere").StatusCode)
	}
	require.Equal(t, 60, strings.Count(w.logged.String(), "path=/account"))
	require.Less(t, strings.Count(w.logged.String(), "path=/nowhere"), sent)
}
