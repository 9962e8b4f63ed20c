package account_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"dg/modules/identity"
	"dg/platform/testkit"
	"dg/platform/testkit/browsertest"
	"dg/web/internal/webtest"
)

// The sign-in takes e-mail and password, then the code of two-step verification, and continues at the requested page.
func TestSignInContinuesToTheRequestedPage(t *testing.T) {
	w, acme := webtest.StartAcme(t)
	wanted := "/settings/audit-log?actor=a%20b&x=%2F"
	signIn := "/sign-in?next=" + url.QueryEscape(wanted)

	plain := w.Browser(t)
	testkit.RequireRedirect(t, signIn, plain.Get(wanted))
	testkit.RequireRedirect(t, signIn+"&begun=1", plain.Post(signIn, webtest.Credentials(acme.Owner)))
	testkit.RequireRedirect(t, wanted, plain.Get(signIn))
	testkit.RequireRedirect(t, "/", plain.Get("/sign-in/code"))

	const evil = "?next=%2F%2Fevil.example" // web/ui tests other values of next
	testkit.RequireRedirect(t, "/", plain.Get("/sign-in"+evil))
	testkit.RequireRedirect(t, "/", plain.Get("/sign-in/code"+evil))
	testkit.RequireRedirect(t, "/sign-in?begun=1", w.Browser(t).Post("/sign-in"+evil, webtest.Credentials(acme.Owner)))

	withCode := w.Browser(t)
	codePath := "/sign-in/code?next=" + url.QueryEscape(wanted)
	withCode.Post(signIn, webtest.Credentials(acme.Admin))
	testkit.RequireRedirect(t, codePath, withCode.Get(signIn+"&begun=1"))
	testkit.RequireRedirect(t, "/sign-in", withCode.Get("/")) // no code entered yet
	withCode.Get("/sign-in").Is(t, 200)
	testkit.RequireRedirect(t, wanted, withCode.Post(codePath, testkit.Form("code", w.CodeNow(t, testkit.TOTPSecret))))
	testkit.RequireRedirect(t, acme.Path("/reports"), withCode.Get("/"))

	testkit.RequireRedirect(t, "/sign-in", w.Browser(t).Get("/sign-in/code"))
	member := w.Browser(t)
	member.Post("/sign-in", webtest.Credentials(acme.Member))
	testkit.RequireRedirect(t, "/account", member.Get("/"))
}

// A browser that drops the cookie of its session gets a message that says so.
func TestSignInSaysThatCookiesAreMissing(t *testing.T) {
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

// An unknown e-mail and a wrong password get the same response. Failed attempts lock both steps.
func TestSignInErrorsRevealNothing(t *testing.T) {
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
			"Check the clock of your phone", "<title>Error: Verification code – DG</title>")
	}
	code := testkit.Form("code", w.CodeNow(t, testkit.TOTPSecret))
	b.Post("/sign-in/code", code).Is(t, 429).Has(t, "Too many failed attempts.")
}

// A session token that an attacker planted in the browser is replaced at each step of the sign-in.
func TestPlantedSessionIsNeverSignedIn(t *testing.T) {
	w, acme := webtest.StartAcme(t)
	const cookie = "__Host-dg"
	attacker := w.Browser(t)
	attacker.Post("/sign-in", webtest.Credentials(acme.Admin)) // the planted session waits for a code
	victim := w.Browser(t)
	victim.Cookies[cookie] = attacker.SessionToken()
	victim.Post("/sign-in", webtest.Credentials(acme.Admin)).Is(t, 303)
	require.NotEqual(t, attacker.SessionToken(), victim.SessionToken())
	attacker.Cookies[cookie] = victim.SessionToken()
	victim.Post("/sign-in/code", testkit.Form("code", w.CodeNow(t, testkit.TOTPSecret)))
	testkit.RequireRedirect(t, acme.Path("/reports"), victim.Get("/"))
	testkit.RequireRedirect(t, "/sign-in", attacker.Get("/"))
}

// An error moves the focus to its field. A button shows the password. After the sign-out, Back shows the sign-in.
func TestSignInWorksByKeyboard(t *testing.T) {
	w, acme := webtest.StartAcme(t)
	p := browsertest.New(t)
	p.Open(w.BaseURL + "/account")
	require.Equal(t, "/sign-in?next=%2Faccount", p.Path())
	p.Press(acme.Admin.Email, kb.Tab, "wrong horse battery", kb.Tab, kb.Enter)
	require.Equal(t, "text", p.Attr("#password", "type"), "it is shown")
	require.Equal(t, "<input#password>", p.FocusedElement())
	p.Press(kb.Enter)
	p.WaitFor("#errors")
	p.Press(testkit.Password, kb.Enter) // the form keeps the e-mail
	p.WaitFor("#code")
	p.Press("000000", kb.Enter)
	p.WaitFor("#errors")
	p.Press(w.CodeNow(t, testkit.TOTPSecret), kb.Enter)
	p.WaitFor(`h1:text("Account")`)
	require.Equal(t, "/account", p.Path())
	p.ClickAndWaitFor(`button:text("Sign out")`, `h1:text("Sign in")`)
	p.Back()
	p.WaitFor(`h1:text("Sign in")`)
}

