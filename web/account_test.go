package web_test

import (
	"encoding/hex"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"

	"dg/modules/identity"
	"dg/platform/testkit/fixtures"
)

// Everybody has this page, members too; it is all that members have.
func TestAccountShowsThePersonAndSecurity(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	w.rename(&acme.member, `<b>Ilya</b> "Petrov"`)
	b := w.signedIn(t, acme.member)
	p := b.get("/account")
	require.Equal(t, http.StatusOK, p.StatusCode)
	require.Equal(t, "no-store", p.Header.Get("Cache-Control"))
	require.Contains(t, p.body, "<bdi>&lt;b&gt;Ilya&lt;/b&gt;")
	require.Contains(t, p.body, acme.member.Email)
	require.Contains(t, p.body, "Set up two-step verification")
	require.NotContains(t, p.body, "Reports</a>")
	require.Contains(t, w.signedIn(t, acme.admin).get("/account").body, `<span class="state on">On</span>`)
	for _, path := range []string{"/account", "/account/password", "/account/two-step", "/account/recovery-codes"} {
		requireRedirect(t, "/sign-in?next="+url.QueryEscape(path), w.browser(t).get(path))
		require.Equal(t, "no-store", b.get(path).Header.Get("Cache-Control"))
	}
}

// To end the current session is to sign out.
func TestSessionsAreListedAndEnded(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	phone, err := w.people.SignIn(t.Context(), acme.owner.Email, fixtures.Password, identity.Client{
		Address: "198.51.100.7", UserAgent: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1",
	})
	require.NoError(t, err)
	b := w.signedIn(t, acme.owner)
	p := b.get("/account")
	require.Contains(t, p.body, "Safari on iPhone")
	require.Contains(t, p.body, "198.51.100.7")
	require.Contains(t, p.body, "Unknown browser <small>This session</small>")
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

func TestPasswordIsChanged(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	b, other := w.signedIn(t, acme.owner), w.signedIn(t, acme.owner)
	const replacement = "battery horse staple"
	for want, form := range map[string]url.Values{
		"The password is wrong":      {"current": {"wrong horse battery"}, "new": {replacement}, "repeat": {replacement}},
		"Use at least 12 characters": {"current": {fixtures.Password}, "new": {"short"}, "repeat": {"short"}},
		"The passwords do not match": {"current": {fixtures.Password}, "new": {replacement}, "repeat": {replacement + "r"}},
	} {
		p := b.post("/account/password", form)
		require.Equal(t, http.StatusUnprocessableEntity, p.StatusCode)
		require.Contains(t, p.body, want)
		require.Contains(t, p.body, "<title>Error: Change password")
		require.NotContains(t, p.body, fixtures.Password)
		require.NotContains(t, p.body, replacement)
	}
	before := b.cookies["__Host-dg"]
	requireRedirect(t, "/account", b.post("/account/password", url.Values{"current": {fixtures.Password}, "new": {replacement}, "repeat": {replacement}}))
	require.NotEqual(t, before, b.cookies["__Host-dg"])
	require.Contains(t, b.get("/account").body, "Password changed.")
	require.NotContains(t, b.get("/account").body, "Password changed.", "it is said once")
	requireRedirect(t, "/sign-in", other.get("/"))
	requireRedirect(t, "/", w.browser(t).post("/sign-in", url.Values{"email": {acme.owner.Email}, "password": {replacement}}))

	for range 10 {
		b.post("/account/password", url.Values{"current": {"wrong horse battery"}, "new": {replacement}, "repeat": {replacement}})
	}
	p := b.post("/account/password", url.Values{"current": {replacement}, "new": {replacement}, "repeat": {replacement}})
	require.Equal(t, http.StatusTooManyRequests, p.StatusCode)
	require.Contains(t, p.body, "Too many failed attempts.")
}

// Enrolment with QR code and typed secret, confirmed by a code and the password; the recovery codes that it answers with;
// and the way back.
func TestTwoStepIsTurnedOnAndOff(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	b, other := w.signedIn(t, acme.adminPlain), w.signedIn(t, acme.adminPlain)
	p := b.get("/account/two-step")
	require.Contains(t, p.body, `<path d="M0 0h7v1h-7z`, "a finder pattern stands in the corner")
	secret := strings.ReplaceAll(regexpFind(t, `<code id="totp">([A-Z2-7 ]+)</code>`, p.body), " ", "")
	require.Len(t, secret, 32)
	require.Contains(t, b.get("/account/two-step").body, secret[:4]+" "+secret[4:8], "the same when it is loaded again")
	requireRedirect(t, "/account/two-step", b.get("/account/recovery-codes"))

	code, err := totp.GenerateCode(secret, time.Now())
	require.NoError(t, err)
	for want, form := range map[string]url.Values{
		"The code is wrong":      {"do": {"on"}, "code": {"abcdef"}, "current": {fixtures.Password}},
		"The password is wrong.": {"do": {"on"}, "code": {code}, "current": {"wrong horse battery"}},
	} {
		wrong := b.post("/account/two-step", form)
		require.Equal(t, http.StatusUnprocessableEntity, wrong.StatusCode)
		require.Contains(t, wrong.body, want)
		require.Contains(t, wrong.body, secret[:4]+" "+secret[4:8])
		require.NotContains(t, wrong.body, "wrong horse")
	}
	form := url.Values{"do": {"on"}, "code": {code[:3] + " " + code[3:]}, "current": {fixtures.Password}}
	p = b.post("/account/two-step", form)
	require.Equal(t, http.StatusOK, p.StatusCode)
	require.Equal(t, "no-store", p.Header.Get("Cache-Control"))
	codes := regexp.MustCompile(`<li>([0-9a-z-]{19})</li>`).FindAllStringSubmatch(p.body, -1)
	require.Len(t, codes, 10)
	requireRedirect(t, "/account/two-step", b.post("/account/two-step", form)) // sent again, it shows no codes
	account := b.get("/account").body
	require.Contains(t, account, `<span class="state on">On</span>`)
	require.Contains(t, account, "<strong>Two-step verification is on.</strong> Your other sessions have ended.")
	require.Contains(t, account, "You have 10 of 10 recovery codes left.")
	require.NotContains(t, account, codes[0][1])
	requireRedirect(t, "/sign-in", other.get("/"))
	again := w.browser(t)
	requireRedirect(t, "/sign-in/code", again.post("/sign-in", credentials(acme.adminPlain)))
	requireRedirect(t, "/", again.post("/sign-in/code", url.Values{"code": {w.codeNow(t, secret)}}))

	off := b.get("/account/two-step")
	require.Contains(t, off.body, "Turn off two-step verification")
	require.NotContains(t, off.body, secret[:4]+" ")
	requireRedirect(t, "/account/two-step", b.post("/account/two-step", url.Values{"do": {"on"}, "code": {code}, "current": {fixtures.Password}})) // is on already
	for _, form := range []url.Values{
		{"do": {"off"}, "code": {"abcdef"}, "current": {fixtures.Password}}, {"do": {"off"}, "code": {w.codeNow(t, secret)}},
	} {
		require.Equal(t, http.StatusUnprocessableEntity, b.post("/account/two-step", form).StatusCode)
	}
	requireRedirect(t, "/account", b.post("/account/two-step", url.Values{"do": {"off"}, "code": {codes[0][1]}, "current": {fixtures.Password}}))
	require.Contains(t, b.get("/account").body, "Two-step verification is off.")
	requireRedirect(t, "/sign-in", again.get("/"))
	requireRedirect(t, "/", w.browser(t).post("/sign-in", credentials(acme.adminPlain)))
}

// New recovery codes take the password and a code, and void the old ones. Somebody without a phone signs in with one.
func TestRecoveryCodesAreReplacedAndUsed(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	b := w.signedIn(t, acme.admin)
	require.Contains(t, b.get("/account").body, "You have no recovery codes.")
	for _, form := range []url.Values{{"current": {fixtures.Password}}, {"code": {w.codeNow(t, fixtures.TOTPSecret)}}, {"current": {fixtures.Password}, "code": {"000000"}}} {
		require.Equal(t, http.StatusUnprocessableEntity, b.post("/account/recovery-codes", form).StatusCode)
	}
	made := func(code string) []string {
		p := b.post("/account/recovery-codes", url.Values{"current": {fixtures.Password}, "code": {code}})
		require.Equal(t, http.StatusOK, p.StatusCode)
		var codes []string
		for _, found := range regexp.MustCompile(`<li>([0-9a-z-]{19})</li>`).FindAllStringSubmatch(p.body, -1) {
			codes = append(codes, found[1])
		}
		require.Len(t, codes, 10)
		return codes
	}
	old := made(w.codeNow(t, fixtures.TOTPSecret))
	codes := made(old[0])
	require.Contains(t, b.get("/account").body, "<strong>Recovery codes replaced.</strong> The old ones no longer work.")

	phoneless := w.browser(t)
	phoneless.post("/sign-in?next=%2Faccount", credentials(acme.admin))
	page := phoneless.get("/sign-in/code?next=%2Faccount")
	require.Contains(t, page.body, `href="/sign-in/code?next=%2Faccount&amp;recovery=1">Use a recovery code</a>`)
	p := phoneless.post("/sign-in/code?next=%2Faccount&recovery=1", url.Values{"code": {old[1]}})
	require.Equal(t, http.StatusUnauthorized, p.StatusCode)
	require.Contains(t, p.body, "Check it, or enter another one")
	requireRedirect(t, "/account", phoneless.post("/sign-in/code?next=%2Faccount&recovery=1", url.Values{"code": {strings.ToUpper(codes[1])}}))
	require.Contains(t, phoneless.get("/account").body, "You have 9 of 10 recovery codes left.")
}

// An e-mail that no QR code could hold leaves the typed secret.
func TestLongSecretIsShownWithoutQRCode(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	w.db.Exec(`update users set email = repeat('é', 1000) where id = $1`, acme.owner.ID)
	p := w.signedIn(t, acme.owner).get("/account/two-step")
	require.Equal(t, http.StatusOK, p.StatusCode)
	require.NotContains(t, p.body, `class="qr"`)
	require.Contains(t, p.body, "Enter this secret in the app:")
}
