package system

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/app/demo"
	"dg/platform/testkit/browsertest"
)

// signIn signs the person in on the page and goes on to the screen.
func signIn(t *testing.T, p *browsertest.Page, d *apptest.Child, a demo.Account, screen string) {
	t.Helper()
	p.Open(d.URL + "/sign-in?next=" + screen)
	p.Fill("#email", a.Email)
	p.Fill("#password", a.Password)
	p.Click("button.primary")
	if a.TOTPSecret != "" {
		p.Fill("#code", apptest.CodeOf(t, a.TOTPSecret))
		p.Click("button.primary")
	}
	require.Equal(t, screen, shortened(p.Path()))
}

// shortened is a screen's path without its organisation.
func shortened(path string) string {
	if rest, ok := strings.CutPrefix(path, "/o/"); ok {
		_, screen, _ := strings.Cut(rest, "/")
		return "/" + screen
	}
	return path
}

// createAndCopyKey creates a key in the browser and returns it.
func createAndCopyKey(t *testing.T, p *browsertest.Page, d *apptest.Child, name string) string {
	t.Helper()
	p.Open(d.URL + "/settings/api-keys")
	p.Click(`a:text("Create key")`)
	p.Fill("#name", name)
	p.Click(`button:text("Create key")`)
	require.Equal(t, http.StatusOK, p.Status())
	key := p.Text("#secret")
	require.Regexp(t, `^dg_live_[0-9A-Za-z]{22}_[0-9A-Za-z]{49}$`, key)
	require.Equal(t, key, p.Copied(func() {
		p.Click(`button:text("Copy key")`)
		p.WaitFor(`button:text("Copied")`)
	}))
	p.WaitFor(`#live:text("Key copied.")`)
	p.Click(`a:text("Done")`)
	return key
}

func revokeFirstKey(t *testing.T, p *browsertest.Page) {
	t.Helper()
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

// The life of a key in a browser: an admin without two-step verification sets it up, creates a key,
// uses it, sees the use, revokes the key and finds all of it in the audit log. Below the Pro plan
// keys are paused and can be revoked.
func TestKeyLifeInABrowser(t *testing.T) {
	t.Parallel()
	served := serveDemo(t)
	d := served.Child
	db := served.db
	p := browsertest.New(t)
	claire := apptest.DemoAccount(t, "claire@harbour.example.com")

	signIn(t, p, d, claire, "/settings/api-keys")
	require.False(t, p.Has(`a:text("Create key")`))
	p.Click(`main a:text("Set up two-step verification")`)
	secret := strings.ReplaceAll(p.Text("#totp"), " ", "")
	p.Fill("#code", apptest.CodeOf(t, secret))
	p.Fill("#current", claire.Password)
	p.Click(`button:text("Turn on two-step verification")`)
	p.Copied(func() {
		p.Click(`button:text("Copy codes")`)
		p.WaitFor(`button:text("Copied")`)
	})
	p.Click(`a:text("Done")`)

	warehouse := createAndCopyKey(t, p, d, "Warehouse, nightly export")
	row := `tr:has(bdi[data-name]:text("Warehouse, nightly export"))`
	const lastUse = "table.keys tbody tr:first-child [data-use]"
	require.Equal(t, "Never used", p.Text(lastUse))
	require.True(t, d.Accepts(warehouse))
	p.Reload()
	require.NotEqual(t, "Never used", p.Text(lastUse), row)

	revokeFirstKey(t, p)
	require.False(t, d.Accepts(warehouse))
	p.Click(`nav.sidebar a:text("Audit log")`)
	log := p.Text("main")
	for _, entry := range []string{
		"Key created", "Key revoked", "Request refused", "Reason: revoked",
	} {
		require.Contains(t, log, entry)
	}
	require.NotContains(t, log, warehouse[31:], "a secret")

	// Below the Pro plan.
	paused := createAndCopyKey(t, p, d, "LMS")
	db.Exec(`update organisations set plan = 'team' where slug = 'harbour-and-vale'`)
	require.False(t, d.Accepts(paused))
	p.Open(d.URL + "/settings/api-keys")
	require.Contains(t, strings.ToLower(p.Text(".note.warn")), "paused")
	require.False(t, p.Has(`a:text("Create key")`))
	revokeFirstKey(t, p)
	db.Exec(`update organisations set plan = 'pro' where slug = 'harbour-and-vale'`)
	require.False(t, d.Accepts(paused), "revoked while it was paused")
}
