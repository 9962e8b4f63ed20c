package chaos

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"dg/app/apptest"
	"dg/platform/testkit/fixtures"
)

// nthCase is a request whose n-th statement fails.
type nthCase struct {
	path string
	key  string // of the caller, by name
	as   string // the person, by name
	want int    // the status of its answer
	verb string // other than GET, or POST of a form
	form func(w *nthWorld) url.Values
	cut  bool // it is in the cut of every run
	long bool // its answer is a file of several blocks

	// What may differ where a statement fails, and why. the page is shown as to somebody signed
	// out: documentation and what is not found are readable in an outage
	anonymous bool
	unlogged  bool   // a failed sign-in is answered 401 whether it could be recorded or not
	elsewhere string // the session has ended, and the answer may lead here too
}

func (c nthCase) method() string {
	switch {
	case c.verb != "":
		return c.verb
	case c.form != nil:
		return http.MethodPost
	}
	return http.MethodGet
}

func (c nthCase) api() bool { return c.key != "" || strings.HasPrefix(c.path, "/api/") }

func (c nthCase) name() string {
	return strings.TrimSpace(strings.Join([]string{c.method(), c.path, c.key, c.as}, " "))
}

// formOf makes a form, given as name and value.
func formOf(pairs ...string) func(*nthWorld) url.Values {
	return func(*nthWorld) url.Values {
		form := url.Values{}
		for i := 0; i < len(pairs); i += 2 {
			form.Add(pairs[i], pairs[i+1])
		}
		return form
	}
}

// withCode adds a code of the authenticator app to the form.
func withCode(pairs ...string) func(*nthWorld) url.Values {
	return func(w *nthWorld) url.Values {
		return formOf(append(pairs, "code", apptest.CodeOf(w.t, fixtures.TOTPSecret))...)(w)
	}
}

// apiCases are every endpoint with every status that it can give.
func (w *nthWorld) apiCases() []nthCase {
	const period = "?from=2026-03-01&to=2026-03-31"
	const none = "00000000-0000-4000-8000-000000000000"
	fork := "/api/v1/forks/" + w.forks["acme"]
	stats := fork + "/stats" + period
	file := fork + "/exports/csv" + period
	long := "/api/v1/forks/" + w.forks["long"] + "/exports/csv" + period
	named := "/api/v1/forks/" + w.forks["named"]
	cases := []nthCase{
		{path: "/api/v1/forks", key: "acme", want: 200, cut: true},
		{path: "/api/v1/forks", key: "acme", want: 200, verb: http.MethodHead},
		{path: fork, key: "acme", want: 200, cut: true},
		{path: stats, key: "acme", want: 200, cut: true},
		{path: stats, key: "acme", want: 200, verb: http.MethodHead},
		{path: stats + "&groupId=" + w.groups["acme"], key: "acme", want: 200},
		{path: stats + "&groupId=" + w.groups["small acme"], key: "acme", want: 200},
		{path: named + "/stats" + period, key: "named", want: 200},
		{path: file, key: "acme", want: 200},
		{path: long, key: "acme", want: 200, cut: true, long: true},
		{path: file, key: "acme", want: 200, verb: http.MethodHead},
		{path: file + "&groupId=" + w.groups["acme"], key: "acme", want: 200},
		{path: file + "&groupId=" + w.groups["small acme"], key: "acme", want: 200},
		{path: named + "/exports/csv" + period, key: "named", want: 200},

		{path: fork + "/stats?from=2026-03-01", key: "acme", want: 400},
		{path: "/api/v1/forks", key: "acme", want: 405, verb: http.MethodPost},
		{path: "/api/v1/nothing", key: "acme", want: 404},
		{path: "/api/v1/forks/" + none, key: "acme", want: 404},
		{path: "/settings/api-keys", key: "acme", want: 403, cut: true},
		{path: "/settings/api-keys", key: "limited refusals", want: 429},
		{path: "/readyz", want: 200},
	}
	for _, key := range []string{"unknown", "wrong secret", "revoked", "expired", "below"} {
		cases = append(cases, nthCase{path: stats, key: key, want: 401, cut: true})
	}
	for _, key := range []string{"limited", "limited refusals"} {
		cases = append(cases, nthCase{path: "/api/v1/forks", key: key, want: 429, cut: true})
	}
	for _, path := range []string{stats, file} {
		cases = append(cases,
			nthCase{path: path, key: "forks only", want: 403},
			nthCase{path: path, key: "named", want: 403, cut: path == stats},
			nthCase{path: path + "&groupId=" + none, key: "acme", want: 404},
			nthCase{
				path: path + "&groupId=" + w.groups["named"],
				key:  "acme",
				want: 404,
				cut:  path == stats,
			})
	}
	return cases
}

