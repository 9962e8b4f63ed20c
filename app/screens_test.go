package main

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/platform/testkit/browsertest"
)

// maxTransferred is what a screen may weigh, all its files together. The reference is the exception.
const maxTransferred = 60_000

// screen is a screen as somebody sees it: a path, and what the reader does there to see it.
type screen struct {
	name, path string
	shows      string // words by which it is known to be this one
	status     int    // 0: 200
	do         func(*browsertest.Page)
}

// viewer is somebody with a browser, who looks at screens.
type viewer struct {
	email   string // empty: signed out
	screens []screen
	page    *browsertest.Page
}

// Every screen and open dialog on the demo data, in a browser: no violation of WCAG 2.2 A and AA in the light and
// the dark scheme, no sideways scrolling at 320 px, under 60 KB with all its files, nothing for the console. How long each
// takes to be answered is printed (-v), and pictures are taken into the folder DG_SHOTS.
func TestScreens(t *testing.T) {
	t.Parallel()
	dir := newFolder(t)
	d := serveOn(t, dir, "--demo")
	db := openDoor(t, dir)
	fork := read[string](t, db, `select id::text from forks where slug = 'prompting-at-the-dock'`)
	small := read[string](t, db, `select id::text from player_groups where name = 'Night shift, gate 4'`)
	hostile := read[string](t, db, `select id::text from forks where slug = 'studio-council'`)
	db.exec(t, `insert into account_resets (user_id, token_hash, expires_at)
		select id, sha256('look'), now() + interval '30 minutes' from users where email_key = 'ilya@harbour.example.com'`)
	viewers := []*viewer{
		{email: "", screens: []screen{
			{name: "sign-in", shows: "Sign in", path: "/sign-in"},
			{name: "sign-in-error", shows: "wrong", path: "/sign-in", status: http.StatusUnauthorized, do: enter("#email", "who@example.com", "#password", "wrong")},
			{name: "code", shows: "Two-step code", path: "/sign-in", do: enter("#email", "tomas@harbour.example.com", "#password", "admin-with-two-steps")},
			{name: "code-error", shows: "did not", path: "/sign-in/code", status: http.StatusUnauthorized, do: enter("#code", "000000")},
			{name: "code-recovery", shows: "Each works once", path: "/sign-in/code?recovery=1"},
			{name: "reset", shows: "This turns two-step off", path: "/account/reset?token=look"},
			{name: "reset-error", shows: "Type both again", path: "/account/reset?token=look", status: http.StatusUnprocessableEntity,
				do: enter("#new", "battery horse staple", "#repeat", "battery horse")},
			{name: "reset-used", shows: "This link no longer works", path: "/account/reset?token=x", status: http.StatusNotFound},
			{name: "docs", shows: "Reporting API", path: "/docs"},
			{name: "not-found", shows: "There is nothing here", path: "/nowhere", status: http.StatusNotFound},
		}},
		{email: "ilya@harbour.example.com", screens: []screen{
			{name: "member-account", shows: "Your sign-in", path: "/account"},
			{name: "member-forbidden", shows: "This page is not open to you", path: "/o/harbour-and-vale/reports", status: http.StatusForbidden},
			{name: "password", shows: "Change password", path: "/account/password"},
		}},
		{email: "claire@harbour.example.com", screens: []screen{
			{name: "enrol", shows: "Set up two-step", path: "/account/two-step"},
			{name: "enrol-error", shows: "Set up two-step", path: "/account/two-step", status: http.StatusUnprocessableEntity, do: enter("#code", "000000", "#current", "admin-without-second-step")},
			{name: "keys-no-two-step", shows: "two-step", path: "/settings/api-keys"},
			{name: "organisation-admin", shows: "Only an owner can change this.", path: "/settings/organisation"},
			{name: "recovery-codes", shows: "Keep these ten", path: "/account/two-step", do: func(p *browsertest.Page) {
				enter("#code", codeOf(t, strings.ReplaceAll(p.Text("#totp"), " ", "")), "#current", "admin-without-second-step")(p)
				p.WaitFor("#codes")
			}},
		}},
		{email: "tomas@harbour.example.com", screens: []screen{
			{name: "account-two-step", shows: "Turn off two-step", path: "/account/two-step"},
			{name: "recovery-codes-new", shows: "Your old ones stop working", path: "/account/recovery-codes"},
			{name: "password-code", shows: "or a recovery code", path: "/account/password"},
			{name: "account", shows: "Tomás", path: "/account"},
			{name: "reports", shows: "Prompting at the Dock", path: "/reports"},
			{name: "dashboard", shows: "Average score", path: "/o/harbour-and-vale/reports/" + fork},
			{name: "dashboard-days", shows: "Average score", path: "/o/harbour-and-vale/reports/" + fork, do: click(`summary:text("The same as a table")`)},
			{name: "dashboard-year", shows: "Average score", path: "/o/harbour-and-vale/reports/" + fork + yearUntilToday()},
			{name: "dashboard-suppressed", shows: "hidden", path: "/o/harbour-and-vale/reports/" + fork + yearUntilToday() + "&group=" + small},
			{name: "dashboard-empty", shows: "No plays", path: "/o/harbour-and-vale/reports/" + fork + "?from=2001-01-01&to=2001-01-07"},
			{name: "dashboard-bad-period", shows: "No period chosen", path: "/o/harbour-and-vale/reports/" + fork + "?from=2026-02-30&to=x", status: http.StatusBadRequest},
			{name: "docs-signed-in", shows: "Tomás", path: "/docs"},
			{name: "not-found-signed-in", shows: "There is nothing here", path: "/o/harbour-and-vale/reports/" + small, status: http.StatusNotFound},
		}},
		{email: "noor@atelier.example.org", screens: []screen{
			{name: "hostile-reports", shows: "<em>", path: "/reports"},
			{name: "hostile-dashboard", shows: "<em>", path: "/o/atelier-north-light/reports/" + hostile + yearUntilToday()},
			{name: "keys-empty", shows: "No keys", path: "/settings/api-keys"},
			{name: "audit-older", shows: "Nothing older", path: "/o/atelier-north-light/settings/audit-log?before=1"},
			{name: "hostile-organisation", shows: "<North", path: "/settings/organisation"},
		}},
		{email: "maren@harbour.example.com", screens: []screen{
			{name: "keys", shows: "Never used", path: "/settings/api-keys"},
			{name: "key-new", shows: "Create key", path: "/settings/api-keys/new"},
			{name: "key-new-errors", shows: "Nothing has been saved", path: "/settings/api-keys/new", status: http.StatusBadRequest, do: click(`main button.primary`)},
			{name: "key-created", shows: "Copy it now", path: "/settings/api-keys/new", do: createKey},
			{name: "key-leave-dialog", shows: "Leave", path: "/settings/api-keys/new", do: func(p *browsertest.Page) {
				createKey(p)
				p.Click(`header a.mark`)
				p.WaitFor("dialog[open]")
			}},
			{name: "key-already-created", shows: "already", path: "/settings/api-keys/new", do: func(p *browsertest.Page) {
				fillKey(p)
				p.Eval(`fetch(document.querySelector('main form').action, {method: 'POST', body: new URLSearchParams(new FormData(document.querySelector('main form')))}).then(() => 0)`, nil)
				p.Click(`main button.primary`)
			}},
			{name: "revoke-dialog", shows: "Revoke", path: "/settings/api-keys", do: func(p *browsertest.Page) {
				p.Click("table.keys tbody tr:first-child a.revoke")
				p.WaitFor("dialog[open]")
			}},
			{name: "revoke", shows: "Revoke", path: "/settings/api-keys", do: func(p *browsertest.Page) { p.Open(p.Attr("table.keys a.revoke", "href")) }},
			{name: "revoked", shows: "revoked", path: "/settings/api-keys", do: func(p *browsertest.Page) {
				p.Open(p.Attr("table.keys a.revoke", "href"))
				p.Click("main button.danger")
			}},
			{name: "keys-revoked", shows: "Revoked", path: "/settings/api-keys", do: click("main details summary")},
			{name: "audit", shows: "Key created", path: "/settings/audit-log"},
			{name: "audit-entry", shows: "Request id", path: "/settings/audit-log", do: func(p *browsertest.Page) { p.Open(p.Attr("table.log td.do a", "href")) }},
			{name: "audit-none", shows: "Clear the filters", path: "/o/harbour-and-vale/settings/audit-log?from=2001-01-01&to=2001-01-02"},
			{name: "organisation", shows: "Change reporting mode", path: "/settings/organisation"},
			{name: "reporting-mode", shows: "Nominative", path: "/o/harbour-and-vale/settings/organisation/reporting-mode"},
		}},
	}
	for _, r := range viewers {
		r.page = browsertest.New(t)
	}
	t.Run("each viewer", func(t *testing.T) {
		for _, r := range viewers {
			t.Run(cmp.Or(r.email, "signed out"), func(t *testing.T) {
				t.Parallel()
				r.lookAround(t, d)
			})
		}
	})
	t.Run("time", func(t *testing.T) { // one after the other
		for _, r := range viewers {
			r.measure(t)
		}
	})
	// What is seen where things are no longer as above.
	db.exec(t, `update organisations set plan = 'team' where slug = 'harbour-and-vale'`)
	db.exec(t, `insert into memberships (org_id, user_id, role)
		select o.id, u.id, 'owner' from organisations o, users u where o.slug = 'atelier-north-light' and u.email_key = 'ilya@harbour.example.com'`)
	for _, r := range []*viewer{
		{email: "maren@harbour.example.com", screens: []screen{{name: "keys-below-pro", shows: "paused", path: "/settings/api-keys"}}},
		{email: "ilya@harbour.example.com", screens: []screen{{name: "organisations", shows: "Your organisations", path: "/"}}},
	} {
		r.page = browsertest.New(t)
		r.lookAround(t, d)
	}
}

