package web_test

import (
	"encoding/base64"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/platform/testkit"
	"dg/web/internal/webtest"
)

const confirmation = `<div class="note" role="status">`

// Each change is confirmed by the next page, once.
func TestEveryChangeIsConfirmedOnce(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
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
		{key("/revoke"), nil, "BI & co has been revoked. Requests with this key are now refused."},
		{
			key("/rename"), testkit.Form("name", "Warehouse"),
			"Key renamed. Its secret, scopes and expiry are the same.",
		},
		{
			mode, testkit.Form("mode", "pseudonymous"),
			"Nothing was changed. The reporting mode is the same.",
		},
		{
			mode, webtest.ToNominative(acme),
			"Reporting mode changed. Reports, exports and the API now show names.",
		},
		{
			mode, testkit.Form("mode", "pseudonymous"),
			"Reporting mode changed. Reports, exports and the API no longer show names.",
		},
		{
			"/account/password",
			testkit.Form("current", testkit.Password, "new", replacement, "repeat", replacement),
			"Password changed. Your other sessions have ended.",
		},
	} {
		b := w.SignedIn(t, acme.Owner)
		next := b.Post(c.path, c.form).Is(t, 303).Header.Get("Location")
		shown := b.Get(next).Has(t, confirmation)
		require.Equal(t, c.says, webtest.Notes(t, shown)[0])
		b.Get(next).Lacks(t, confirmation)
	}
	b := w.SignedIn(t, acme.Member)
	out := b.Post("/sign-out", url.Values{})
	b.Get(out.Header.Get("Location")).Has(t,
		confirmation+"<div><strong>You have signed out.</strong>")
}

// A cookie that is no notice is ignored. The text of a notice is escaped, and has no link.
func TestNoticeOfElsewhereIsNotShown(t *testing.T) {
	t.Parallel()
	_, _, b := webtest.StartAsOwner(t)
	for _, text := range []string{
		"", "x", "{}", "null", `{"Strong":""}`, `{"Strong":5}`, strings.Repeat("x", 3000),
		`{"Strong":"S`,
	} {
		b.Cookies["__Host-dg-notice"] = base64.RawURLEncoding.EncodeToString([]byte(text))
		b.Get("/account?notice=changed").Is(t, 200).Lacks(t, confirmation)
	}
	b.Cookies["__Host-dg-notice"] = base64.RawURLEncoding.EncodeToString(
		[]byte(`{"Strong":"<b>","Kind":"bad","Action":"Go","ActionPath":"//evil.example"}`),
	)
	b.Get("/account").Has(t, confirmation+"<div><strong>&lt;b&gt;</strong></div></div>").
		Lacks(t, "evil.example")
}
