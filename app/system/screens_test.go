package system

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

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/app/demo"
	"dg/platform/testkit"
	"dg/platform/testkit/browsertest"
	"dg/web"
)

func signIn(t *testing.T, p *browsertest.Page, dg *apptest.Child, a demo.Account, screen string) {
	p.Open(dg.ListenURL + "/sign-in?next=" + screen)
	p.Fill("#email", a.Email)
	p.Fill("#password", a.Password)
	p.Click("button.primary")
	if a.TOTPSecret != "" {
		p.Fill("#code", testkit.TOTPCode(t, a.TOTPSecret, time.Now()))
		p.ClickAndWaitFor("button.primary", "form.me")
	}
	require.Regexp(t, `^(/o/[^/]+)?`+screen+`$`, p.Path())
}

func revokeFirstKey(t *testing.T, p *browsertest.Page) {
	p.ClickAndWaitFor("table.keys tbody tr:first-child a.revoke", "dialog[open]")
	require.Contains(t, p.FocusedElement(), "Cancel")
	p.Press(kb.Escape)
	p.WaitFor("body:not(:has(dialog[open]))")
	require.Contains(t, p.FocusedElement(), "Revoke", "the focus returns to the link")
	p.Press(kb.Enter)
	p.WaitFor("dialog[open]")
	p.Click("dialog[open] button.danger")
}

// In a browser, a person creates, uses and revokes a key, and sees its use and events. Below Pro the key is paused.
func TestKeyIsManagedInABrowser(t *testing.T) {
	t.Parallel()
	dg := serveDemo(t)
	page := browsertest.New(t)
	signIn(t, page, dg.Child, apptest.DemoAccount(t, "maren@harbour.example.com"), "/settings/api-keys")
	dg.db.Exec(`delete from api_keys`)
	create := func(use func(key string)) (key string) {
		page.Click(`a:text("Create key")`)
		createKey(page)
		key = page.Text("#secret")
		require.Regexp(t, `^dg_live_[0-9A-Za-z]{22}_[0-9A-Za-z]{49}$`, key)
		require.Equal(t, key, page.CopiedText(func() { page.Click(`button:text("Copy key")`) }))
		page.WaitFor(`#live:text("Key copied.")`)
		use(key)
		page.Click(`a:text("Done")`)
		return key
	}
	key := create(func(string) { page.WaitFor(`[data-waits]:text("Waiting for the first request…")`) })
	require.Equal(t, "Never", page.Text("[data-use]"))
	require.True(t, dg.Accepts(key))
	page.Reload()
	require.NotEqual(t, "Never", page.Text("[data-use]"))
	revokeFirstKey(t, page)
	require.False(t, dg.Accepts(key))
	page.Click(`nav.sidebar a:text("Audit log")`)
	log := page.Text("main")
	for _, entry := range []string{"Key created", "Key revoked", "Request refused", "Reason: revoked"} {
		require.Contains(t, log, entry)
	}
	require.NotContains(t, log, key[31:], "a secret")

	page.Open(dg.ListenURL + "/settings/api-keys")
	pausedKey := create(func(key string) {
		require.True(t, dg.Accepts(key))
		page.WaitFor(`#first-request`)
	})
	dg.db.Exec(`update organisations set plan = 'team' where slug = 'harbour-and-vale'`)
	require.False(t, dg.Accepts(pausedKey))
	page.Reload()
	require.Contains(t, strings.ToLower(page.Text(".note.warn")), "paused")
	require.Zero(t, page.Count(`a:text("Create key")`))
	revokeFirstKey(t, page)
	dg.db.Exec(`update organisations set plan = 'pro' where slug = 'harbour-and-vale'`)
	require.False(t, dg.Accepts(pausedKey), "revoked while it was paused")
}

// The reference sends an operation with a key to the page's own address, and stores no part of the key.
func TestReferenceSendsRequestsWithAKey(t *testing.T) {
	t.Parallel()
	dg := serveDemo(t, "--base-url", "http://localhost:1")
	page := browsertest.New(t)
	page.Open(dg.ListenURL + "/docs") // this address differs from the OpenAPI document's
	page.Click(`a:text("Reference")`)
	page.Click(`main a:text("Get the statistics of a fork")`)
	answer := func() string {
		page.Click("[data-try] > summary")
		page.Fill("#try-key", dg.token)
		page.ClickAndWaitFor("[data-try] button.primary", ".answer[data-answered]")
		return page.Text(".answer")
	}
	assert.Regexp(t, `\n200\n(?s:.*)ratelimit: "key"`, answer(), "the fork of the examples is the demo's")
	checkAccessibility(t, page)
	takePictures(t, page, "reference-tried")
	assert.Zero(t, browsertest.Eval[int](page, `localStorage.length + sessionStorage.length`), "nothing is kept")

	page.Open("/docs/reference/listForks")
	assert.Regexp(t, `\n200\n(?s:.*)"items": \[`, answer())
}

