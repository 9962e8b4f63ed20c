package account_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/fixtures"
	"dg/web/internal/webtest"
)

// E-mail and password, then the code where enrolled, then what the reader came for.
func TestSignInContinuesToTheRequestedPage(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
	wanted := "/settings/audit-log?actor=a%20b&x=%2F"

	plain := w.Browser(t)
	webtest.RequireRedirect(t, "/sign-in?"+url.Values{"next": {wanted}}.Encode(), plain.Get(wanted))
	webtest.RequireRedirect(t, wanted,
		plain.Post("/sign-in?"+url.Values{"next": {wanted}}.Encode(),
			webtest.Credentials(acme.Owner)))
	webtest.RequireRedirect(t, wanted, plain.Get("/sign-in?"+url.Values{"next": {wanted}}.Encode()))
	webtest.RequireRedirect(t, "/", plain.Get("/sign-in/code"))

	const evil = "?next=%2F%2Fevil.example" // what else leads elsewhere: web/ui
	webtest.RequireRedirect(t, "/", plain.Get("/sign-in"+evil))
	webtest.RequireRedirect(t, "/", plain.Get("/sign-in/code"+evil))
	webtest.RequireRedirect(t, "/",
		w.Browser(t).Post("/sign-in"+evil, webtest.Credentials(acme.Owner)))

	withCode := w.Browser(t)
	code := "/sign-in/code?" + url.Values{"next": {wanted}}.Encode()
	webtest.RequireRedirect(t, code,
		withCode.Post("/sign-in?"+url.Values{"next": {wanted}}.Encode(),
			webtest.Credentials(acme.Admin)))
	webtest.RequireRedirect(t, "/sign-in", withCode.Get("/")) // not before the code
	withCode.Get("/sign-in").Is(t, 200)
	webtest.RequireRedirect(t, wanted,
		withCode.Post(code, url.Values{"code": {w.CodeNow(t, fixtures.TOTPSecret)}}))
	webtest.RequireRedirect(t, acme.At("/reports"), withCode.Get("/"))

	webtest.RequireRedirect(t, "/sign-in", w.Browser(t).Get("/sign-in/code"))
	member := w.Browser(t)
	webtest.RequireRedirect(t, "/", member.Post("/sign-in", webtest.Credentials(acme.Member)))
	webtest.RequireRedirect(t, "/account", member.Get("/"))
}

// One sentence for unknown e-mail and wrong password; the e-mail stays, the password does not.
// Nothing is stored.
func TestSignInErrorsRevealNothing(t *testing.T) {
	t.Parallel()
	clock := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	w := webtest.StartAt(t, &clock)
	acme := w.Organisation("acme")
	b := w.Browser(t)
	p := b.Get("/sign-in")
	require.Equal(t, "no-store", p.Header.Get("Cache-Control"))
	p.Has(t, "<title>Sign in – DG</title>")
	bodies := map[string]string{}
	for _, email := range []string{acme.Owner.Email, "nobody@acme.example"} {
		p := b.Post("/sign-in",
			url.Values{"email": {email}, "password": {"wrong horse battery"}}).Is(t, 401)
		p.Has(t, "<title>Error: Sign in – DG</title>", `value="`+email+`"`)
		p.Lacks(t, "wrong horse")
		bodies[strings.ReplaceAll(p.Body, email, "")] = email
	}
	require.Len(t, bodies, 1, "the same answer")
	hostile := `"><script>alert(1)</script>`
	b.Post("/sign-in", url.Values{"email": {hostile}}).Has(t, `value="&#34;&gt;&lt;script&gt;`)

	for range 9 {
		b.Post("/sign-in", url.Values{
			"email": {acme.Owner.Email}, "password": {"wrong horse battery"},
		})
	}
	p = b.Post("/sign-in", webtest.Credentials(acme.Owner)).Is(t, 429)
	require.Equal(t, "60", p.Header.Get("Retry-After"))
	p.Has(t, `Try again in 60 seconds, at <time datetime="2026-11-21T09:31:00.000Z"`)

	b = w.Browser(t)
	b.Post("/sign-in", webtest.Credentials(acme.Admin))
	for range 10 {
		p = b.Post("/sign-in/code", url.Values{"code": {"000000"}}).Is(t, 401)
		p.Has(t, "Wrong code.", "<title>Error: Verification code – DG</title>")
	}
	p = b.Post("/sign-in/code", url.Values{"code": {w.CodeNow(t, fixtures.TOTPSecret)}}).Is(t, 429)
	p.Has(t, "Too many failed attempts.")
	clock = clock.Add(time.Minute)
	webtest.RequireRedirect(t, "/",
		b.Post("/sign-in/code", url.Values{"code": {w.CodeNow(t, fixtures.TOTPSecret)}}))
	b = w.Browser(t)
	b.Post("/sign-in", webtest.Credentials(acme.Admin))
	b.Get("/sign-in/code").Is(t, 200)
	clock = clock.Add(10 * time.Minute)
	late := url.Values{"code": {w.CodeNow(t, fixtures.TOTPSecret)}}
	webtest.RequireRedirect(t, "/sign-in", b.Post("/sign-in/code", late))
}

// A token that somebody else planted in the browser is never one that is signed in, at either step.
func TestPlantedSessionIsNeverSignedIn(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
	evil := w.Browser(t)
	// knows a password of somebody with two steps, and waits for the code
	evil.Post("/sign-in", webtest.Credentials(acme.Admin))
	for name, plant := range map[string]string{
		"made up":      strings.Repeat("A", 43),
		"due its code": evil.Cookies["__Host-dg"],
		"signed in":    w.SignedIn(t, acme.Member).Cookies["__Host-dg"],
	} {
		victim := w.Browser(t)
		victim.Cookies["__Host-dg"] = plant
		webtest.RequireRedirect(t, "/", victim.Post("/sign-in", webtest.Credentials(acme.Owner)))
		require.NotEqual(t, plant, victim.Cookies["__Host-dg"], name)
		planted := w.Browser(t)
		planted.Cookies["__Host-dg"] = plant
		webtest.RequireRedirect(t, "/sign-in", planted.Get("/"))
	}
	victim := w.Browser(t)
	victim.Post("/sign-in", webtest.Credentials(acme.Admin))
	due := victim.Cookies["__Host-dg"]
	victim.Post("/sign-in/code", url.Values{"code": {w.CodeNow(t, fixtures.TOTPSecret)}})
	webtest.RequireRedirect(t, acme.At("/reports"), victim.Get("/"))
	planted := w.Browser(t)
	planted.Cookies["__Host-dg"] = due
	webtest.RequireRedirect(t, "/sign-in", planted.Get("/"))
}

func TestSignOutEndsTheSession(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
	b := w.SignedIn(t, acme.Member)
	kept := b.Cookies["__Host-dg"]
	webtest.RequireRedirect(t, "/sign-in", b.Post("/sign-out", url.Values{}))
	require.NotContains(t, b.Cookies, "__Host-dg")
	b.Cookies["__Host-dg"] = kept
	webtest.RequireRedirect(t, "/sign-in?next=%2Faccount", b.Get("/account"))
	b.Get("/sign-out").Is(t, 405)
}
