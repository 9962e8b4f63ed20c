package account_test

import (
	"net/url"
	"slices"
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

// The account page shows name, e-mail and two-step verification. A member sees neither reports nor settings.
func TestAccountShowsThePersonAndSecurity(t *testing.T) {
	w, acme := webtest.StartAcme(t)
	w.DB.Exec(`update users set name = '<b>Ilya</b> "Petrov"' where id = $1`, acme.Member.ID)
	b := w.SignIn(t, acme.Member)
	p := b.Get("/account").Is(t, 200).Lacks(t, "Reports</a>", `class="sidebar`).Has(t, "<bdi>&lt;b&gt;Ilya&lt;/b&gt;",
		acme.Member.Email, "Set up two-step verification", "<title>Account – ", `<a href="/account" aria-current="true">`)
	require.Equal(t, []string{"Only owners and admins can open reports and settings. " +
		"The operator of DG can change your role."}, webtest.NoteTexts(t, p))
	require.Empty(t, webtest.NoteTexts(t, w.SignIn(t, acme.AdminPlain).Get("/account")))
	w.SignIn(t, acme.Admin).Get("/account").Has(t, `<span class="state on">On`)
}

// Signing out everywhere ends all sessions of this person alone. A password reset signs out the browser that sends it.
func TestSignOutEverywhereEndsAllSessions(t *testing.T) {
	w, acme, b := webtest.StartAsOwner(t)
	other := w.SignIn(t, acme.Owner)
	colleague := w.SignIn(t, acme.AdminPlain)
	b.Get("/account").Has(t, "<button>Sign out everywhere</button>")
	testkit.RequireRedirect(t, "/sign-in", b.Post("/account", url.Values{}))
	require.NotContains(t, b.Cookies, "__Host-dg")
	testkit.RequireRedirect(t, "/sign-in?next=%2Faccount", other.Get("/account"))
	colleague.Get("/account").Is(t, 200)
	w.DB.Exec(`insert into account_resets select id, sha256('reset'), now() + interval '1 h' from users where id = $1`,
		acme.Admin.ID)
	reset := testkit.Form("token", "reset", "new", "battery horse", "repeat", "battery horse")
	colleague.Post("/account/reset", reset).Is(t, 200)
	colleague.Post("/account/reset", reset).Is(t, 404).Has(t, "If you have set a password, sign in with it")
	require.Empty(t, colleague.Cookies, "a reset signs this browser out, whoever used it")
	require.Equal(t, 2, w.DB.CountRows(`audit_entries where action in ('password.reset', 'two_step.turned_off')`))
}

// A new password ends the other sessions. Ten wrong passwords lock the form. The well-known URL leads to it.
func TestPasswordIsChanged(t *testing.T) {
	w, acme, b := webtest.StartAsOwner(t)
	require.Equal(t, "/account/password", b.Get("/.well-known/change-password").Is(t, 302).Header.Get("Location"))
	other := w.SignIn(t, acme.Owner)
	const wrong, newPassword = "wrong horse battery", "battery horse staple"
	change := func(current, password, repeat string) testkit.Page {
		return b.Post("/account/password", testkit.Form("current", current, "new", password, "repeat", repeat))
	}
	for want, p := range map[string]testkit.Page{
		"The password is wrong":      change(wrong, newPassword, newPassword),
		"Use at least 12 characters": change(testkit.Password, "short", "short"),
		"The passwords do not match": change(testkit.Password, newPassword, newPassword+"r"),
	} {
		p.Is(t, 422).Has(t, want, "<title>Error: Change password").Lacks(t, testkit.Password, newPassword)
	}
	testkit.RequireRedirect(t, "/account", change(testkit.Password, newPassword, newPassword))
	testkit.RequireRedirect(t, "/sign-in", other.Get("/"))
	require.Contains(t, webtest.NoteTexts(t, b.Get("/account"))[0], "Password changed. Your other sessions have ended.")
	for range 10 {
		change(wrong, newPassword, newPassword)
	}
	change(newPassword, newPassword, newPassword).Is(t, 429).Has(t, "Too many failed attempts.", "Stay signed in")
}

func recoveryCodesIn(t *testing.T, p testkit.Page) []string {
	codes := testkit.Submatches(`<li>([0-9a-z-]{19})</li>`, p.Is(t, 200).Body)
	require.Len(t, codes, 10)
	return slices.Concat(codes...)
}

// Two-step verification is turned on with the password and a code of the shown secret, and off with password and code.
func TestTwoStepIsTurnedOnAndOff(t *testing.T) {
	w, acme := webtest.StartAcme(t)
	b := w.SignIn(t, acme.AdminPlain)
	begin := func(current string) testkit.Page {
		return b.Post("/account/two-step", testkit.Form("do", "begin", "current", current))
	}
	b.Get("/account/two-step").Has(t, "Current password").Lacks(t, "totp")
	begin("wrong horse battery").Is(t, 422).Has(t, "The password is wrong.").Lacks(t, "totp")
	secret := b.BeginTwoStep(testkit.Password)
	shown := "<span>" + secret[:4] + "</span>"
	b.Get("/account/two-step").Has(t, shown, `<path d="M0 0h7v1h-7z`) // a finder pattern of the QR code
	testkit.RequireRedirect(t, "/account/two-step", b.Get("/account/recovery-codes"))

	change := func(do, code, current string) testkit.Page {
		return b.Post("/account/two-step", testkit.Form("do", do, "code", code, "current", current))
	}
	code := w.CodeNow(t, secret)
	change("on", "abcdef", "").Is(t, 422).Has(t, "The code is wrong", shown)
	codes := recoveryCodesIn(t, change("on", code[:3]+" "+code[3:], ""))
	b.Get("/account").Has(t, `<span class="state on">On since <time`,
		"<strong>Two-step verification is on.</strong> Your other sessions have ended.",
		"10 of 10 recovery codes left.").Lacks(t, codes[0])

	b.Get("/account/two-step").Has(t, "Turn off two-step verification").Lacks(t, shown)
	change("off", "abcdef", testkit.Password).Is(t, 422)
	change("off", w.CodeNow(t, secret), "").Is(t, 422)
	testkit.RequireRedirect(t, "/account", change("off", codes[0], testkit.Password))
	b.Get("/account").Has(t, "Two-step verification is off.")
}

// New recovery codes need the password and a code, and void the old ones. Each works in place of a code of the app.
func TestRecoveryCodesAreReplacedAndUsed(t *testing.T) {
	w, acme := webtest.StartAcme(t)
	b := w.SignIn(t, acme.Admin)
	b.Get("/account").Has(t, "No recovery codes left")
	replace := func(current, code string) testkit.Page {
		return b.Post("/account/recovery-codes", testkit.Form("current", current, "code", code))
	}
	replace(testkit.Password, "000000").Is(t, 422)
	old := recoveryCodesIn(t, replace(testkit.Password, w.CodeNow(t, testkit.TOTPSecret)))
	codes := recoveryCodesIn(t, replace(testkit.Password, old[0]))
	b.Get("/account").Has(t, "<strong>Recovery codes replaced.</strong> The old ones no longer work.")
	require.Equal(t, 2, w.DB.CountRows(`audit_entries where action = 'recovery_codes.replaced'`))

	withoutPhone := w.Browser(t)
	withoutPhone.Post("/sign-in?next=%2Faccount", webtest.Credentials(acme.Admin))
	const recovery = "/sign-in/code?next=%2Faccount&recovery=1"
	withoutPhone.Post(recovery, testkit.Form("code", old[1])).Is(t, 401).Has(t, "Check it, or enter another one")
	testkit.RequireRedirect(t, "/account", withoutPhone.Post(recovery, testkit.Form("code", strings.ToUpper(codes[1]))))
	withoutPhone.Get("/account").Has(t, "9 of 10 recovery codes left.",
		"<strong>9 recovery codes left.</strong> Create new ones in your account.")
}

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
	otherForm := testkit.Form("code", "000000", "account", acme.Owner.ID)
	testkit.RequireRedirect(t, "/sign-in", b.Post("/sign-in/code", otherForm))
	for range 10 {
		b.Post("/sign-in/code", testkit.Form("code", "000000")).Is(t, 401).Has(t, "Wrong code.", acme.Admin.ID,
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