type screen struct {
	name, path      string
	uniqueText      string // text that appears only on this screen
	status          int    // 0: 200
	action          func(*browsertest.Page)
	awaitedSelector string // selector of an element to wait for after action
}

type viewer struct {
	email   string // empty: signed out
	screens []screen
}

// Every screen meets WCAG 2.2 AA in three colour modes, fits into 320 px and 35 KB, and logs no console error.
func TestScreensAreAccessibleAndSmall(t *testing.T) {
	t.Parallel()
	dg := serveDemo(t)
	id := func(sql string) string { return testkit.Query[string](dg.db, sql) }
	fork := id(`select id::text from forks where slug = 'prompting-at-the-dock'`)
	smallGroup := id(`select id::text from player_groups where name = 'Night shift, gate 4'`)
	key := id(`select k.id from api_keys k join forks f using (org_id) where f.slug = 'prompting-at-the-dock'`)
	dg.db.Exec(`with g as (insert into player_groups (id, org_id, name)
		  select gen_random_uuid(), org_id, 'All but one' from forks where id = $1 returning id, org_id)
		insert into group_members select p.org_id, g.id, p.ordinal from players p join g using (org_id)
		  where p.ordinal <> (select player from plays
		    where fork_id = $1 and started_at < date_trunc('day', now(), 'UTC')
		    order by started_at desc limit 1)`, fork)
	dg.db.Exec(`insert into account_resets (user_id, token_hash, expires_at)
		select id, sha256('look'), now() + interval '30 minutes' from users
		  where email_key = 'ilya@harbour.example.com'`)
	dg.db.Exec(`insert into api_key_usage (org_id, key_id, day, accepted, refused, limited)
		select k.org_id, k.id, (now() at time zone 'utc')::date - ago, 400 + ago * 37 % 211,
		  ago * 13 % 29, ago % 7 / 6 * 40 from api_keys k, generate_series(0, 29) ago`)
	dg.db.Exec(`update api_keys set created_at = created_at - interval '40 days', last_used_at = now()`)
	viewers := []viewer{
		{"maren@harbour.example.com", slices.Concat(tableScreens(fork, key, "/o/"), ownerScreens)},
		{"tomas@harbour.example.com", append(slices.Concat(tableScreens(fork, key, "/account"),
			reportScreens(fork, smallGroup)), passwordScreen(t, dg.db))},
		{"", slices.Concat(tableScreens(fork, key, "/docs"), signedOutScreens)},
		{"claire@harbour.example.com", adminScreens(t)},
		{"ilya@harbour.example.com", memberScreens},
		{"noor@atelier.example.org", []screen{
			{name: "keys-empty", uniqueText: "No keys", path: "/settings/api-keys"},
			{name: "hostile-reports", uniqueText: "<em>", path: "/reports"},
		}},
	}
	testkit.Concurrently(2, func(half int) {
		for i := half; i < len(viewers); i += 2 {
			viewers[i].checkScreens(t, dg.Child)
		}
	})
	dg.db.Exec(`update organisations set plan = 'team' where slug = 'harbour-and-vale'`)
	belowPro := []screen{{name: "keys-below-pro", uniqueText: "paused", path: "/settings/api-keys"}}
	viewer{"maren@harbour.example.com", belowPro}.checkScreens(t, dg.Child)
}

func (v viewer) checkScreens(t *testing.T, dg *apptest.Child) {
	t.Run(cmp.Or(v.email, "signed out"), func(t *testing.T) {
		p := browsertest.New(t)
		p.Open(dg.ListenURL + "/sign-in")
		if v.email != "" {
			signIn(t, p, dg, apptest.DemoAccount(t, v.email), "/account")
		}
		for _, s := range v.screens {
			t.Run(s.name, func(t *testing.T) { s.check(t, p.WithTest(t)) })
		}
	})
}

// maxTransferred bounds a screen and its files except icons: their compressed bytes, and 300 bytes of headers for each.
const maxTransferred = 35 << 10

func (s screen) check(t *testing.T, p *browsertest.Page) {
	browsertest.Do(p, "clear the cache", browsertest.Command(network.ClearBrowserCache, cdp.Empty{}))
	p.Open(s.path)
	assert.Less(t, browsertest.Eval[int](p,
		`performance.getEntries().reduce((sum, e) => sum + (e.name.includes("dg.svg") ? 0 : e.transferSize ?? 0), 0)`),
		maxTransferred)
	if s.action != nil {
		s.action(p)
	}
	if s.awaitedSelector != "" {
		p.WaitFor(s.awaitedSelector)
	}
	require.Equal(t, cmp.Or(s.status, http.StatusOK), browsertest.Eval[int](p,
		`performance.getEntriesByType('navigation')[0].responseStatus`))
	require.Contains(t, p.Text("body"), s.uniqueText)
	browsertest.Eval[bool](p, `scrollTo(0, 0), true`) // the bar of a report covers targets below it
	checkAccessibility(t, p)
	takePictures(t, p, s.name)
}

