package chaos

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"dg/app/apptest"
	"dg/platform/testkit/fixtures"
	"dg/web"
)

// nthCase is a request whose n-th statement the test makes fail.
type nthCase struct {
	who, verb, path string // who: a person, key:name, or - for signed out
	want            int    // the status of its answer
	form            string // of a POST
	flags           []string
}

// The flags of cases. One says what may differ where a statement fails.
const (
	inCut = "cut"  // make test runs it
	long  = "long" // its answer is a file of several blocks
	// in an outage the page is shown as for a signed-out reader
	anonymous = "anonymous"
)

func (c nthCase) is(flag string) bool { return slices.Contains(c.flags, flag) }

func (c nthCase) api() bool {
	return strings.HasPrefix(c.who, "key:") || strings.HasPrefix(c.path, "/api/")
}

func (c nthCase) name() string { return strings.Join([]string{c.verb, c.path, c.who}, " ") }

// cases reads a table: who, verb, path, status, and then flags and form:name=value&….
func (w *nthWorld) cases(table string) (all []nthCase) {
	names := strings.NewReplacer("{period}", "?from=2026-03-01&to=2026-03-31",
		"{none}", "00000000-0000-4000-8000-000000000000",
		"{fork}", w.forks["acme"], "{long}", w.forks["long"], "{named}", w.forks["named"],
		"{group}", w.groups["acme"], "{small}", w.groups["small acme"],
		"{foreign}", w.groups["named"], "{keys}", "/o/acme/settings/api-keys",
		"{key}", "/o/acme/settings/api-keys/"+w.keyID, "{keyID}", w.keyID,
		"{report}", "/o/acme/reports/"+w.forks["acme"])
	for line := range strings.Lines(strings.TrimSpace(names.Replace(table))) {
		fields := strings.Fields(line)
		c := nthCase{who: fields[0], verb: fields[1], path: fields[2]}
		c.want, _ = strconv.Atoi(fields[3])
		for _, more := range fields[4:] {
			if form, ok := strings.CutPrefix(more, "form:"); ok {
				c.form = form
			} else {
				c.flags = append(c.flags, more)
			}
		}
		all = append(all, c)
	}
	return all
}

// values is the form of a POST, with secrets, current codes and ids in place of their names.
func (c nthCase) values(w *nthWorld) url.Values {
	if c.verb != http.MethodPost || c.api() {
		return nil
	}
	values, _ := url.ParseQuery(c.form)
	for _, of := range values {
		switch of[0] {
		case "PASSWORD":
			of[0] = fixtures.Password
		case "NEW":
			of[0] = "another long password"
		case "CODE":
			of[0] = apptest.CodeOf(w.t, fixtures.TOTPSecret)
		case "OFFER":
			of[0] = apptest.CodeOf(w.t, w.offer)
		}
	}
	return values
}

// apiCases are all endpoints with all of their statuses.
const apiCases = `
key:acme GET /api/v1/forks 200 cut
key:acme HEAD /api/v1/forks 200
key:acme GET /api/v1/forks/{fork} 200 cut
key:acme GET /api/v1/forks/{fork}/stats{period} 200 cut
key:acme HEAD /api/v1/forks/{fork}/stats{period} 200
key:acme GET /api/v1/forks/{fork}/stats{period}&groupId={group} 200
key:acme GET /api/v1/forks/{fork}/stats{period}&groupId={small} 200
key:named GET /api/v1/forks/{named}/stats{period} 200
key:acme GET /api/v1/forks/{fork}/exports/csv{period} 200
key:acme GET /api/v1/forks/{long}/exports/csv{period} 200 cut long
key:acme HEAD /api/v1/forks/{fork}/exports/csv{period} 200
key:acme GET /api/v1/forks/{fork}/exports/csv{period}&groupId={group} 200
key:acme GET /api/v1/forks/{fork}/exports/csv{period}&groupId={small} 200
key:named GET /api/v1/forks/{named}/exports/csv{period} 200
key:acme GET /api/v1/forks/{fork}/stats?from=2026-03-01 400
key:acme POST /api/v1/forks 405
key:acme GET /api/v1/nothing 404
key:acme GET /api/v1/forks/{none} 404
key:acme GET /settings/api-keys 403 cut
key:limited-refusals GET /settings/api-keys 429
- GET /readyz 200
key:unknown GET /api/v1/forks/{fork}/stats{period} 401 cut
key:wrong-secret GET /api/v1/forks/{fork}/stats{period} 401 cut
key:revoked GET /api/v1/forks/{fork}/stats{period} 401 cut
key:expired GET /api/v1/forks/{fork}/stats{period} 401 cut
key:below GET /api/v1/forks/{fork}/stats{period} 401 cut
key:limited GET /api/v1/forks 429 cut
key:limited-refusals GET /api/v1/forks 429 cut
key:forks-only GET /api/v1/forks/{fork}/stats{period} 403
key:forks-only GET /api/v1/forks/{fork}/exports/csv{period} 403
key:named GET /api/v1/forks/{fork}/stats{period} 403 cut
key:named GET /api/v1/forks/{fork}/exports/csv{period} 403
key:acme GET /api/v1/forks/{fork}/stats{period}&groupId={none} 404
key:acme GET /api/v1/forks/{fork}/exports/csv{period}&groupId={none} 404
key:acme GET /api/v1/forks/{fork}/stats{period}&groupId={foreign} 404 cut
key:acme GET /api/v1/forks/{fork}/exports/csv{period}&groupId={foreign} 404
`

