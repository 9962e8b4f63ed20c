package keys_test

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/platform/testkit/browsertest"
	"dg/web/internal/webtest"
)

func tabTo(t *testing.T, p *browsertest.Page, selector string) {
	t.Helper()
	for range 40 {
		if strings.Contains(p.FocusedElement(), selector) {
			return
		}
		p.Press(kb.Tab)
	}
	t.Fatalf("the keyboard does not reach %q", selector)
}

// Errors link to their fields, "On a date" shows the date field, and a double click submits the form once.
func TestKeyFormWorksByKeyboard(t *testing.T) {
	w, acme := webtest.StartAcme(t)
	p := browsertest.New(t)
	webtest.SignInWith(p, w, acme.Owner, acme.Path("/settings/api-keys/new"))
	tabTo(t, p, "<button> Create key")
	p.Press(kb.Enter)
	p.WaitFor("#errors")
	require.Contains(t, p.FocusedElement(), "#errors")
	p.Press(kb.Tab, kb.Enter) // the first link of the error summary
	require.Equal(t, "<input#name>", p.FocusedElement())
	// the second Tab leaves the description empty, and the space unticks the scope forks:read
	p.Press("BI by keyboard", kb.Tab, kb.Tab, " ", kb.Tab)
	require.Equal(t, "<input#sr>", p.FocusedElement())
	p.Click("#xday")
	require.Equal(t, 1, p.Count("#day"))
	p.Fill("#day", "2199-12-31")
	webtest.RequireAccessible(t, p, "new key with a day")
	p.Click("#xday")
	p.Press(kb.ArrowDown) // selects "Never", which hides the day
	require.Zero(t, p.Count("#day"))
	browsertest.Eval[any](p, `{
		const button = document.querySelector('main button.primary');
		button.click();
		setTimeout(() => button.click(), 5);
	}`)
	p.WaitFor("#secret")
	require.Equal(t, acme.Path("/settings/api-keys"), p.Path(), "what the history leads back to")
	p.Click(`a:text("Done")`)
	p.ClickAndWaitFor(`#leave[open] button:text("Leave anyway")`, "table.keys")
	keys := w.AllKeys(t, acme)
	require.Len(t, keys, 1)
	require.Nil(t, keys[0].ExpiresAt)
	require.Equal(t, apikeys.Scopes{apikeys.ReportsRead}, keys[0].Scopes)
}

// The browser asks before it leaves a secret that was not copied completely. No step back shows the secret again.
func TestBrowserAsksBeforeLeavingTheSecret(t *testing.T) {
	w, acme := webtest.StartAcme(t)
	p := browsertest.New(t)
	list := acme.Path("/settings/api-keys")
	webtest.SignInWith(p, w, acme.Owner, list)
	p.Click(`a:text("Create key")`)
	p.Fill("#name", "BI")
	p.ClickAndWaitFor(`main button.primary`, "#secret")
	secret := p.Text("#secret")
	prompts := 0
	p.OnLeavePrompt(func() (leave bool) {
		prompts++
		return false
	})
	p.Back()
	require.Equal(t, 1, prompts)
	require.Equal(t, secret, p.Text("#secret"))

	copySelection := func(selection string) string {
		browsertest.Eval[any](p, selection)
		return p.CopiedText(func() { browsertest.Eval[any](p, `document.execCommand('copy')`) })
	}
	require.NotContains(t, copySelection(`{
		const text = document.getElementById('secret').firstChild;
		getSelection().setBaseAndExtent(text, 0, text, 70);
	}`), secret)
	p.Click(`a:text("Done")`)
	p.Click(`#leave[open] button:text("Stay here")`)
	require.Contains(t, copySelection(`getSelection().selectAllChildren(document.querySelector('main'))`), secret)
	tabTo(t, p, "Done")
	p.Press(kb.Enter)
	p.WaitFor("table.keys")
	require.Equal(t, 1, prompts, "copying disarms the guard")
	for i, step := range []func(){func() {}, p.Reload, p.Back} {
		step()
		markup := browsertest.Eval[string](p, `document.documentElement.outerHTML`)
		require.NotContains(t, markup, secret[31:], "step %d", i)
		require.Equal(t, list, p.Path(), "form and secret have no place in the history: step %d", i)
	}
}

// A form's response adds no POST to the history: neither a reload nor Back submits the form again.
func TestReloadAndBackDoNotResubmitForms(t *testing.T) {
	w, acme := webtest.StartAcme(t)
	p := browsertest.New(t)
	webtest.SignInWith(p, w, acme.Owner, acme.Path("/settings/api-keys/new"))
	p.ClickAndWaitFor(`main button.primary`, "#errors")
	p.Reload()
	require.Zero(t, p.Count("#errors"), "a form that was sent again has its errors again")
	p.ClickAndWaitFor(`main button.primary`, "#errors")
	require.Contains(t, p.FocusedElement(), "#errors")
	p.Fill("#name", "BI")
	p.ClickAndWaitFor(`main button.primary`, "#secret")
	require.Eventually(t, func() bool { return strings.HasPrefix(p.FocusedElement(), "<h1> Key created") },
		time.Minute, 10*time.Millisecond, "a screen reader reads the answer")
	browsertest.Eval[any](p, `{ navigator.clipboard.writeText = () => Promise.reject(); }`)
	p.ClickAndWaitFor(`[data-copy="secret"]`, `button:text("Failed: press Ctrl+C")`)
	p.Reload()
	p.WaitFor("table.keys")
	p.Back()
	require.Zero(t, p.Count("#errors"))
	require.Equal(t, 3, strings.Count(w.ProgramLog.String(), "method=POST route=/o/:org/settings/api-keys"))
	require.Len(t, w.AllKeys(t, acme), 1)
}
