package web_test

import (
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"

	"dg/platform/testkit/browsertest"
	"dg/platform/testkit/fixtures"
)

// looksRight demands of a screen, on a desk and on a phone, what all of them keep. The tests of app look at the same screens
// in the other two combinations of width and scheme.
func looksRight(t *testing.T, p *browsertest.Page, name string) {
	t.Helper()
	for _, width := range []int{320, 1280} {
		p.Emulate(width, width == 1280)
		require.Empty(t, p.Axe(), "%s, %d px", name, width)
		require.Empty(t, p.SmallTargets(), "%s, %d px", name, width)
		require.False(t, p.ScrollsSideways(), "%s, %d px", name, width)
	}
	p.Emulate(1280, false)
}

// Keyboard only, from the sign-in on, with password and code.
func TestSignInByKeyboard(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	p := browsertest.New(t)
	p.AllowError("status of 422") // of forms that come back
	p.Open(w.url + "/account")
	require.Equal(t, "/sign-in?next=%2Faccount", p.Path())
	looksRight(t, p, "sign-in")
	p.Press(acme.admin.Email, "Tab", "wrong horse battery", "Enter")
	p.WaitFor("#errors")
	looksRight(t, p, "sign-in with an error")
	p.Press(fixtures.Password, "Enter") // the e-mail has stayed, and the focus is in the password
	p.WaitFor("#code")
	looksRight(t, p, "code")
	p.Press("000000", "Enter")
	p.WaitFor("#errors")
	looksRight(t, p, "code with an error")
	p.Press(w.codeNow(t, fixtures.TOTPSecret), "Enter")
	p.WaitFor("h1:text(\"Account\")")
	require.Equal(t, "/account", p.Path())
	looksRight(t, p, "account")
	for range 20 { // to the button in the top bar, as the keyboard goes
		if p.Press("Tab"); strings.Contains(p.Focused(), "Sign out") {
			break
		}
	}
	p.Press("Enter")
	p.WaitFor("h1:text(\"Sign in\")")
	p.Back()
	p.WaitFor("h1:text(\"Sign in\")") // nothing of what was shown before
}

// toAccount signs in on the way to the account, up to the question for a code if there is one.
func toAccount(p *browsertest.Page, w *world, who fixtures.Person) {
	p.Open(w.url + "/sign-in?next=/account")
	p.Fill("#email", who.Email)
	p.Fill("#password", fixtures.Password)
	p.Click("main button")
}

func TestTwoStepIsSetUpInABrowser(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	p := browsertest.New(t)
	p.AllowError("status of 422")
	toAccount(p, w, acme.adminPlain)
	p.Click(`a:text("Set up two-step verification")`)
	looksRight(t, p, "enrolment")
	require.True(t, p.Has("svg.qr"))
	secret := strings.ReplaceAll(p.Text("#totp"), " ", "")
	require.Equal(t, secret, strings.ReplaceAll(copied(p, "Copy"), " ", ""))
	p.Fill("#code", "000000")
	p.Fill("#current", fixtures.Password)
	p.Click(`button:text("Turn on two-step verification")`)
	p.WaitFor("#errors")
	looksRight(t, p, "enrolment with an error")
	code, err := totp.GenerateCode(secret, time.Now())
	require.NoError(t, err)
	p.Fill("#code", code[:3]+" "+code[3:])
	p.Fill("#current", fixtures.Password)
	p.Click(`button:text("Turn on two-step verification")`)
	p.WaitFor("#codes")
	looksRight(t, p, "recovery codes")
	recovery := strings.Fields(p.Text("#codes"))
	require.Len(t, recovery, 10)
	p.Click(`a:text("Done")`)
	p.WaitFor("dialog[open]")
	looksRight(t, p, "leaving the recovery codes")
	p.Click(`button:text("Stay here")`)
	require.Equal(t, recovery, strings.Fields(copied(p, "Copy codes")))
	p.Click(`a:text("Done")`)
	p.WaitFor(`.note[role="status"]`)
	require.Contains(t, p.Text(`.note[role="status"]`), "Two-step verification is on.")
	looksRight(t, p, "account with two-step")
	p.Reload()
	require.NotContains(t, p.Text("body"), recovery[0])
}

func TestRecoveryCodesAreReplacedInABrowser(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	p := browsertest.New(t)
	toAccount(p, w, acme.admin)
	p.Fill("#code", w.codeNow(t, fixtures.TOTPSecret))
	p.Click("main button")
	p.Click(`a:text("New recovery codes")`)
	looksRight(t, p, "new recovery codes")
	p.Fill("#current", fixtures.Password)
	p.Fill("#code", w.codeNow(t, fixtures.TOTPSecret))
	p.Click(`button:text("Create recovery codes")`)
	p.WaitFor("#codes")
	recovery := strings.Fields(p.Text("#codes"))
	copied(p, "Copy codes")
	p.Reload() // leads to what comes after, and sends no form again
	p.WaitFor(`h1:text("Account")`)
	require.NotContains(t, p.Text("body"), recovery[0])
	p.Back()
	p.WaitFor(`h1:text("New recovery codes")`)
	require.False(t, p.Has("#codes"), "the codes have no place in the history")
	p.Click(`a:text("← Account")`)
	p.Click(`a:text("Change password")`)
	looksRight(t, p, "password")
	p.Click(`a:text("← Account")`)
	p.Click(`a:text("Turn off two-step verification")`)
	looksRight(t, p, "two-step to be turned off")
	p.Click(`button:text("Sign out")`)

	toAccount(p, w, acme.admin)
	p.Click(`a:text("Use a recovery code")`)
	looksRight(t, p, "recovery code")
	p.Fill("#code", recovery[0])
	p.Click("main button")
	p.WaitFor("h1:text(\"Account\")")
	require.Contains(t, p.Text("main"), "9 of 10 recovery codes left")
	p.Click(`a:text("Turn off two-step verification")`)
	p.Fill("#current", fixtures.Password)
	p.Fill("#code", w.codeNow(t, fixtures.TOTPSecret))
	p.Click(`button:text("Turn off two-step verification")`)
	p.WaitFor(`a:text("Set up two-step verification")`)
}

// All of it works without script.
func TestSignInWithoutScript(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	p := browsertest.New(t, browsertest.NoScript())
	p.Open(w.url + "/sign-in?next=/account/two-step")
	p.Fill("#email", acme.owner.Email)
	p.Fill("#password", fixtures.Password)
	p.Click("main button")
	code, err := totp.GenerateCode(strings.ReplaceAll(p.Text("#totp"), " ", ""), time.Now())
	require.NoError(t, err)
	p.Fill("#code", code)
	p.Fill("#current", fixtures.Password)
	p.Click(`button:text("Turn on two-step verification")`)
	p.WaitFor("#codes")
	p.Click(`a:text("Done")`)
	p.WaitFor(`.state:text("On")`)
}

// copied is what the button copies.
func copied(p *browsertest.Page, button string) string {
	return p.Copied(func() {
		p.Click(`button:text("` + button + `")`)
		p.WaitFor(`button:text("Copied")`)
	})
}