var colourRules = []string{"color-contrast", "link-in-text-block"}

// checkAccessibility checks the page in light mode on a desktop, in dark mode on a phone, and in forced colours.
func checkAccessibility(t *testing.T, p *browsertest.Page) {
	assert.Empty(t, p.Axe(), "light, at 1280 px")
	assert.False(t, p.ScrollsHorizontally(), "at 1280 px")
	p.Emulate(320, browsertest.Dark)
	assert.Empty(t, p.Axe(colourRules...), "dark, at 320 px")
	assert.False(t, p.ScrollsHorizontally(), "at 320 px")
	p.Emulate(1920, browsertest.ForcedColours)
	assert.Empty(t, p.Axe(colourRules...), "forced colours")
	p.Emulate(1280, browsertest.Light)
}

func takePictures(t *testing.T, p *browsertest.Page, name string) {
	dir := os.Getenv("DG_SHOTS")
	if dir == "" {
		return
	}
	require.NoError(t, os.MkdirAll(dir, 0o755))
	for modeName, mode := range map[string]browsertest.Mode{
		"light": browsertest.Light, "dark": browsertest.Dark, "forced": browsertest.ForcedColours,
		"print": browsertest.Print,
	} {
		for _, width := range []int{360, 794, 1280, 1920} {
			p.Emulate(width, mode)
			path := filepath.Join(dir, fmt.Sprintf("%s-%d-%s.png", name, width, modeName))
			picture := browsertest.Do(p, "take a picture", chromedp.FullScreenshot(100))
			require.NoError(t, os.WriteFile(path, picture, 0o644))
		}
	}
	p.Emulate(1280, browsertest.Light)
}

func submitWith(fields ...string) func(*browsertest.Page) {
	return func(p *browsertest.Page) {
		for i := 0; i < len(fields); i += 2 {
			p.Fill(fields[i], fields[i+1])
		}
		p.Click("main button.primary")
	}
}

func click(selectors ...string) func(*browsertest.Page) {
	return func(p *browsertest.Page) {
		for _, selector := range selectors {
			p.Click(selector)
		}
	}
}

func createKey(p *browsertest.Page) {
	p.Fill("#name", "A key to look at")
	p.ClickAndWaitFor(`main button.primary`, "#secret")
}

// tableScreens returns a screen for each HTML page whose path has the prefix, except the page of resets.
func tableScreens(fork, key, prefix string) (list []screen) {
	fillPath := strings.NewReplacer(":org", "harbour-and-vale", ":fork", fork, ":key", key,
		":recipe", "python", ":language", "de", ":operation", "getForkStats")
	nameOf := strings.NewReplacer("/o/:org/", "", "/", "-", ":", "")
	for _, s := range web.New(web.Dependencies{}, "", time.Now).Screens() {
		if s.Page != nil && strings.HasPrefix(s.Path, prefix) && s.Path != "/account/reset" &&
			!strings.HasSuffix(s.Path, ".csv") {
			list = append(list, screen{name: strings.Trim(nameOf.Replace(s.Path), "-"), path: fillPath.Replace(s.Path)})
		}
	}
	return list
}

var signedOutScreens = []screen{
	{name: "sign-in-error", uniqueText: "Wrong", path: "/sign-in", status: http.StatusUnauthorized,
		action: submitWith("#email", "who@example.com", "#password", "wrong")},
	{name: "code", uniqueText: "Verification code", path: "/sign-in",
		action: submitWith("#email", "tomas@harbour.example.com", "#password", "admin-with-two-steps")},
	{name: "code-recovery", uniqueText: "Each works once", path: "/sign-in/code?recovery=1"},
	{name: "reset-error", uniqueText: "The passwords do not match", path: "/account/reset?token=look",
		awaitedSelector: "#errors",
		action:          submitWith("#new", "battery horse staple", "#repeat", "battery horse")},
	{name: "docs-long-line", uniqueText: "Cron’s hours", path: "/docs/recipes/nightly-sync"},
	{name: "docs-search-typed", uniqueText: "precedes what a spreadsheet", path: "/docs", awaitedSelector: ".results",
		action: func(p *browsertest.Page) { p.Fill("#search", "formula spreadsheet") }},
	{name: "not-found", uniqueText: "Page not found", path: "/nowhere", status: http.StatusNotFound},
}

var memberScreens = []screen{
	{name: "member-account", uniqueText: "Sessions end after 12 hours", path: "/account"},
	{name: "member-forbidden", uniqueText: "Access denied", path: "/o/harbour-and-vale/reports",
		status: http.StatusForbidden},
}

