package web_test

import (
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"

	"dg/modules/identity"
)

// Everybody has this page, members too; it is all that members have.
func TestAccount(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := newOrganisation("acme")
	acme.member.name = `<b>Ilya</b> "Petrov"`
	w.load(t, acme)
	b := w.signedIn(t, acme.member)
	p := b.get("/account")
	require.Equal(t, http.StatusOK, p.StatusCode)
	require.Equal(t, "no-store", p.Header.Get("Cache-Control"))
	require.Contains(t, p.body, "<bdi>&lt;b&gt;Ilya&lt;/b&gt;")
	require.Contains(t, p.body, acme.member.email)
	require.Contains(t, p.body, "Set up two-step")
	require.NotContains(t, p.body, "Reports</a>")
	require.Contains(t, w.signedIn(t, acme.admin).get("/account").body, `<span class="state on">On</span>`)
	for _, path := range []string{"/account", "/account/password", "/account/two-step"} {
		requireRedirect(t, "/sign-in?next="+url.QueryEscape(path), w.browser(t).get(path))
		require.Equal(t, "no-store", b.get(path).Header.Get("Cache-Control"))
	}
	require.NotContains(t, b.get("/account?changed=%3Cb%3E").body, `role="status"><div>`)
}

// Sessions are listed and ended one by one; who ends the own one has signed out.
func TestSessionsOfTheAccount(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := newOrganisation("acme")
	w.load(t, acme)
	phone, err := w.people.SignIn(t.Context(), acme.owner.email, testPassword, identity.Client{
		Address: "198.51.100.7", UserAgent: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1",
	})
	require.NoError(t, err)
	b := w.signedIn(t, acme.owner)
	p := b.get("/account")
	require.Contains(t, p.body, "Safari on iPhone")
	require.Contains(t, p.body, "198.51.100.7")
	require.Contains(t, p.body, "Another program <small>This session</small>")
	other := regexpFind(t, `(?s)Safari on iPhone.*?name="session" value="([0-9a-f]{64})"`, p.body)
	require.NotContains(t, p.body, phone.Token)
	requireRedirect(t, "/account", b.post("/account", url.Values{"session": {other}}))
	_, err = w.people.Session(t.Context(), phone.Token)
	require.ErrorIs(t, err, identity.ErrNoSession)
	requireRedirect(t, "/account", b.post("/account", url.Values{"session": {hex.EncodeToString(make([]byte, 32))}}))
	own := regexpFind(t, `name="session" value="([0-9a-f]{64})"`, b.get("/account").body)
	requireRedirect(t, "/sign-in", b.post("/account", url.Values{"session": {own}}))
	require.NotContains(t, b.cookies, "__Host-dg")
}

func TestPasswordIsChangedOnItsScreen(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := newOrganisation("acme")
	w.load(t, acme)
	b, other := w.signedIn(t, acme.owner), w.signedIn(t, acme.owner)
	const replacement = "battery horse staple"
	for want, form := range map[string]url.Values{
		"This is not your password":  {"current": {"wrong horse battery"}, "new": {replacement}, "repeat": {replacement}},
		"Use at least 12 characters": {"current": {testPassword}, "new": {"short"}, "repeat": {"short"}},
		"Type both again":            {"current": {testPassword}, "new": {replacement}, "repeat": {replacement + "r"}},
	} {
		p := b.post("/account/password", form)
		require.Equal(t, http.StatusUnprocessableEntity, p.StatusCode)
		require.Contains(t, p.body, want)
		require.Contains(t, p.body, "<title>Error: Change password")
		require.NotContains(t, p.body, testPassword)
		require.NotContains(t, p.body, replacement)
	}
	before := b.cookies["__Host-dg"]
	requireRedirect(t, "/account?changed=password", b.post("/account/password", url.Values{"current": {testPassword}, "new": {replacement}, "repeat": {replacement}}))
	require.NotEqual(t, before, b.cookies["__Host-dg"])
	require.Contains(t, b.get("/account?changed=password").body, "Password changed.")
	requireRedirect(t, "/sign-in", other.get("/"))
	acme.owner.password = replacement
	requireRedirect(t, "/", w.browser(t).post("/sign-in", credentials(acme.owner)))

	for range 10 {
		b.post("/account/password", url.Values{"current": {"wrong horse battery"}, "new": {replacement}, "repeat": {replacement}})
	}
	p := b.post("/account/password", url.Values{"current": {replacement}, "new": {replacement}, "repeat": {replacement}})
	require.Equal(t, http.StatusTooManyRequests, p.StatusCode)
	require.Contains(t, p.body, "Too many wrong passwords.")
}

