package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"

	"dg/platform/testkit/fixtures"
)

// codeNow is the person's code of now; one that was used may be used again, since tests are faster than half a minute.
func (w *world) codeNow(t *testing.T, secret string) string {
	t.Helper()
	w.db.Exec(`update users set totp_last_step = 0 where totp_secret = $1`, secret)
	code, err := totp.GenerateCode(secret, w.now())
	require.NoError(t, err)
	return code
}

func credentials(p fixtures.Person) url.Values {
	return url.Values{"email": {p.Email}, "password": {fixtures.Password}}
}

// requireRedirect demands that the answer leads to a path.
func requireRedirect(t *testing.T, to string, p page) {
	t.Helper()
	require.Equal(t, http.StatusSeeOther, p.StatusCode, p.body)
	require.Equal(t, to, p.Header.Get("Location"))
}

// E-mail and password, then the code where enrolled, then what the reader came for.
func TestSignInContinuesToTheRequestedPage(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	wanted := "/settings/audit-log?actor=a%20b&x=%2F"

	plain := w.browser(t)
	requireRedirect(t, "/sign-in?"+url.Values{"next": {wanted}}.Encode(), plain.get(wanted))
	requireRedirect(t, wanted, plain.post("/sign-in?"+url.Values{"next": {wanted}}.Encode(), credentials(acme.owner)))
	requireRedirect(t, wanted, plain.get("/sign-in?"+url.Values{"next": {wanted}}.Encode()))
	requireRedirect(t, "/", plain.get("/sign-in/code"))

	withCode := w.browser(t)
	code := "/sign-in/code?" + url.Values{"next": {wanted}}.Encode()
	requireRedirect(t, code, withCode.post("/sign-in?"+url.Values{"next": {wanted}}.Encode(), credentials(acme.admin)))
	requireRedirect(t, "/sign-in", withCode.get("/")) // not before the code
	require.Equal(t, http.StatusOK, withCode.get("/sign-in").StatusCode)
	requireRedirect(t, wanted, withCode.post(code, url.Values{"code": {w.codeNow(t, fixtures.TOTPSecret)}}))
	requireRedirect(t, acme.at("/reports"), withCode.get("/"))

	requireRedirect(t, "/sign-in", w.browser(t).get("/sign-in/code"))
	member := w.browser(t)
	requireRedirect(t, "/", member.post("/sign-in", credentials(acme.member)))
	requireRedirect(t, "/account", member.get("/"))
}

// One sentence for unknown e-mail and wrong password; the e-mail stays, the password does not. Nothing is stored.
func TestSignInErrorsRevealNothing(t *testing.T) {
	t.Parallel()
	clock := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	w := startOn(t, fixtures.New(t), func() time.Time { return clock })
	acme := w.organisation("acme")
	b := w.browser(t)
	p := b.get("/sign-in")
	require.Equal(t, "no-store", p.Header.Get("Cache-Control"))
	require.Contains(t, p.body, "<title>Sign in – DG</title>")
	bodies := map[string]string{}
	for _, email := range []string{acme.owner.Email, "nobody@acme.example"} {
		p := b.post("/sign-in", url.Values{"email": {email}, "password": {"wrong horse battery"}})
		require.Equal(t, http.StatusUnauthorized, p.StatusCode)
		require.Contains(t, p.body, "<title>Error: Sign in – DG</title>")
		require.Contains(t, p.body, `value="`+email+`"`)
		require.NotContains(t, p.body, "wrong horse")
		bodies[strings.ReplaceAll(p.body, email, "")] = email
	}
	require.Len(t, bodies, 1, "the same answer")
	hostile := `"><script>alert(1)</script>`
	require.Contains(t, b.post("/sign-in", url.Values{"email": {hostile}}).body, `value="&#34;&gt;&lt;script&gt;`)

	for range 9 {
		b.post("/sign-in", url.Values{"email": {acme.owner.Email}, "password": {"wrong horse battery"}})
	}
	p = b.post("/sign-in", credentials(acme.owner))
	require.Equal(t, http.StatusTooManyRequests, p.StatusCode)
	require.Equal(t, "60", p.Header.Get("Retry-After"))
	require.Contains(t, p.body, `Try again in 60 seconds, at <time datetime="2026-11-21T09:31:00.000Z"`)

	b = w.browser(t)
	b.post("/sign-in", credentials(acme.admin))
	for range 10 {
		p = b.post("/sign-in/code", url.Values{"code": {"000000"}})
		require.Equal(t, http.StatusUnauthorized, p.StatusCode)
		require.Contains(t, p.body, "Wrong code.")
		require.Contains(t, p.body, "<title>Error: Verification code – DG</title>")
	}
	p = b.post("/sign-in/code", url.Values{"code": {w.codeNow(t, fixtures.TOTPSecret)}})
	require.Equal(t, http.StatusTooManyRequests, p.StatusCode)
	require.Contains(t, p.body, "Too many failed attempts.")
	clock = clock.Add(time.Minute)
	requireRedirect(t, "/", b.post("/sign-in/code", url.Values{"code": {w.codeNow(t, fixtures.TOTPSecret)}}))
	b = w.browser(t)
	b.post("/sign-in", credentials(acme.admin))
	form := b.get("/sign-in/code")
	require.Equal(t, http.StatusOK, form.StatusCode)
	clock = clock.Add(10 * time.Minute)
	late := url.Values{"code": {w.codeNow(t, fixtures.TOTPSecret)}}
	requireRedirect(t, "/sign-in", b.post("/sign-in/code", late))
}