// pageCases are all pages with what their routes need, and the short paths that lead to them.
func pageCases() string {
	var all strings.Builder
	for _, s := range web.New(web.Modules{}, "", time.Now).Screens() {
		path := strings.NewReplacer(":org", "acme", ":fork", "{fork}", ":key", "{keyID}",
			":recipe", "python", ":operation", "getForkStats").Replace(s.Path)
		short, ofOrganisation := strings.CutPrefix(path, "/o/acme")
		switch {
		case s.Page == nil, strings.HasPrefix(path, "/sign-in"), path == "/account/reset":
		case strings.HasPrefix(path, "/account"):
			fmt.Fprintf(&all, "admin GET %s 200\n", path)
		case !ofOrganisation:
			fmt.Fprintf(&all, "owner GET %s 200 anonymous\n", path)
		default:
			fmt.Fprintf(&all, "owner GET %s 200\n", path)
			if !strings.ContainsAny(short, "{.") {
				fmt.Fprintf(&all, "owner GET %s 303\n", short)
			}
		}
	}
	return all.String()
}

// screenCases are further states of pages.
const screenCases = `
- GET /sign-in 200
- GET /account/reset?token=reset 200
code GET /sign-in/code 200
code GET /sign-in/code?recovery=1 200
member GET /account 200
member GET /account/password 200
plain GET /account/two-step 200
plain GET /o/acme/settings/organisation 200
plain GET {keys} 200
admin GET {keys} 200
owner GET {report}{period} 200
owner GET {report}{period}&groupId={group} 200
owner GET {report}{period}&groupId={small} 200
owner GET {report}?from=2001-01-01&to=2001-01-07 200
owner GET {report}/plays.csv{period} 200
owner GET /o/acme/settings/audit-log?before=1 200
owner GET /o/acme/settings/audit-log?from=2001-01-01&to=2001-01-02 200
owner GET / 303
owner GET /settings 303
owner GET /sign-in 303
owner GET /o/acme/reports/{long}/plays.csv{period} 200 long
member GET /o/acme/reports 403
plain GET {keys}/new 403
owner GET /o/named/reports 404 anonymous
- GET /account 303
- GET /account/reset?token=none 404
owner GET /nowhere 404 anonymous
owner GET /o/acme/reports/{named} 404
owner GET {report}?from=2026-02-30&to=x 400
`

// formCases are all forms with all of their outcomes.
const formCases = `
- POST /sign-in 303 form:email=member@acme.example&password=PASSWORD
owner POST /sign-in 303 cut form:email=member@acme.example&password=PASSWORD
- POST /sign-in 303 form:email=admin@acme.example&password=PASSWORD
- POST /sign-in 401 form:email=member@acme.example&password=wrong
- POST /sign-in 401 form:email=nobody@acme.example&password=wrong
code POST /sign-in/code 303 cut form:code=CODE
code POST /sign-in/code 401 form:code=000000
owner POST /sign-out 303 form:a=b
- POST /account/reset 200 form:token=reset&new=NEW&repeat=NEW
owner POST /account/reset 200 cut form:token=reset&new=NEW&repeat=NEW
owner POST /account 303 form:a=b
enrolling POST /account/two-step 200 cut form:do=on&current=PASSWORD&code=OFFER
owner POST /account/password 303 form:current=PASSWORD&new=NEW&repeat=NEW
admin POST /account/password 303 cut form:current=PASSWORD&new=NEW&repeat=NEW&code=CODE
owner POST /account/password 422 form:current=wrong&new=NEW&repeat=NEW
admin POST /account/two-step 303 form:do=off&current=PASSWORD&code=CODE
admin POST /account/recovery-codes 200 cut form:current=PASSWORD&code=CODE
owner POST {key}/rename 303 form:name=Another+name
admin POST {key}/replace 200 form:name=A+key&scopes=forks:read&overlap=day&expiry=90
plain POST {key}/revoke 303 cut form:a=b
owner POST {keys}/new 200 cut form:name=A+key&scopes=forks:read&scopes=reports:read&expiry=never
owner POST {keys}/new 400 form:name=
owner POST /o/acme/settings/organisation/reporting-mode 303 form:mode=nominative&organisation=acme
`
