package account_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit"
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
	colleague := w.SignIn(t, acme.Admin)
	b.Get("/account").Has(t, "<button>Sign out everywhere</button>")
	testkit.RequireRedirect(t, "/sign-in", b.Post("/account", url.Values{}))
	require.NotContains(t, b.Cookies, "__Host-dg")
	testkit.RequireRedirect(t, "/sign-in?next=%2Faccount", other.Get("/account"))
	colleague.Get("/account").Is(t, 200)
	w.DB.Exec(`insert into account_resets select id, sha256('reset'), now() + interval '1 h' from users where id = $1`,
		acme.Owner.ID)
	reset := testkit.Form("token", "reset", "new", "battery horse", "repeat", "battery horse")
	colleague.Post("/account/reset", reset).Is(t, 200)
	colleague.Post("/account/reset", reset).Is(t, 404).Has(t, "If you have set a password, sign in with it")
	require.Empty(t, colleague.Cookies, "a reset signs this browser out, whoever used it")
}

// A new password ends the other sessions. Ten wrong passwords lock the form. The well-known URL leads to it.
func TestPasswordIsChanged(t *testing.T) {
	w, acme, b := webtest.StartAsOwner(t)
	require.Equal(t, "/account/password", b.Get("/.well-known/change-password").Is(t, 302).Header.Get("Location"))
	other := w.SignIn(t, acme.Owner)
	const wrong = "wrong horse battery"
	const newPassword = "battery horse staple"
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
	change(newPassword, newPassword, newPassword).Is(t, 429).Has(t, "Too many failed attempts.")
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

	withoutPhone := w.Browser(t)
	withoutPhone.Post("/sign-in?next=%2Faccount", webtest.Credentials(acme.Admin))
	const recovery = "/sign-in/code?next=%2Faccount&recovery=1"
	withoutPhone.Post(recovery, testkit.Form("code", old[1])).Is(t, 401).Has(t, "Check it, or enter another one")
	testkit.RequireRedirect(t, "/account", withoutPhone.Post(recovery, testkit.Form("code", strings.ToUpper(codes[1]))))
	withoutPhone.Get("/account").Has(t, "9 of 10 recovery codes left.",
		"<strong>9 recovery codes left.</strong> Create new ones in your account.")
}
