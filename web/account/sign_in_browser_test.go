package account_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"dg/platform/testkit"
	"dg/platform/testkit/browsertest"
	"dg/web/internal/webtest"
)

// A wrong password or code leaves the focus in its field. A password can be shown while it is typed.
// After the sign-out, going back shows nothing of the account.
func TestSignInByKeyboard(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
	p := browsertest.New(t)
	p.Open(w.Base + "/account")
	require.Equal(t, "/sign-in?next=%2Faccount", p.Path())
	p.Press(acme.Admin.Email, kb.Tab, "wrong horse battery", kb.Tab, kb.Enter)
	require.Equal(t, "text", p.Attr("#password", "type"), "it is shown")
	require.Equal(t, "<input#password>", p.Focused())
	p.Press(kb.Enter)
	p.WaitFor("#errors")
	p.Press(testkit.Password, kb.Enter) // the e-mail is kept
	p.WaitFor("#code")
	p.Press("000000", kb.Enter)
	p.WaitFor("#errors")
	p.Press(w.CodeNow(t, testkit.TOTPSecret), kb.Enter)
	p.WaitFor(`h1:text("Account")`)
	require.Equal(t, "/account", p.Path())
	p.Click(`button:text("Sign out")`)
	p.WaitFor(`h1:text("Sign in")`)
	p.Back()
	p.WaitFor(`h1:text("Sign in")`)
}

// The script copies the secret and the recovery codes, saves the codes as a file, and asks before a
// page is left whose codes were not kept. They are shown once.
func TestTwoStepIsSetUpInABrowser(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
	p := browsertest.New(t)
	webtest.SignInWith(p, w, acme.AdminPlain, "/account/two-step")
	p.Fill("#current", testkit.Password)
	p.Click(`button:text("Continue")`)
	p.WaitFor("svg.qr")
	secret := p.Text("#totp")
	require.Regexp(t, `^[A-Z2-7]{32}$`, secret)
	require.Equal(t, secret, copied(p, "Copy"), "without blanks")
	code := w.CodeNow(t, secret)
	p.Fill("#code", code[:3]+" "+code[3:])
	p.Click(`button:text("Turn on two-step verification")`)
	p.WaitFor("#codes")
	recovery := strings.Fields(p.Text("#codes"))
	require.Len(t, recovery, 10)
	p.Click(`a:text("Done")`)
	p.WaitFor("dialog[open]")
	p.Click(`button:text("Stay here")`)
	require.Equal(t, recovery, strings.Fields(copied(p, "Copy codes")))
	file := browsertest.Eval[string](p, `new Promise((done) => {
		URL.createObjectURL = (blob) => { blob.text().then(done); return 'data:,'; };
		HTMLAnchorElement.prototype.click = () => {}; // the download itself
		document.querySelector('[data-download]').click();
	})`)
	require.Equal(t, recovery, strings.Fields(file))
	p.Click(`a:text("Done")`)
	p.WaitFor(`.note[role="status"]`)
	require.Contains(t, p.Text(`.note[role="status"]`), "Two-step verification is on.")
	p.Reload()
	require.NotContains(t, p.Text("body"), recovery[0])
}

func copied(p *browsertest.Page, button string) string {
	return p.Copied(func() {
		p.Click(`button:text("` + button + `")`)
		p.WaitFor(`button:text("Copied")`)
	})
}
