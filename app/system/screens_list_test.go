package system

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"dg/app/apptest"
	"dg/platform/authz"
	"dg/platform/testkit/browsertest"
	"dg/web"
)

// tableScreens are the pages of the table of routes that a choice of them takes.
func tableScreens(fork, key string, has func(web.Screen) bool) (all []screen) {
	at := strings.NewReplacer(":org", "harbour-and-vale", ":fork", fork, ":key", key,
		":recipe", "python", ":operation", "getForkStats")
	name := strings.NewReplacer("/o/:org/", "", "/", "-", ":", "")
	for _, s := range web.New(web.Modules{}, "", time.Now).Screens() {
		if s.Page != nil && !strings.HasSuffix(s.Path, ".csv") && has(s) {
			all = append(all, screen{
				name: strings.TrimPrefix(name.Replace(s.Path), "-"), path: at.Replace(s.Path),
			})
		}
	}
	return all
}

// ofOrganisation, ofAccount and ofDocs are choices of pages.
func ofOrganisation(s web.Screen) bool { return s.Permission != authz.Permission{} }

func ofAccount(s web.Screen) bool {
	return strings.HasPrefix(s.Path, "/account") && s.Path != "/account/reset"
}

func ofDocs(s web.Screen) bool { return strings.HasPrefix(s.Path, "/docs") }

// signedOutScreens are the screens without a session.
func signedOutScreens() []screen {
	return []screen{
		{name: "sign-in", shows: "Sign in", path: "/sign-in"},
		{name: "sign-in-error", shows: "Wrong", path: "/sign-in", status: http.StatusUnauthorized,
			do: enter("#email", "who@example.com", "#password", "wrong")},
		{name: "code", shows: "Verification code", path: "/sign-in",
			do: enter("#email", "tomas@harbour.example.com", "#password", "admin-with-two-steps")},
		{name: "code-error", shows: "Wrong code", path: "/sign-in/code",
			status: http.StatusUnauthorized, do: enter("#code", "000000")},
		{name: "code-recovery", shows: "Each works once", path: "/sign-in/code?recovery=1"},
		{name: "reset", shows: "Choose a password for",
			path: "/account/reset?token=look"},
		{name: "reset-error", shows: "The passwords do not match",
			path: "/account/reset?token=look", status: http.StatusUnprocessableEntity,
			do: enter("#new", "battery horse staple", "#repeat", "battery horse")},
		{name: "reset-used", shows: "This link no longer works", path: "/account/reset?token=x",
			status: http.StatusNotFound},
		{name: "docs-search-typed", shows: "precedes what a spreadsheet", path: "/docs",
			do: func(p *browsertest.Page) {
				p.Fill("#search", "formula spreadsheet")
				p.WaitFor(".results")
			}},
		{name: "docs-recipe-duckdb", shows: "by week, same scale", path: "/docs/recipes/duckdb"},
		{name: "docs-recipe-sync", shows: "sync.py", path: "/docs/recipes/nightly-sync"},
		{name: "reference-csv", shows: "durationSeconds",
			path: "/docs/reference/exportForkPlaysCsv"},
		{name: "not-found", shows: "Page not found", path: "/nowhere", status: http.StatusNotFound},
	}
}

// memberScreens are those of a member without a role.
func memberScreens() []screen {
	return []screen{
		{name: "member-account", shows: "Sessions end after 12 hours", path: "/account"},
		{name: "member-forbidden", shows: "Access denied", path: "/o/harbour-and-vale/reports",
			status: http.StatusForbidden},
		{name: "password", shows: "Change password", path: "/account/password"},
	}
}

// adminScreens are those of an admin without two-step verification, who sets it up with the last
// one.
func adminScreens(t *testing.T) []screen {
	return []screen{
		{name: "enrol", shows: "Set up two-step verification", path: "/account/two-step"},
		{name: "enrol-error", shows: "Set up two-step verification", path: "/account/two-step",
			status: http.StatusUnprocessableEntity,
			do:     enter("#code", "000000", "#current", "admin-without-second-step")},
		{name: "keys-no-two-step", shows: "two-step", path: "/settings/api-keys"},
		{name: "organisation-admin", shows: "Only an owner can change this.",
			path: "/settings/organisation"},
		{
			name:  "recovery-codes",
			shows: "Save these ten",
			path:  "/account/two-step",
			do: func(p *browsertest.Page) {
				enter("#code", apptest.CodeOf(t, strings.ReplaceAll(p.Text("#totp"), " ", "")),
					"#current", "admin-without-second-step")(p)
				p.WaitFor("#codes")
			},
		},
	}
}

