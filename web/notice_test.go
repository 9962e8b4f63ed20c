package web_test

import (
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/platform/testkit/fixtures"
	"dg/web/internal/webtest"
)

// Each change is confirmed by the next page, once.
func TestEveryChangeIsConfirmedOnce(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	acme := w.Organisation("acme")
	key := func(below string) string {
		return acme.At("/settings/api-keys/%s",
			w.NewKey(t, acme, "BI & co", apikeys.ReportsRead).ID) + below
	}
	mode := acme.At("/settings/organisation/reporting-mode")
	const replacement = "battery horse staple"
	for _, c := range []struct {
		path string
		form url.Values
		says string
	}{
		{
			key("/revoke"), url.Values{},
			"BI & co has been revoked. Requests with this key are now refused.",
		},
		{
			key("/rename"), url.Values{
				"name": {"Warehouse"},
			}, "Key renamed. Its secret, scopes and expiry are the same.",
		},
		{
			mode, url.Values{
				"mode": {"pseudonymous"},
			}, "Nothing was changed. The reporting mode is the same.",
		},
		{
			mode, webtest.ToNominative(acme),
			"Reporting mode changed. Reports, exports and the API now show names.",
		},
		{
			mode, url.Values{
				"mode": {"pseudonymous"},
			}, "Reporting mode changed. Reports, exports and the API no longer show names.",
		},
		{
			"/account", url.Values{
				"session": {hex.EncodeToString(make([]byte, 32))},
			}, "Session ended. Its browser has to sign in again.",
		},
		{
			"/account", url.Values{"region": {"de-CH"}},
			"Region saved. Numbers and dates are written as in this region: Switzerland (German).",
		},
		{
			"/account", url.Values{
				"region": {""},
			}, "Region saved. Numbers and dates are as your browser’s region writes them.",
		},
		{
			"/account/password", url.Values{
				"current": {fixtures.Password}, "new": {replacement}, "repeat": {replacement},
			}, "Password changed. Your other sessions have ended.",
		},
	} {
		b := w.SignedIn(t, acme.Owner)
		next := b.Post(c.path, c.form)
		require.Equal(t, http.StatusSeeOther, next.StatusCode, "%s: %s", c.path, next.Body)
		shown := b.Get(next.Header.Get("Location"))
		require.Equal(t, c.says, webtest.Trimmed(shown.Notes(t)[0]))
		require.Contains(t, shown.Body, `<div class="note" role="status">`)
		require.NotContains(t, b.Get(next.Header.Get("Location")).Body,
			`<div class="note" role="status">`, "once")
	}
	b := w.SignedIn(t, acme.Member)
	out := b.Post("/sign-out", url.Values{})
	require.Contains(t, b.Get(out.Header.Get("Location")).Body,
		`<div class="note" role="status"><div><strong>You have signed out.</strong>`)
}

// Nothing but a change of this site is confirmed, and a text is never markup.
func TestNoticeOfElsewhereIsNotShown(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	acme := w.Organisation("acme")
	b := w.SignedIn(t, acme.Owner)
	for _, text := range []string{
		"", "x", "{}", "null", `{"Strong":""}`, `{"Strong":5}`, strings.Repeat("x", 3000),
		`{"Strong":"S`,
	} {
		b.Cookies["__Host-dg-notice"] = base64.RawURLEncoding.EncodeToString([]byte(text))
		p := b.Get("/account?notice=changed")
		require.Equal(t, http.StatusOK, p.StatusCode)
		require.NotContains(t, p.Body, `role="status"><div>`, text)
	}
	b.Cookies["__Host-dg-notice"] = base64.RawURLEncoding.EncodeToString(
		[]byte(`{"Strong":"<b>","Kind":"bad","Action":"Go","ActionPath":"//evil.example"}`),
	)
	p := b.Get("/account")
	require.Contains(t, p.Body,
		`<div class="note" role="status"><div><strong>&lt;b&gt;</strong></div></div>`)
	require.NotContains(t, p.Body, "evil.example")
}