// The sign-in form takes every e-mail that identity.ParseEmail accepts, and rejects every e-mail that it rejects.
func TestBrowserSignsInEveryAcceptedEmail(t *testing.T) {
	w, _ := webtest.StartAcme(t)
	accepted := []string{"Li.XiaoLong@Example.ORG", "maryam@bücher.example", "astro@BÜCHER.example ", "and@faß.example",
		"zhang@例子.example", "olga@пример.example", "o'hara+tag@example.org", "{brace}|pipe@example.org",
		"a!#$%&*/=?^_`~-@example.org", "  blanks@example.org ", "root@localhost", "1@2.3", ".a..b.@example.org",
		"v@r3---sn-4g5e.example.org", strings.Repeat("l", 242) + "@example.org"}
	for _, email := range accepted {
		_, ok := identity.ParseEmail(email)
		require.True(t, ok, email)
		w.AddPerson(testkit.Person{Email: strings.TrimSpace(email), Name: "Name of " + email})
	}
	require.NoError(t, identity.RewriteEmailKeys(t.Context(), w.Owner))
	p := browsertest.New(t)
	for _, email := range accepted {
		p.Open(w.BaseURL + "/sign-in?next=/account")
		p.Fill("#email", email)
		p.Fill("#password", testkit.Password)
		p.Press(kb.Enter)
		p.WaitFor(`h1:text("Account")`)
		require.Contains(t, p.Text("main"), strings.TrimSpace(email), "shown as written")
		p.ClickAndWaitFor(`button:text("Sign out")`, `h1:text("Sign in")`)
	}
	for _, email := range []string{
		"no-at-sign", "two words@x.org", "a@b@c", "Name <a@b.org>", "jürgen@example.org", "@example.org", "a@",
		"a@under_score.org", "a@-x.org", "a@example.org.", "a@[192.0.2.1]", `"a b"@example.org`, "a＠example.org",
		"a@" + strings.Repeat("d", 64) + ".org", "a..@ex..org",
	} {
		_, ok := identity.ParseEmail(email)
		require.False(t, ok, email)
		p.Fill("#email", email)
		require.False(t, browsertest.Eval[bool](p, `document.querySelector("#email").checkValidity()`), email)
	}
}

// The script copies secret and codes, and asks before the reader leaves codes unsaved. The codes are shown once.
func TestTwoStepIsSetUpInABrowser(t *testing.T) {
	w, acme := webtest.StartAcme(t)
	p := browsertest.New(t)
	webtest.SignInWith(p, w, acme.AdminPlain, "/account/two-step")
	p.Fill("#current", testkit.Password)
	p.ClickAndWaitFor(`button:text("Continue")`, "svg.qr")
	secret := p.Text("#totp")
	require.Regexp(t, `^[A-Z2-7]{32}$`, secret)
	require.Equal(t, secret, copyWith(p, "Copy"), "without blanks")
	code := w.CodeNow(t, secret)
	p.Fill("#code", code[:3]+" "+code[3:])
	p.ClickAndWaitFor(`button:text("Turn on two-step verification")`, "#codes")
	recoveryCodes := strings.Fields(p.Text("#codes"))
	require.Len(t, recoveryCodes, 10)
	p.ClickAndWaitFor(`a:text("Done")`, "dialog[open]")
	p.Click(`button:text("Stay here")`)
	require.Equal(t, recoveryCodes, strings.Fields(copyWith(p, "Copy codes")))
	file := browsertest.Eval[string](p, `new Promise((done) => {
		URL.createObjectURL = (blob) => { blob.text().then(done); return 'data:,'; };
		HTMLAnchorElement.prototype.click = () => {}; // no download
		document.querySelector('[data-download]').click();
	})`)
	require.Equal(t, recoveryCodes, strings.Fields(file))
	p.ClickAndWaitFor(`a:text("Done")`, `#live:text("Two-step verification is on. Your other sessions have ended.")`)
	p.Reload()
	require.NotContains(t, p.Text("body"), recoveryCodes[0])
}

func copyWith(p *browsertest.Page, button string) string {
	return p.CopiedText(func() {
		p.ClickAndWaitFor(`button:text("`+button+`")`, `button:text("Copied")`)
	})
}
