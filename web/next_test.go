package web_test

import (
	"maps"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit"
	"dg/web/internal/webtest"
)

// A form that is sent after its session has ended changes nothing and leads back to itself through
// the sign-in. Nothing that was sent is kept.
func TestFormLeadsBackAfterTheSessionEnded(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
	b := w.SignedIn(t, acme.Owner)
	path := acme.At("/settings/api-keys/new")
	w.DB.Exec(`delete from sessions`)
	signIn := "/sign-in?next=" + url.QueryEscape(path)
	cookies := maps.Clone(b.Cookies)
	testkit.RequireRedirect(t, signIn, b.Post(path, url.Values{"name": {"Confidential"}}))
	require.Equal(t, cookies, b.Cookies)
	b.Get(signIn).Has(t, "Your session has ended.")
	w.Browser(t).Get(signIn).Lacks(t, "has ended")
	begun := b.Post(signIn, webtest.Credentials(acme.Owner)).Header.Get("Location")
	testkit.RequireRedirect(t, path, b.Get(begun))
	b.Get(path).Is(t, 200).Lacks(t, "Confidential")
	require.Empty(t, w.AllKeys(t, acme))
}

// Where two-step verification is required, a link leads to its form, which leads back.
func TestEnrolmentLeadsBackToWhereItBegan(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
	create := acme.At("/settings/api-keys/new")
	b := w.SignedIn(t, acme.AdminPlain)
	setUp := "/account/two-step?" + url.Values{"next": {create}}.Encode()
	denied := b.Get(create).Is(t, 403)
	denied.Has(t, `<a class="btn primary" href="`+setUp+`">Set up two-step verification</a>`)
	b.Get(acme.At("/settings/api-keys")).Has(t, `href="`+setUp+`">Set up two-step verification</a>`,
		"<strong>Turn on two-step verification to create keys.</strong> You can list and revoke")
	w.SignedIn(t, acme.Member).Get(create).Lacks(t, "two-step")

	b.Get(setUp).Has(t, `action="`+setUp+`"`)
	testkit.RequireRedirect(t, setUp,
		b.Post(setUp, testkit.Form("do", "begin", "current", testkit.Password)))
	secret := b.BeginTwoStep(testkit.Password)
	b.Get(setUp).Has(t, `action="`+setUp+`"`)
	b.Post(setUp, testkit.Form("do", "on", "code", w.CodeNow(t, secret))).
		Has(t, `<a class="btn" href="`+create+`">Done</a>`, `data-after="`+create+`"`)
	w.SignedIn(t, acme.Owner).Get("/account/two-step?next=https://evil.example").Lacks(t, "evil")
}
