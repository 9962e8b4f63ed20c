package web_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/web/internal/webtest"
)

// A form is accepted from pages of this site alone. Older browsers name their page in Origin. A
// session that was signed out has ended, whatever the browser keeps.
func TestCrossOriginSignOutIsRejected(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
	for _, header := range []http.Header{
		{"Sec-Fetch-Site": {"same-origin"}},
		{"Sec-Fetch-Site": {"same-origin"}, "Origin": {w.URL}},
		{"Sec-Fetch-Site": {"none"}}, // a bookmark or a reload
		{"Origin": {w.URL}},
	} {
		b := w.SignedIn(t, acme.Owner)
		kept := b.Cookies["__Host-dg"]
		b.Send(http.MethodPost, "/sign-out", "x=y", header).Is(t, 303)
		require.NotContains(t, b.Cookies, "__Host-dg")
		b.Cookies["__Host-dg"] = kept
		webtest.RequireRedirect(t, "/sign-in", b.Get("/"))
	}
	b := w.SignedIn(t, acme.Owner)
	for _, header := range []http.Header{
		{"Sec-Fetch-Site": {"cross-site"}},
		{"Sec-Fetch-Site": {"same-site"}},
		{"Sec-Fetch-Site": {"cross-site"}, "Origin": {w.URL}},
		{"Sec-Fetch-Site": {"same-origin, cross-site"}},
		{"Origin": {"https://evil.example"}},
		{"Origin": {"http://127.0.0.1:1"}},
		{"Origin": {"null"}}, // a sandboxed page
		{"Referer": {w.URL + "/account"}},
		{},
	} {
		p := b.Send(http.MethodPost, "/sign-out", "x=y", header)
		p.Is(t, 403).Has(t, "<h1>Nothing was changed</h1>")
		webtest.RequireRedirect(t, acme.At("/reports"), b.Get("/"))
	}
	b.Send(http.MethodPost, "/sign-out", "x=y", nil).Has(t,
		"Your browser did not say which site this form came from")
}

// Each form is refused from another site, and without a header that names its site.
func TestCrossOriginFormsAreRejected(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
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
			p := b.Send(http.MethodPost, path, "current=x", header).Is(t, 403)
			require.Regexp(t,
				"<h1>Nothing was changed</h1>.*(T|t)his form (was sent from another site|came from)",
				p.Body, path)
		}
		b.Post(path, url.Values{"a": {"b"}}).Lacks(t, "this form")
		b = w.SignedIn(t, acme.Admin)
	}
}