// adminScreens are for an admin without two-step verification. The last one sets it up.
func adminScreens(t *testing.T) []screen {
	return []screen{
		{name: "keys-no-two-step", uniqueText: "two-step", path: "/settings/api-keys"},
		{name: "two-step", uniqueText: "Scan this code", path: "/account/two-step", awaitedSelector: "#totp",
			action: submitWith("#current", "admin-without-second-step")},
		{name: "recovery-codes", uniqueText: "Save these ten", path: "/account/two-step", awaitedSelector: "#codes",
			action: func(p *browsertest.Page) {
				submitWith("#code", testkit.TOTPCode(t, p.Text("#totp"), time.Now()))(p)
			}},
	}
}

func reportScreens(fork, smallGroup string) []screen {
	report := "/o/harbour-and-vale/reports/" + fork
	return []screen{
		{name: "reports-none", uniqueText: "No report matches", path: "/o/harbour-and-vale/reports?q=zzz"},
		{name: "dashboard-warns", uniqueText: "1 person in this report is not in All but one", path: report,
			action: func(p *browsertest.Page) {
				// on a busy machine a page omits the warning if it takes more than 300 ms
				for n := 0; n < 20 && !strings.Contains(p.Text("body"), "All but one"); n++ {
					p.Reload()
				}
				click(`summary:text("Show as table")`, "#overlaps > summary")(p)
			}},
		{name: "dashboard-compared", uniqueText: "Last quarter", path: report + "?compare=year",
			action:          click("#m-period > summary", `a:text("Last quarter")`),
			awaitedSelector: `#show-plays[href*="-01&to="], #show-plays[href*="-01&show="]`},
		{name: "dashboard-score", uniqueText: "Average score", path: report + "?show=score",
			action: click("#show-pass")},
		{name: "dashboard-skills", uniqueText: "Prompting", path: report + "?skills=all"},
		{name: "dashboard-call", uniqueText: "Read this report from the API", path: report + apptest.LastDaysQuery(366),
			action: click(`summary:text("Read this report from the API")`)},
		{name: "dashboard-suppressed", uniqueText: "hidden",
			path: report + apptest.LastDaysQuery(366) + "&groupId=" + smallGroup},
		{name: "dashboard-empty", uniqueText: "No plays", path: report + "?from=2001-01-01&to=2001-01-07"},
		{name: "dashboard-bad-period", uniqueText: "Invalid period", path: report + "?from=2026-02-30&to=x",
			status: http.StatusBadRequest},
	}
}

// passwordScreen is the form for a new key in a session without a recent sign-in.
func passwordScreen(t *testing.T, db *testkit.World) screen {
	return screen{name: "key-new-password", uniqueText: "The password is wrong.", awaitedSelector: "#current-error",
		path: "/settings/api-keys/new", // a script shows the response in the page, so the page's status stays 200
		action: func(p *browsertest.Page) {
			db.Exec(`update sessions s set authenticated_at = now() - interval '1 hour'
				from users u where u.id = s.user_id and u.email_key = 'tomas@harbour.example.com'`)
			p.Reload()
			submitWith("#name", "A key to look at", "#current", "wrong horse battery", "#code", "000000")(p)
		}}
}

var ownerScreens = []screen{
	{name: "key-new-errors", uniqueText: "Nothing has been saved", path: "/settings/api-keys/new",
		action: click(`main button.primary`), awaitedSelector: "[aria-invalid=true]"},
	{name: "key-leave-dialog", uniqueText: "Leave", path: "/settings/api-keys/new", awaitedSelector: "dialog[open]",
		action: func(p *browsertest.Page) {
			createKey(p)
			p.Click(`header a.mark`)
		}},
	{name: "key-replaced", uniqueText: "before the old one stops", path: "/settings/api-keys",
		awaitedSelector: "#secret",
		action:          click("table.keys tbody tr:last-child th a", `main .actions a:text("Replace")`, "main button.primary")},
	{name: "revoke-dialog", uniqueText: "Revoke", path: "/settings/api-keys",
		action: click("table.keys tbody tr:first-child a.revoke"), awaitedSelector: "dialog[open]"},
	{name: "revoked", uniqueText: "revoked", path: "/settings/api-keys",
		action: func(p *browsertest.Page) {
			p.Open(p.Attr("table.keys a.revoke", "href"))
			click("main button.danger", "main details summary")(p)
		}},
	{name: "audit-entry", uniqueText: "Request id", path: "/settings/audit-log",
		action: click("table.log tr.area:first-child + tr summary")},
	{name: "audit-none", uniqueText: "Clear filters",
		path: "/o/harbour-and-vale/settings/audit-log?from=2001-01-01&to=2001-01-02"},
}
