package account_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"dg/modules/identity"
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

// Every address that creation accepts signs in as a browser sends it, and the browser's field takes no
// address that creation refuses.
func TestBrowserSignsInEveryAcceptedEmail(t *testing.T) {
	t.Parallel()
	w, _ := webtest.StartAcme(t)
	accepted := []string{
		"Li.XiaoLong@Example.ORG", "maryam@bücher.example", "astro@BÜCHER.example ", "and@faß.example",
		"zhang@例子.example", "olga@пример.example", "o'hara+tag@example.org", "{brace}|pipe@example.org",
		"a!#$%&*/=?^_`~-@example.org", "  blanks@example.org ", "root@localhost", "1@2.3", ".a..b.@example.org",
		"v@r3---sn-4g5e.example.org", strings.Repeat("l", 242) + "@example.org",
	}
	for _, email := range accepted {
		_, ok := identity.ParseEmail(email)
		require.True(t, ok, email)
		w.Person(testkit.Person{Email: strings.TrimSpace(email), Name: "Name of " + email})
	}
	require.NoError(t, identity.RewriteEmailKeys(t.Context(), w.Owner))
	p := browsertest.New(t)
	for _, email := range accepted {
		p.Open(w.Base + "/sign-in?next=/account")
		p.Fill("#email", email)
		p.Fill("#password", testkit.Password)
		p.Press(kb.Enter)
		p.WaitFor(`h1:text("Account")`)
		require.Contains(t, p.Text("main"), strings.TrimSpace(email), "shown as written")
		p.Click(`button:text("Sign out")`)
		p.WaitFor(`h1:text("Sign in")`)
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