// twoStepAdminScreens are those of an admin with two-step verification.
func twoStepAdminScreens(fork, smallGroup string) []screen {
	return []screen{
		{name: "reports-none", shows: "No fork matches", path: "/o/harbour-and-vale/reports?q=zzz"},
		{name: "dashboard", shows: "1 person in this report is not in All but one",
			path: "/o/harbour-and-vale/reports/" + fork},
		{name: "dashboard-compared", shows: "Compared with",
			path: "/o/harbour-and-vale/reports/" + fork + "?compare=year",
			do:   click(`a:text("Last quarter")`)},
		{name: "dashboard-days", shows: "Average score",
			path: "/o/harbour-and-vale/reports/" + fork,
			do:   click(`summary:text("Show as table")`)},
		{name: "dashboard-call", shows: "Read this report from the API",
			path: "/o/harbour-and-vale/reports/" + fork,
			do:   click(`summary:text("Read this report from the API")`)},
		{name: "dashboard-year", shows: "Average score",
			path: "/o/harbour-and-vale/reports/" + fork + yearUntilToday()},
		{name: "dashboard-suppressed", shows: "hidden",
			path: "/o/harbour-and-vale/reports/" + fork + yearUntilToday() + "&groupId=" + smallGroup},
		{name: "dashboard-empty", shows: "No plays",
			path: "/o/harbour-and-vale/reports/" + fork + "?from=2001-01-01&to=2001-01-07"},
		{name: "dashboard-bad-period", shows: "Invalid period",
			path:   "/o/harbour-and-vale/reports/" + fork + "?from=2026-02-30&to=x",
			status: http.StatusBadRequest},
		{name: "docs-signed-in", shows: "Tomás", path: "/docs"},
		{name: "not-found-signed-in", shows: "Page not found",
			path: "/o/harbour-and-vale/reports/" + smallGroup, status: http.StatusNotFound},
	}
}

// passwordAgainScreens are the form of a new key in a session that is older than 15 minutes.
func passwordAgainScreens(t *testing.T, db *apptest.AdminDB, email string) []screen {
	const form = "/settings/api-keys/new"
	age := func(p *browsertest.Page) {
		db.Do(t, `update sessions s set authenticated_at = now() - interval '1 hour'
			from users u where u.id = s.user_id and u.email_key = $1`, email)
		p.Reload()
	}
	wrong := func(p *browsertest.Page) {
		fillKey(p)
		enter("#current", "wrong horse battery", "#code", "000000")(p)
	}
	return []screen{
		{name: "key-new-password", shows: "Confirm your identity", path: form, do: age},
		{name: "key-new-password-error", shows: "The password is wrong.", path: form,
			status: http.StatusUnprocessableEntity, do: wrong},
	}
}

// smallOrganisationScreens are those of an organisation without keys, with markup in its names.
func smallOrganisationScreens(fork string) []screen {
	return []screen{
		{name: "hostile-reports", shows: "<em>", path: "/reports"},
		{name: "hostile-dashboard", shows: "<em>",
			path: "/o/atelier-north-light/reports/" + fork + yearUntilToday()},
		{name: "keys-empty", shows: "No keys", path: "/settings/api-keys"},
		{name: "audit-older", shows: "No older entries",
			path: "/o/atelier-north-light/settings/audit-log?before=1"},
		{name: "hostile-organisation", shows: "<North", path: "/settings/organisation"},
	}
}

// ownerScreens are those of an owner.
func ownerScreens() []screen {
	return []screen{
		{name: "key-new-errors", shows: "Nothing has been saved", path: "/settings/api-keys/new",
			status: http.StatusBadRequest, do: click(`main button.primary`)},
		{name: "key-created", shows: "Copy your key now", path: "/settings/api-keys/new",
			do: createKey},
		{
			name:  "key-leave-dialog",
			shows: "Leave",
			path:  "/settings/api-keys/new",
			do: func(p *browsertest.Page) {
				createKey(p)
				p.Click(`header a.mark`)
				p.WaitFor("dialog[open]")
			},
		},
		{
			name:  "key-table",
			shows: "Refused",
			path:  "/settings/api-keys",
			do: func(p *browsertest.Page) {
				p.Click("table.keys tbody tr:last-child th a")
				p.WaitFor("main details")
				p.Click(`summary:text("Show as table")`)
			},
		},
		{
			name:   "key-rename-error",
			shows:  "Enter a name.",
			path:   "/settings/api-keys",
			status: http.StatusBadRequest,
			do: func(p *browsertest.Page) {
				openKey("Edit")(p)
				enter("#name", " ")(p)
			},
		},
		{
			name:  "key-replaced",
			shows: "Old key works until",
			path:  "/settings/api-keys",
			do: func(p *browsertest.Page) {
				openKey("Replace")(p)
				p.Click("main button.primary")
				p.WaitFor("#secret")
			},
		},
		{name: "keys-stopping", shows: "Stops on", path: "/settings/api-keys"},
		{
			name:  "revoke-dialog",
			shows: "Revoke",
			path:  "/settings/api-keys",
			do: func(p *browsertest.Page) {
				p.Click("table.keys tbody tr:first-child a.revoke")
				p.WaitFor("dialog[open]")
			},
		},
		{
			name:  "revoked",
			shows: "revoked",
			path:  "/settings/api-keys",
			do: func(p *browsertest.Page) {
				p.Open(p.Attr("table.keys a.revoke", "href"))
				p.Click("main button.danger")
			},
		},
		{name: "keys-revoked", shows: "Revoked", path: "/settings/api-keys",
			do: click("main details summary")},
		{name: "audit-entry", shows: "Request id", path: "/settings/audit-log",
			do: click("table.log tr:first-child summary")},
		{name: "audit-none", shows: "Clear filters",
			path: "/o/harbour-and-vale/settings/audit-log?from=2001-01-01&to=2001-01-02"},
	}
}