// Enrolment with QR code and typed secret, confirmed by a code; and the way back, with a code.
func TestTwoStepIsSetUpAndTurnedOffOnItsScreen(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := newOrganisation("acme")
	w.load(t, acme)
	b, other := w.signedIn(t, acme.adminPlain), w.signedIn(t, acme.adminPlain)
	p := b.get("/account/two-step")
	require.Contains(t, p.body, `<path d="M0 0h7v1h-7z`, "a finder pattern stands in the corner")
	secret := strings.ReplaceAll(regexpFind(t, `<code id="totp">([A-Z2-7 ]+)</code>`, p.body), " ", "")
	require.Len(t, secret, 32)
	require.Contains(t, b.get("/account/two-step").body, secret[:4]+" "+secret[4:8], "the same when it is loaded again")

	wrong := b.post("/account/two-step", url.Values{"do": {"on"}, "code": {"abcdef"}})
	require.Equal(t, http.StatusUnprocessableEntity, wrong.StatusCode)
	require.Contains(t, wrong.body, "The code does not match.")
	require.Contains(t, wrong.body, secret[:4]+" "+secret[4:8])
	code, err := totp.GenerateCode(secret, time.Now())
	require.NoError(t, err)
	requireRedirect(t, "/account?changed=two-step-on", b.post("/account/two-step", url.Values{"do": {"on"}, "code": {code[:3] + " " + code[3:]}}))
	require.Contains(t, b.get("/account?changed=two-step-on").body, `<span class="state on">On</span>`)
	requireRedirect(t, "/sign-in", other.get("/"))
	again := w.browser(t)
	requireRedirect(t, "/sign-in/code", again.post("/sign-in", credentials(acme.adminPlain)))
	requireRedirect(t, "/", again.post("/sign-in/code", url.Values{"code": {w.codeNow(t, secret)}}))

	off := b.get("/account/two-step")
	require.Contains(t, off.body, "Turn off two-step")
	require.NotContains(t, off.body, secret[:4]+" ")
	requireRedirect(t, "/account/two-step", b.post("/account/two-step", url.Values{"do": {"on"}, "code": {code}})) // is on already
	wrong = b.post("/account/two-step", url.Values{"do": {"off"}, "code": {"abcdef"}})
	require.Equal(t, http.StatusUnprocessableEntity, wrong.StatusCode)
	requireRedirect(t, "/account?changed=two-step-off", b.post("/account/two-step", url.Values{"do": {"off"}, "code": {w.codeNow(t, secret)}}))
	requireRedirect(t, "/sign-in", again.get("/"))
	requireRedirect(t, "/", w.browser(t).post("/sign-in", credentials(acme.adminPlain)))
}

// An e-mail that no QR code could hold leaves the typed secret.
func TestTwoStepWithoutAQRCode(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := newOrganisation("acme")
	acme.owner.email = strings.Repeat("é", 100) + "@acme.example"
	w.load(t, acme)
	_, err := w.db.Owner.Pool.Exec(t.Context(), `update users set email = repeat('é', 1000) where id = $1`, acme.owner.id)
	require.NoError(t, err)
	p := w.signedIn(t, acme.owner).get("/account/two-step")
	require.Equal(t, http.StatusOK, p.StatusCode)
	require.NotContains(t, p.body, `class="qr"`)
	require.Contains(t, p.body, "Type this secret into the app:")
}