// screenCases are every page that reads the database.
func (w *nthWorld) screenCases() (cases []nthCase) {
	get := func(as string, paths ...string) {
		for _, path := range paths {
			cases = append(cases, nthCase{path: path, as: as, want: 200})
		}
	}
	report := "/o/acme/reports/" + w.forks["acme"]
	keys := "/o/acme/settings/api-keys"
	key := "/o/acme/settings/api-keys/" + w.keyID
	get("", "/sign-in", "/account/reset?token=reset")
	get("code", "/sign-in/code", "/sign-in/code?recovery=1")
	get("member", "/account", "/account/password")
	get("plain", "/account/two-step", "/o/acme/settings/organisation", keys)
	get("admin", "/account/two-step", "/account/recovery-codes", "/account/password", "/account",
		keys)
	get("owner", "/o/acme/reports", report, report+"?from=2026-03-01&to=2026-03-31",
		report+"?from=2026-03-01&to=2026-03-31&groupId="+w.groups["acme"],
		report+"?from=2026-03-01&to=2026-03-31&groupId="+w.groups["small acme"],
		report+"?from=2001-01-01&to=2001-01-07",
		report+"/plays.csv?from=2026-03-01&to=2026-03-31",
		keys, keys+"/new", key, key+"/rename", key+"/replace", key+"/revoke",
		"/o/acme/settings/audit-log", "/o/acme/settings/audit-log?before=1",
		"/o/acme/settings/audit-log?from=2001-01-01&to=2001-01-02",
		"/o/acme/settings/audit-log.csv",
		"/o/acme/settings/organisation", "/o/acme/settings/organisation/reporting-mode")
	for _, path := range []string{
		"/docs", "/docs/security", "/docs/reference", "/docs/reference/getForkStats",
		"/docs/recipes/python",
	} {
		cases = append(cases, nthCase{path: path, as: "owner", want: 200, anonymous: true})
	}
	for _, path := range []string{"/", "/settings", "/reports", "/settings/api-keys",
		"/settings/api-keys/new",
		"/settings/organisation", "/settings/audit-log", "/sign-in"} {
		cases = append(cases, nthCase{path: path, as: "owner", want: 303})
	}
	return append(cases, []nthCase{
		{
			path: "/o/acme/reports/" + w.forks["long"] + "/plays.csv?from=2026-03-01&to=2026-03-31",
			as:   "owner",
			want: 200,
			long: true,
		},
		{path: "/o/acme/reports", as: "member", want: 403}, {
			path: keys + "/new",
			as:   "plain",
			want: 403,
		},
		{path: "/o/named/reports", as: "owner", want: 404, anonymous: true},
		{path: "/account", as: "", want: 303}, {path: "/account/reset?token=none", want: 404},
		{path: "/nowhere", as: "owner", want: 404, anonymous: true},
		{path: "/o/acme/reports/" + w.forks["named"], as: "owner", want: 404}, {
			path: report + "?from=2026-02-30&to=x",
			as:   "owner",
			want: 400,
		},
	}...)
}

// formCases are every form, and what each can do.
func (w *nthWorld) formCases() []nthCase {
	const password = fixtures.Password
	const changed = "another long password"
	keys := "/o/acme/settings/api-keys"
	key := "/o/acme/settings/api-keys/" + w.keyID
	return []nthCase{
		{
			path: "/sign-in",
			want: 303,
			form: formOf("email", "member@acme.example", "password", password),
		},
		{
			path: "/sign-in",
			as:   "owner",
			want: 303,
			form: formOf("email", "member@acme.example", "password", password),
		},
		{
			path: "/sign-in",
			want: 303,
			form: formOf("email", "admin@acme.example", "password", password),
		},
		{
			path:     "/sign-in",
			want:     401,
			unlogged: true,
			form:     formOf("email", "member@acme.example", "password", "wrong"),
		},
		{
			path: "/sign-in",
			want: 401,
			form: formOf("email", "nobody@acme.example", "password", "wrong"),
		},
		{path: "/sign-in/code", as: "code", want: 303, form: withCode()},
		{
			path:     "/sign-in/code",
			as:       "code",
			want:     401,
			unlogged: true,
			form:     formOf("code", "000000"),
		},
		{path: "/sign-out", as: "owner", want: 303, form: formOf("a", "b")},
		{
			path: "/account/reset",
			want: 200,
			form: formOf("token", "reset", "new", changed, "repeat", changed),
		},
		{
			path: "/account/reset",
			as:   "owner",
			want: 200,
			form: formOf("token", "reset", "new", changed, "repeat", changed),
		},
		{path: "/account", as: "owner", want: 303, cut: true, form: formOf("region", "de-DE")},
		{
			path:      "/account",
			as:        "owner",
			want:      303,
			elsewhere: "/account",
			form:      formOf("session", w.session),
		},
		{path: "/account", as: "owner", want: 303, form: formOf("session", w.other)},
		{path: "/account/two-step", as: "enrolling", want: 200, form: func(w *nthWorld) url.Values {
			return formOf("do", "on", "current", password, "code", apptest.CodeOf(w.t, w.offer))(w)
		}},
		{
			path: "/account/password",
			as:   "owner",
			want: 303,
			form: formOf("current", password, "new", changed, "repeat", changed),
		},
		{
			path: "/account/password",
			as:   "admin",
			want: 303,
			form: withCode("current", password, "new", changed, "repeat", changed),
		},
		{
			path:     "/account/password",
			as:       "owner",
			want:     422,
			unlogged: true,
			form:     formOf("current", "wrong", "new", changed, "repeat", changed),
		},
		{
			path: "/account/two-step",
			as:   "admin",
			want: 303,
			form: withCode("do", "off", "current", password),
		},
		{
			path: "/account/recovery-codes",
			as:   "admin",
			want: 200,
			form: withCode("current", password),
		},
		{path: key + "/rename", as: "owner", want: 303, form: formOf("name", "Another name")},
		{path: key + "/replace", as: "admin", want: 200, form: func(w *nthWorld) url.Values {
			return formOf("overlap", "day", "idempotencyKey", uuid.NewString())(w)
		}},
		{path: key + "/revoke", as: "plain", want: 303, cut: true, form: formOf("a", "b")},
		{
			path: keys + "/new",
			as:   "owner",
			want: 200,
			cut:  true,
			form: func(w *nthWorld) url.Values {
				return formOf("name", "A key", "scopes", "forks:read", "scopes", "reports:read",
					"expiry", "never",
					"idempotencyKey", uuid.NewString())(w)
			},
		},
		{path: keys + "/new", as: "owner", want: 400, form: formOf("name", "")},
		{path: "/o/acme/settings/organisation/reporting-mode", as: "owner", want: 303,
			form: formOf("mode", "nominative", "organisation", "acme")},
	}
}