// lookAround looks at each screen of the viewer.
func (r *viewer) lookAround(t *testing.T, c *child) {
	r.page.With(t).Open(c.url + "/sign-in")
	if r.email != "" {
		signIn(t, r.page.With(t), c, demoAccount(t, r.email), "/account")
	}
	for _, s := range r.screens {
		t.Run(s.name, func(t *testing.T) {
			p := r.page.With(t)
			p.ClearCache()
			p.Open(s.path)
			transferred := p.TransferSize()
			if s.do != nil {
				s.do(p)
				transferred = max(transferred, p.TransferSize())
			}
			require.Equal(t, cmp.Or(s.status, http.StatusOK), p.Status())
			require.Contains(t, p.Text("body"), s.shows)
			assert.Less(t, transferred, maxTransferred)
			t.Logf("%d bytes", transferred)
			noViolations(t, p)
			p.Emulate(320, false)
			assert.False(t, p.ScrollsSideways(), "at 320 px")
			assert.Empty(t, p.SmallTargets(), "at 320 px")
			shoot(p, s.name)
			p.Emulate(1280, false)
		})
	}
}

// measure prints how long the viewer's screens take to be answered: the median of seven.
func (r *viewer) measure(t *testing.T) {
	p := r.page.With(t)
	for _, s := range r.screens {
		answers := make([]float64, 7)
		for i := range answers {
			p.Open(s.path)
			p.Eval(`(({requestStart, responseEnd}) => responseEnd - requestStart)(performance.getEntriesByType('navigation')[0])`, &answers[i])
		}
		slices.Sort(answers)
		t.Logf("%5.1f ms  %s", answers[len(answers)/2], s.name)
	}
}

