package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/web/internal/webtest"
)

func TestShortPathRedirectsToTheOrganisation(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	acme := w.Organisation("acme")
	slash := w.Organisation(`a/b "<c> é?#%`)

	anonymous := w.Browser(t).Get("/settings/api-keys")
	require.Equal(t, http.StatusSeeOther, anonymous.StatusCode)
	require.Equal(t, "/sign-in?next=%2Fsettings%2Fapi-keys", anonymous.Header.Get("Location"))

	for path, want := range map[string]string{
		"/":                   "/o/acme/reports",
		"/settings/audit-log": "/o/acme/settings/audit-log",
	} {
		require.Equal(t, want, w.SignedIn(t, acme.Owner).Get(path).Header.Get("Location"))
	}
	require.Equal(t, "/account", w.SignedIn(t, acme.Member).Get("/reports").Header.Get("Location"))
	require.Equal(t, slash.At("/reports"),
		w.SignedIn(t, slash.Owner).Get("/").Header.Get("Location"))

	// A person of two organisations chooses.
	w.DB.Join(acme.ID, slash.Owner.ID, "admin")
	both := w.SignedIn(t, slash.Owner).Get("/settings")
	require.Equal(t, http.StatusOK, both.StatusCode)
	require.Contains(t, both.Body, `href="/o/acme/settings/api-keys"`)
	require.Contains(t, both.Body, `href="`+slash.At("/settings/api-keys")+`"`)
}

func TestEveryPageHasSecurityHeaders(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	acme := w.Organisation("acme")
	for _, path := range []string{"/settings", "/nowhere", acme.At("/nowhere")} {
		p := w.SignedIn(t, acme.Owner).Get(path)
		policy := p.Header.Get("Content-Security-Policy")
		require.Contains(t, policy, "default-src 'none'", path)
		require.Contains(t, policy, "frame-ancestors 'none'", path)
		require.NotContains(t, policy, "unsafe", path)
		require.Equal(t, "DENY", p.Header.Get("X-Frame-Options"), path)
		require.Equal(t, "no-store", p.Header.Get("Cache-Control"), path)
		require.NotContains(t, p.Body, "style=", path)
	}
}

// A failure is a page for people; the API and keys get the contract's body.
func TestErrorsArePagesInBrowsersOnly(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	acme := w.Organisation("acme")
	b := w.SignedIn(t, acme.Owner)
	p := b.Get("/nowhere")
	require.Equal(t, http.StatusNotFound, p.StatusCode)
	require.Contains(t, p.Body, p.Header.Get("X-Request-Id"))
	for path, header := range map[string]http.Header{
		"/api/v1/nowhere": nil,
		"/nowhere":        {"Authorization": {"Bearer dg_live_x"}},
		"/elsewhere":      {"Authorization": {"Basic eA==", "Bearer dg_live_x"}},
		"/other":          {"Accept": {"application/json"}},
	} {
		p := b.Send(http.MethodGet, path, "", header)
		require.True(t, strings.HasPrefix(p.Body, `{"code":"not-found"`), "%s: %s", path, p.Body)
	}
}

// Files may be kept for ever under the version of what they hold, and are checked again without it.
func TestStaticFilesAreCached(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	b := w.Browser(t)
	sheet := webtest.RegexpFind(t, `href="(/static/dg\.css\?v=[0-9a-f]+)"`, b.Get("/nowhere").Body)
	kept := b.Get(sheet)
	require.Equal(t, "text/css; charset=utf-8", kept.Header.Get("Content-Type"))
	require.Contains(t, kept.Header.Get("Cache-Control"), "immutable")
	plain := b.Get("/static/dg.css?v=older")
	require.Equal(t, "no-cache", plain.Header.Get("Cache-Control"))
	again := b.Send(http.MethodGet, "/static/dg.css", "",
		http.Header{"If-None-Match": {plain.Header.Get("ETag")}})
	require.Equal(t, http.StatusNotModified, again.StatusCode)
	require.Equal(t, http.StatusNotFound, b.Get("/static/../site.go").StatusCode)
	require.Equal(t, http.StatusNotFound, b.Get("/static/").StatusCode)
}

// A method that a screen does not have is 405 with the methods that it has; a path without a screen
// is 404. Neither is the refusal of a form, and only screens have the headers of screens.
func TestOtherMethodsAndPathsGetNoScreenHeaders(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	b := w.Browser(t)
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
		p := b.Send(c.method, c.path, "", http.Header{"Accept": {"application/json"}})
		require.Equal(t, c.status, p.StatusCode, "%s %s: %s", c.method, c.path, p.Body)
		require.Equal(t, c.allow, p.Header.Get("Allow"), "%s %s", c.method, c.path)
		require.Empty(t, p.Header.Get("Content-Security-Policy"), "%s %s", c.method, c.path)
		require.Equal(t, "nosniff", p.Header.Get("X-Content-Type-Options"), "%s %s", c.method,
			c.path)
	}
	for _, path := range []string{"/sign-in", "/static/dg.css", "/nowhere", "/account"} {
		require.Equal(t, "nosniff", b.Get(path).Header.Get("X-Content-Type-Options"), path)
	}
}

// Requests without a sign-in are sampled in the access log.
func TestRequestsOfSignedInPeopleAreAllLogged(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	owner := w.SignedIn(t, w.Organisation("acme").Owner)
	nobody := w.Browser(t)
	for range 60 {
		require.Equal(t, http.StatusOK, owner.Get("/account").StatusCode)
	}
	sent := 0
	for deadline := time.Now().
		Add(time.Minute); !strings.Contains(w.Logged.String(),
		"unauthenticated or limited requests not logged"); sent++ {
		require.True(t, time.Now().Before(deadline), "all %d are logged", sent)
		require.Equal(t, http.StatusNotFound, nobody.Get("/nowhere").StatusCode)
	}
	require.Equal(t, 60, strings.Count(w.Logged.String(), "path=/account"))
	require.Less(t, strings.Count(w.Logged.String(), "path=/nowhere"), sent)
}
