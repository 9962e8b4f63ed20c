package system

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"dg/app/apptest"
	"dg/platform/testkit"
	"dg/platform/testkit/browsertest"
	"dg/web"
)

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
		status: http.StatusUnprocessableEntity,
		action: submitWith("#new", "battery horse staple", "#repeat", "battery horse")},
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
		{name: "reports-none", uniqueText: "No fork matches", path: "/o/harbour-and-vale/reports?q=zzz"},
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