// enter fills fields, given as selector and text, and sends the form.
func enter(fields ...string) func(*browsertest.Page) {
	return func(p *browsertest.Page) {
		for i := 0; i < len(fields); i += 2 {
			p.Fill(fields[i], fields[i+1])
		}
		p.Click("main button.primary")
	}
}

func click(selector string) func(*browsertest.Page) {
	return func(p *browsertest.Page) { p.Click(selector) }
}

func fillKey(p *browsertest.Page) {
	p.Fill("#name", "A key to look at")
	p.Click(`label[for="sf"]`)
	p.Click(`label[for="sr"]`)
}

func createKey(p *browsertest.Page) {
	fillKey(p)
	p.Click(`main button.primary`)
	p.WaitFor("#secret")
}

// yearUntilToday is the query of the longest period.
func yearUntilToday() string {
	today := time.Now().UTC()
	return fmt.Sprintf("?from=%s&to=%s", today.AddDate(0, 0, -365).Format(time.DateOnly), today.Format(time.DateOnly))
}

// noViolations checks the page as it stands against WCAG 2.2 A and AA, in both schemes, and its targets whatever the fonts.
func noViolations(t *testing.T, p *browsertest.Page) {
	t.Helper()
	for _, dark := range []bool{true, false} {
		p.Emulate(1280, dark)
		assert.Empty(t, p.Axe(), "in the dark: %v", dark)
	}
	assert.Empty(t, p.SmallTargets())
}

// shoot takes pictures of the page as it stands into the folder DG_SHOTS, if there is one: narrow and wide, light and dark.
func shoot(p *browsertest.Page, name string) {
	dir := os.Getenv("DG_SHOTS")
	if dir == "" {
		return
	}
	for _, width := range []int{320, 1280} {
		for _, scheme := range []string{"dark", "light"} {
			p.Emulate(width, scheme == "dark")
			p.Screenshot(filepath.Join(dir, fmt.Sprintf("%s-%d-%s.png", name, width, scheme)))
		}
	}
}

// withoutBreaks takes the invisible places out at which long words may break.
func withoutBreaks(texts []string) []string {
	for i := range texts {
		texts[i] = strings.ReplaceAll(texts[i], "\u200b", "")
	}
	return texts
}
