package web_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/fixtures"
	"dg/web/internal/webtest"
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
		"own page": {http.Header{"Sec-Fetch-Site": {"same-origin"}}, true},
		"own page, both headers": {
			http.Header{"Sec-Fetch-Site": {"same-origin"}, "Origin": {url}}, true,
		},
		"own page, older browser":     {http.Header{"Origin": {url}}, true},
		"bookmark or reload":          {http.Header{"Sec-Fetch-Site": {"none"}}, true},
		"another site":                {http.Header{"Sec-Fetch-Site": {"cross-site"}}, false},
		"another site, older browser": {http.Header{"Origin": {"https://evil.example"}}, false},
		"same site, other origin":     {http.Header{"Sec-Fetch-Site": {"same-site"}}, false},
		"same host, other port":       {http.Header{"Origin": {"http://127.0.0.1:1"}}, false},
		"sandboxed page":              {http.Header{"Origin": {"null"}}, false},
		"both, in disagreement": {
			http.Header{"Sec-Fetch-Site": {"cross-site"}, "Origin": {url}}, false,
		},
		"unknown value":  {http.Header{"Sec-Fetch-Site": {"same-origin, cross-site"}}, false},
		"neither header": {http.Header{}, false},
		"Referer alone":  {http.Header{"Referer": {url + "/account"}}, false},
	}
}

func TestCrossOriginSignOutIsRejected(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	acme := w.Organisation("acme")
	for name, c := range senders(w.URL) {
		b := w.SignedIn(t, acme.Owner)
		p := b.Send(http.MethodPost, "/sign-out", "x=y", c.header)
		if c.taken {
			require.Equal(t, http.StatusSeeOther, p.StatusCode, name)
			require.Equal(t, "/sign-in", b.Get("/").Header.Get("Location"), name)
			continue
		}
		require.Equal(t, http.StatusForbidden, p.StatusCode, name)
		require.Contains(t, p.Body, "<h1>Nothing was changed</h1>", name)
		require.Equal(t, acme.At("/reports"), b.Get("/").Header.Get("Location"),
			"%s: the session goes on", name)
	}
	p := w.SignedIn(t, acme.Owner).Send(http.MethodPost, "/sign-out", "x=y", nil)
	require.Contains(t, p.Body, "Your browser did not say which site this form came from")
}

// Every form of every screen, from another site and without a header that says where it came from.
func TestCrossOriginFormsAreRejected(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	acme := w.Organisation("acme")
	b := w.SignedIn(t, acme.Admin)
	for _, path := range []string{
		"/sign-in", "/sign-in/code", "/sign-out", "/account", "/account/password",
		"/account/two-step", "/account/recovery-codes", "/account/reset",
		acme.At("/settings/api-keys/new"),
		acme.At("/settings/api-keys/AAAAAAAAAAAAAAAAAAAAAA/revoke"),
		acme.At("/settings/organisation/reporting-mode"),
	} {
		for _, header := range []http.Header{
			{"Sec-Fetch-Site": {"cross-site"}}, {"Sec-Fetch-Site": {"same-site"}}, {},
		} {
			p := b.Send(http.MethodPost, path, url.Values{"current": {fixtures.Password}}.Encode(),
				header)
			require.Equal(t, http.StatusForbidden, p.StatusCode, path)
			require.Regexp(t,
				"<h1>Nothing was changed</h1>.*(T|t)his form (was sent from another site|came from)",
				p.Body, path)
		}
		require.NotContains(t, b.Post(path, url.Values{"session": {"00"}}).Body, "this form", path)
		b = w.SignedIn(t, acme.Admin)
	}
}

// A session cookie is not sent with a form of another site, should a browser's headers ever fail.
func TestCookiesAreSameSiteLax(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	acme := w.Organisation("acme")
	cookies := w.Browser(t).Post("/sign-in", webtest.Credentials(acme.Owner)).Cookies()
	require.Len(t, cookies, 2)
	for _, c := range cookies {
		require.Equal(t, http.SameSiteLaxMode, c.SameSite, c.Name)
	}
}
