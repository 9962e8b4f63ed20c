package system

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/app/demo"
	"dg/platform/testkit"
	"dg/platform/testkit/browsertest"
)

func signIn(t *testing.T, p *browsertest.Page, d *apptest.Child, a demo.Account, screen string) {
	p.Open(d.URL + "/sign-in?next=" + screen)
	p.Fill("#email", a.Email)
	p.Fill("#password", a.Password)
	p.Click("button.primary")
	if a.TOTPSecret != "" {
		p.Fill("#code", testkit.CodeOf(t, a.TOTPSecret, time.Now()))
		p.Click("button.primary")
	}
	require.Regexp(t, `^(/o/[^/]+)?`+screen+`$`, p.Path())
}

func revokeFirstKey(t *testing.T, p *browsertest.Page) {
	p.Click("table.keys tbody tr:first-child a.revoke")
	p.WaitFor("dialog[open]")
	require.Contains(t, p.Focused(), "Cancel")
	p.Press(kb.Escape)
	p.WaitFor("body:not(:has(dialog[open]))")
	require.Contains(t, p.Focused(), "Revoke", "the focus returns to the link")
	p.Press(kb.Enter)
	p.WaitFor("dialog[open]")
	p.Click("dialog[open] button.danger")
}

// The life of a key in a browser: a person creates it, uses it, sees the use, revokes it and finds all
// of it in the audit log. Below the Pro plan keys are paused and can be revoked. Package account proves
// that two-step verification is set up.
func TestKeyLifeInABrowser(t *testing.T) {
	t.Parallel()
	d := serveDemo(t)
	p := browsertest.New(t)
	signIn(t, p, d.Child, apptest.DemoAccount(t, "maren@harbour.example.com"), "/settings/api-keys")
	d.db.Exec(`delete from api_keys`)
	create := func() (key string) {
		p.Click(`a:text("Create key")`)
		createKey(p)
		key = p.Text("#secret")
		require.Regexp(t, `^dg_live_[0-9A-Za-z]{22}_[0-9A-Za-z]{49}$`, key)
		require.Equal(t, key, p.Copied(func() { p.Click(`button:text("Copy key")`) }))
		p.WaitFor(`#live:text("Key copied.")`)
		p.Click(`a:text("Done")`)
		return key
	}
	key := create()
	require.Equal(t, "Never used", p.Text("[data-use]"))
	require.True(t, d.Accepts(key))
	p.Reload()
	require.NotEqual(t, "Never used", p.Text("[data-use]"))
	revokeFirstKey(t, p)
	require.False(t, d.Accepts(key))
	p.Click(`nav.sidebar a:text("Audit log")`)
	log := p.Text("main")
	for _, entry := range []string{"Key created", "Key revoked", "Request refused", "Reason: revoked"} {
		require.Contains(t, log, entry)
	}
	require.NotContains(t, log, key[31:], "a secret")

	p.Open(d.URL + "/settings/api-keys")
	paused := create()
	d.db.Exec(`update organisations set plan = 'team' where slug = 'harbour-and-vale'`)
	require.False(t, d.Accepts(paused))
	p.Reload()
	require.Contains(t, strings.ToLower(p.Text(".note.warn")), "paused")
	require.Zero(t, p.Count(`a:text("Create key")`))
	revokeFirstKey(t, p)
	d.db.Exec(`update organisations set plan = 'pro' where slug = 'harbour-and-vale'`)
	require.False(t, d.Accepts(paused), "revoked while it was paused")
}

// The reference sends an operation with a key to the address of the page, without the session, and
// stores nothing of the key. The browser logs what the content security policy blocks, which fails
// the test.
func TestReferenceSendsRequestsWithAKey(t *testing.T) {
	t.Parallel()
	address := apptest.FreeAddress(t)
	d := apptest.Launch(t, "serve", "--data-dir", apptest.NewFolder(t), "--addr", address,
		"--ops-addr", "127.0.0.1:0", "--demo", "--base-url", "http://localhost:1").UntilServing()
	key := d.DemoToken()
	p := browsertest.New(t)
	p.Open("http://" + address + "/docs") // not the address that the document names
	p.Click(`a:text("Reference")`)
	p.Click(`main a:text("Get the statistics of a fork")`)
	tryWith(p, key)
	assert.Contains(t, p.Text(".answer"), "\n200\n", "the fork of the examples is the demo's")
	assert.Contains(t, p.Text(".answer"), "ratelimit: \"key\"")
	looksRight(t, p)
	shoot(t, p, "reference-tried")

	assert.Zero(t, browsertest.Eval[int](p, `localStorage.length + sessionStorage.length`),
		"nothing is kept of the key, for the next reader of this browser")

	p.Open("/docs/reference/listForks")
	tryWith(p, key)
	assert.Contains(t, p.Text(".answer"), "\n200\n")
	assert.Contains(t, p.Text(".answer"), `"items": [`)
}

func tryWith(p *browsertest.Page, key string) {
	p.Click("[data-try] > summary")
	p.Fill("#try-key", key)
	p.Click("[data-try] button.primary")
	p.WaitFor(".answer[data-answered]")
}