// A token that somebody else planted in the browser is never one that is signed in, at either step.
func TestPlantedSessionIsNeverSignedIn(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	evil := w.browser(t)
	evil.post("/sign-in", credentials(acme.admin)) // knows a password of somebody with two steps, and waits for the code
	for name, plant := range map[string]string{
		"made up": strings.Repeat("A", 43), "due its code": evil.cookies["__Host-dg"], "signed in": w.signedIn(t, acme.member).cookies["__Host-dg"],
	} {
		victim := w.browser(t)
		victim.cookies["__Host-dg"] = plant
		requireRedirect(t, "/", victim.post("/sign-in", credentials(acme.owner)))
		require.NotEqual(t, plant, victim.cookies["__Host-dg"], name)
		planted := w.browser(t)
		planted.cookies["__Host-dg"] = plant
		requireRedirect(t, "/sign-in", planted.get("/"))
	}
	victim := w.browser(t)
	victim.post("/sign-in", credentials(acme.admin))
	due := victim.cookies["__Host-dg"]
	victim.post("/sign-in/code", url.Values{"code": {w.codeNow(t, fixtures.TOTPSecret)}})
	requireRedirect(t, acme.at("/reports"), victim.get("/"))
	planted := w.browser(t)
	planted.cookies["__Host-dg"] = due
	requireRedirect(t, "/sign-in", planted.get("/"))
}

// The sign-in leads to paths of this site only, whatever a link to it says.
func TestSignInRedirectsWithinTheSiteOnly(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	signedIn := w.signedIn(t, acme.owner)
	for _, next := range []string{
		"//evil.example", "///evil.example", `/\evil.example`, `\\evil.example`, `\/evil.example`, "/%2fevil.example", "/%2Fevil.example", "/%5cevil.example",
		"https://evil.example", "https:evil.example", "https:/evil.example", "javascript:alert(1)", "evil.example", "@evil.example", ".evil.example",
		" //evil.example", "/\t/evil.example", "\t//evil.example", "/\n/evil.example", "/\r\nLocation: https://evil.example", "/\x00/evil.example", "/\x0b/evil.example",
		"/\x7f/evil.example", "//evil.example/%2f..", "//user@/evil", "///user@/evil", "/%", "",
	} {
		to := "?" + url.Values{"next": {next}}.Encode()
		requireRedirect(t, "/", signedIn.get("/sign-in"+to))
		requireRedirect(t, "/", w.browser(t).post("/sign-in"+to, credentials(acme.member)))
		requireRedirect(t, "/", signedIn.get("/sign-in/code"+to))
	}
	for _, next := range []string{"/account", "/o/a%2Fb/reports?from=2026-01-01&to=2026-01-02", "/docs?x=//evil.example", "/x//y", "/é", "/o/%C3%A9/reports"} {
		p := signedIn.get("/sign-in?" + url.Values{"next": {next}}.Encode())
		require.Equal(t, http.StatusSeeOther, p.StatusCode)
		u, err := url.Parse(p.Header.Get("Location"))
		require.NoError(t, err)
		want, _ := url.Parse(next)
		require.Equal(t, want.String(), u.String())
	}
}

func TestSignOutEndsTheSession(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	b := w.signedIn(t, acme.member)
	kept := b.cookies["__Host-dg"]
	requireRedirect(t, "/sign-in", b.post("/sign-out", url.Values{}))
	require.NotContains(t, b.cookies, "__Host-dg")
	b.cookies["__Host-dg"] = kept
	requireRedirect(t, "/sign-in?next=%2Faccount", b.get("/account"))
	require.Equal(t, http.StatusMethodNotAllowed, b.get("/sign-out").StatusCode)
}
