package account_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit"
	"dg/web/internal/webtest"
)

// The sign-in takes e-mail and password, then the code of two-step verification, and continues to the
// requested page.
func TestSignInContinuesToTheRequestedPage(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
	wanted := "/settings/audit-log?actor=a%20b&x=%2F"
	signIn := "/sign-in?next=" + url.QueryEscape(wanted)

	plain := w.Browser(t)
	testkit.RequireRedirect(t, signIn, plain.Get(wanted))
	testkit.RequireRedirect(t, signIn+"&begun=1", plain.Post(signIn, webtest.Credentials(acme.Owner)))
	testkit.RequireRedirect(t, wanted, plain.Get(signIn))
	testkit.RequireRedirect(t, "/", plain.Get("/sign-in/code"))

	const evil = "?next=%2F%2Fevil.example" // what else leads elsewhere: web/ui
	testkit.RequireRedirect(t, "/", plain.Get("/sign-in"+evil))
	testkit.RequireRedirect(t, "/", plain.Get("/sign-in/code"+evil))
	testkit.RequireRedirect(t, "/sign-in?begun=1",
		w.Browser(t).Post("/sign-in"+evil, webtest.Credentials(acme.Owner)))

	withCode := w.Browser(t)
	code := "/sign-in/code?next=" + url.QueryEscape(wanted)
	withCode.Post(signIn, webtest.Credentials(acme.Admin))
	testkit.RequireRedirect(t, code, withCode.Get(signIn+"&begun=1"))
	testkit.RequireRedirect(t, "/sign-in", withCode.Get("/")) // not before the code
	withCode.Get("/sign-in").Is(t, 200)
	testkit.RequireRedirect(t, wanted,
		withCode.Post(code, testkit.Form("code", w.CodeNow(t, testkit.TOTPSecret))))
	testkit.RequireRedirect(t, acme.At("/reports"), withCode.Get("/"))

	testkit.RequireRedirect(t, "/sign-in", w.Browser(t).Get("/sign-in/code"))
	member := w.Browser(t)
	member.Post("/sign-in", webtest.Credentials(acme.Member))
	testkit.RequireRedirect(t, "/account", member.Get("/"))
}

// A browser without cookies, or one that drops Secure ones over http, is told what is missing.
func TestSignInSaysThatCookiesAreMissing(t *testing.T) {
	t.Parallel()
	const missing = "did not keep the cookie of your session"
	w, acme := webtest.StartAcme(t)
	for _, person := range []testkit.Person{acme.Owner, acme.Admin} {
		b := w.Browser(t)
		next := b.Post("/sign-in?next=%2Faccount", webtest.Credentials(person)).Header.Get("Location")
		b.Get(next).Is(t, 303)
		clear(b.Cookies)
		b.Get(next).Is(t, 200).Has(t, missing, `action="/sign-in?next=%2Faccount"`)
		b.Get("/sign-in").Lacks(t, missing)
	}
}

// An unknown e-mail and a wrong password get the same answer, which keeps the e-mail. Failed attempts
// lock both steps.
func TestSignInErrorsRevealNothing(t *testing.T) {
	t.Parallel()
	clock := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	w, acme := webtest.StartAt(t, &clock)
	b := w.Browser(t)
	const wrong = "wrong horse battery"
	b.Get("/sign-in").Has(t, "<title>Sign in – DG</title>")
	bodies := map[string]string{}
	for _, email := range []string{acme.Owner.Email, "nobody@acme.example"} {
		p := b.Post("/sign-in", testkit.Form("email", email, "password", wrong)).Is(t, 401).
			Has(t, "<title>Error: Sign in – DG</title>", `value="`+email+`"`).Lacks(t, wrong)
		bodies[strings.ReplaceAll(p.Body, email, "")] = email
	}
	require.Len(t, bodies, 1, "the same answer")
	b.Post("/sign-in", testkit.Form("email", `"><script>`)).Has(t, `value="&#34;&gt;&lt;script&gt;`)

	for range 9 {
		b.Post("/sign-in", testkit.Form("email", acme.Owner.Email, "password", wrong))
	}
	p := b.Post("/sign-in", webtest.Credentials(acme.Owner)).Is(t, 429)
	require.Equal(t, "600", p.Header.Get("Retry-After"))
	p.Has(t, `Try again at <time datetime="2026-11-21T09:40:00.000Z"`)

	b = w.Browser(t)
	b.Post("/sign-in", webtest.Credentials(acme.Admin))
	for range 10 {
		b.Post("/sign-in/code", testkit.Form("code", "000000")).Is(t, 401).Has(t, "Wrong code.",
			"Check the clock of your phone",
			"<title>Error: Verification code – DG</title>")
	}
	code := testkit.Form("code", w.CodeNow(t, testkit.TOTPSecret))
	b.Post("/sign-in/code", code).Is(t, 429).Has(t, "Too many failed attempts.")
}

// A session token that an attacker planted in the browser is replaced at each step of the sign-in.
func TestPlantedSessionIsNeverSignedIn(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
	const cookie = "__Host-dg"
	planted := w.Browser(t)
	planted.Post("/sign-in", webtest.Credentials(acme.Admin)) // it waits for a code
	victim := w.Browser(t)
	victim.Cookies[cookie] = planted.Session()
	victim.Post("/sign-in", webtest.Credentials(acme.Admin)).Is(t, 303)
	require.NotEqual(t, planted.Session(), victim.Session())
	planted.Cookies[cookie] = victim.Session()
	victim.Post("/sign-in/code", testkit.Form("code", w.CodeNow(t, testkit.TOTPSecret)))
	testkit.RequireRedirect(t, acme.At("/reports"), victim.Get("/"))
	testkit.RequireRedirect(t, "/sign-in", planted.Get("/"))
}
