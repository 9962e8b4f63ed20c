package web_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/fixtures"
)

// senders are the headers of a form by the page that it was sent from, and whether it is taken.
func senders(url string) map[string]struct {
	header http.Header
	taken  bool
} {
	return map[string]struct {
		header http.Header
		taken  bool
	}{
		"own page":                    {http.Header{"Sec-Fetch-Site": {"same-origin"}}, true},
		"own page, both headers":      {http.Header{"Sec-Fetch-Site": {"same-origin"}, "Origin": {url}}, true},
		"own page, older browser":     {http.Header{"Origin": {url}}, true},
		"bookmark or reload":          {http.Header{"Sec-Fetch-Site": {"none"}}, true},
		"another site":                {http.Header{"Sec-Fetch-Site": {"cross-site"}}, false},
		"another site, older browser": {http.Header{"Origin": {"https://evil.example"}}, false},
		"same site, other origin":     {http.Header{"Sec-Fetch-Site": {"same-site"}}, false},
		"same host, other port":       {http.Header{"Origin": {"http://127.0.0.1:1"}}, false},
		"sandboxed page":              {http.Header{"Origin": {"null"}}, false},
		"both, in disagreement":       {http.Header{"Sec-Fetch-Site": {"cross-site"}, "Origin": {url}}, false},
		"unknown value":               {http.Header{"Sec-Fetch-Site": {"same-origin, cross-site"}}, false},
		"neither header":              {http.Header{}, false},
		"Referer alone":               {http.Header{"Referer": {url + "/account"}}, false},
	}
}

func TestCrossOriginSignOutIsRejected(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	for name, c := range senders(w.url) {
		b := w.signedIn(t, acme.owner)
		p := b.send(http.MethodPost, "/sign-out", "x=y", c.header)
		if c.taken {
			require.Equal(t, http.StatusSeeOther, p.StatusCode, name)
			require.Equal(t, "/sign-in", b.get("/").Header.Get("Location"), name)
			continue
		}
		require.Equal(t, http.StatusForbidden, p.StatusCode, name)
		require.Contains(t, p.body, "<h1>Nothing was changed</h1>", name)
		require.Equal(t, acme.at("/reports"), b.get("/").Header.Get("Location"), "%s: the session goes on", name)
	}
	p := w.signedIn(t, acme.owner).send(http.MethodPost, "/sign-out", "x=y", nil)
	require.Contains(t, p.body, "Your browser did not say which site this form came from")
}

func TestCrossOriginSignInIsRejected(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	for name, c := range senders(w.url) {
		b := w.browser(t)
		p := b.send(http.MethodPost, "/sign-in", credentials(acme.owner).Encode(), c.header)
		if c.taken {
			require.Equal(t, http.StatusSeeOther, p.StatusCode, name)
			require.NotEmpty(t, b.cookies["__Host-dg"], name)
			continue
		}
		require.Equal(t, http.StatusForbidden, p.StatusCode, name)
		require.Empty(t, b.cookies, name)
	}
}

// Every form of every screen, from another site and without a header that says where it came from.
func TestCrossOriginFormsAreRejected(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	b := w.signedIn(t, acme.admin)
	for _, path := range []string{
		"/sign-in", "/sign-in/code", "/sign-out", "/account", "/account/password", "/account/two-step", "/account/recovery-codes", "/account/reset",
		acme.at("/settings/api-keys/new"), acme.at("/settings/api-keys/AAAAAAAAAAAAAAAAAAAAAA/revoke"), acme.at("/settings/organisation/reporting-mode"),
	} {
		for _, header := range []http.Header{{"Sec-Fetch-Site": {"cross-site"}}, {"Sec-Fetch-Site": {"same-site"}}, {}} {
			p := b.send(http.MethodPost, path, url.Values{"current": {fixtures.Password}}.Encode(), header)
			require.Equal(t, http.StatusForbidden, p.StatusCode, path)
			require.Regexp(t, "<h1>Nothing was changed</h1>.*(T|t)his form (was sent from another site|came from)", p.body, path)
		}
		require.NotContains(t, b.post(path, url.Values{"session": {"00"}}).body, "this form", path)
		b = w.signedIn(t, acme.admin)
	}
}

// A session cookie is not sent with a form of another site, should a browser's headers ever fail.
func TestCookiesAreSameSiteLax(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	cookies := w.browser(t).post("/sign-in", credentials(acme.owner)).Cookies()
	require.Len(t, cookies, 2)
	for _, c := range cookies {
		require.Equal(t, http.SameSiteLaxMode, c.SameSite, c.Name)
	}
}
