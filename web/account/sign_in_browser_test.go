package account_test

import (
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"

	"dg/platform/testkit/browsertest"
	"dg/platform/testkit/fixtures"
	"dg/web/internal/webtest"
)

// Keyboard only, from the sign-in on, with password and code.
func TestSignInByKeyboard(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	acme := w.Organisation("acme")
	p := browsertest.New(t)
	p.AllowError("status of 422") // of forms that come back
	p.Open(w.URL + "/account")
	require.Equal(t, "/sign-in?next=%2Faccount", p.Path())
	webtest.LooksRight(t, p, "sign-in")
	p.Press(acme.Admin.Email, "Tab", "wrong horse battery", "Enter")
	p.WaitFor("#errors")
	webtest.LooksRight(t, p, "sign-in with an error")
	p.Press(fixtures.Password, "Enter") // the e-mail has stayed, and the focus is in the password
	p.WaitFor("#code")
	webtest.LooksRight(t, p, "code")
	p.Press("000000", "Enter")
	p.WaitFor("#errors")
	webtest.LooksRight(t, p, "code with an error")
	p.Press(w.CodeNow(t, fixtures.TOTPSecret), "Enter")
	p.WaitFor("h1:text(\"Account\")")
	require.Equal(t, "/account", p.Path())
	webtest.LooksRight(t, p, "account")
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

func TestTwoStepIsSetUpInABrowser(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	acme := w.Organisation("acme")
	p := browsertest.New(t)
	p.AllowError("status of 422")
	webtest.ToAccount(p, w, acme.AdminPlain)
	p.Click(`a:text("Set up two-step verification")`)
	webtest.LooksRight(t, p, "enrolment")
	require.True(t, p.Has("svg.qr"))
	secret := strings.ReplaceAll(p.Text("#totp"), " ", "")
	require.Equal(t, secret, strings.ReplaceAll(copied(p, "Copy"), " ", ""))
	p.Fill("#code", "000000")
	p.Fill("#current", fixtures.Password)
	p.Click(`button:text("Turn on two-step verification")`)
	p.WaitFor("#errors")
	webtest.LooksRight(t, p, "enrolment with an error")
	code, err := totp.GenerateCode(secret, time.Now())
	require.NoError(t, err)
	p.Fill("#code", code[:3]+" "+code[3:])
	p.Fill("#current", fixtures.Password)
	p.Click(`button:text("Turn on two-step verification")`)
	p.WaitFor("#codes")
	webtest.LooksRight(t, p, "recovery codes")
	recovery := strings.Fields(p.Text("#codes"))
	require.Len(t, recovery, 10)
	p.Click(`a:text("Done")`)
	p.WaitFor("dialog[open]")
	webtest.LooksRight(t, p, "leaving the recovery codes")
	p.Click(`button:text("Stay here")`)
	require.Equal(t, recovery, strings.Fields(copied(p, "Copy codes")))
	p.Click(`a:text("Done")`)
	p.WaitFor(`.note[role="status"]`)
	require.Contains(t, p.Text(`.note[role="status"]`), "Two-step verification is on.")
	webtest.LooksRight(t, p, "account with two-step")
	p.Reload()
	require.NotContains(t, p.Text("body"), recovery[0])
}

func TestRecoveryCodesAreReplacedInABrowser(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	acme := w.Organisation("acme")
	p := browsertest.New(t)
	webtest.ToAccount(p, w, acme.Admin)
	p.Fill("#code", w.CodeNow(t, fixtures.TOTPSecret))
	p.Click("main button")
	p.Click(`a:text("New recovery codes")`)
	webtest.LooksRight(t, p, "new recovery codes")
	p.Fill("#current", fixtures.Password)
	p.Fill("#code", w.CodeNow(t, fixtures.TOTPSecret))
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
	webtest.LooksRight(t, p, "password")
	p.Click(`a:text("← Account")`)
	p.Click(`a:text("Turn off two-step verification")`)
	webtest.LooksRight(t, p, "two-step to be turned off")
	p.Click(`button:text("Sign out")`)

	webtest.ToAccount(p, w, acme.Admin)
	p.Click(`a:text("Use a recovery code")`)
	webtest.LooksRight(t, p, "recovery code")
	p.Fill("#code", recovery[0])
	p.Click("main button")
	p.WaitFor("h1:text(\"Account\")")
	require.Contains(t, p.Text("main"), "9 of 10 recovery codes left")
	p.Click(`a:text("Turn off two-step verification")`)
	p.Fill("#current", fixtures.Password)
	p.Fill("#code", w.CodeNow(t, fixtures.TOTPSecret))
	p.Click(`button:text("Turn off two-step verification")`)
	p.WaitFor(`a:text("Set up two-step verification")`)
}

// All of it works without script.
func TestSignInWithoutScript(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	acme := w.Organisation("acme")
	p := browsertest.New(t, browsertest.NoScript())
	p.Open(w.URL + "/sign-in?next=/account/two-step")
	p.Fill("#email", acme.Owner.Email)
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
