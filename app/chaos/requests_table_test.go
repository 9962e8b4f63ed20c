package chaos

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit"
	"dg/web"
)

type tableRequest struct {
	who, verb, path string // who: a person, key:name, or "-" for signed out
	wantStatus      int
	form            string // body of a POST
}

func (r tableRequest) String() string { return strings.Join([]string{r.verb, r.path, r.who}, " ") }

// requests parses a table with the columns who, verb, path, status and, optionally, form:name=value&….
func (w *requestWorld) requests(table string) (requests []tableRequest) {
	placeholders := strings.NewReplacer("{period}", "?from=2026-03-01&to=2026-03-31",
		"{none}", "00000000-0000-4000-8000-000000000000",
		"{fork}", w.forks["acme"], "{other}", w.forks["other"], "{named}", w.forks["named"],
		"{group}", w.groups["acme"], "{small}", w.groups["small acme"],
		"{foreign}", w.groups["named"], "{keys}", "/o/acme/settings/api-keys",
		"{key}", "/o/acme/settings/api-keys/"+w.keyID, "{keyID}", w.keyID,
		"{report}", "/o/acme/reports/"+w.forks["acme"])
	for line := range strings.Lines(placeholders.Replace(table)) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		r := tableRequest{who: fields[0], verb: fields[1], path: fields[2]}
		r.wantStatus, _ = strconv.Atoi(fields[3])
		r.form = strings.TrimPrefix(strings.Join(fields[4:], ""), "form:")
		requests = append(requests, r)
	}
	return requests
}

func (r tableRequest) values(w *requestWorld) url.Values {
	if r.form == "" {
		return nil
	}
	values, _ := url.ParseQuery(r.form)
	for _, field := range values {
		switch field[0] {
		case "PASSWORD":
			field[0] = testkit.Password
		case "NEW":
			field[0] = "another long password"
		case "CODE":
			field[0] = testkit.TOTPCode(w.t, testkit.TOTPSecret, time.Now())
		case "OFFER":
			field[0] = testkit.TOTPCode(w.t, w.offeredSecret, time.Now())
		}
	}
	return values
}

func endpointTable(t *testing.T) string {
	document := apptest.ReadFile(t, apptest.RepositoryPath("modules", "publicapi", "openapi.json"))
	var api struct{ Paths map[string]json.RawMessage }
	require.NoError(t, json.Unmarshal([]byte(document), &api))
	var table strings.Builder
	for _, path := range slices.Sorted(maps.Keys(api.Paths)) {
		period := ""
		if bytes.Contains(api.Paths[path], []byte(`/parameters/From"`)) {
			period = "{period}"
		}
		fmt.Fprintf(&table, "key:acme GET %s%s 200\n", strings.Replace(path, "forkId", "fork", 1), period)
	}
	return table.String()
}

// apiTable has requests that send other statements than those of endpointTable.
const apiTable = `
key:acme GET /api/v1/forks/{fork}/stats{period}&groupId={group} 200
key:acme GET /api/v1/forks/{fork}/stats{period}&groupId={small} 200
key:named GET /api/v1/forks/{named}/stats{period} 200
key:acme GET /api/v1/forks/{other}/exports/csv{period} 200
key:acme HEAD /api/v1/forks/{fork}/exports/csv{period} 200
key:acme GET /api/v1/forks/{fork}/exports/csv{period}&groupId={group} 200
key:acme GET /api/v1/forks/{fork}/exports/csv{period}&groupId={small} 200
key:named GET /api/v1/forks/{named}/exports/csv{period} 200
key:acme GET /api/v1/forks/{none} 404
key:acme GET /settings/api-keys 403
key:limited-refusals GET /settings/api-keys 429
- GET /readyz 200
key:unknown GET /api/v1/forks/{fork}/stats{period} 401
key:wrong-secret GET /api/v1/forks/{fork}/stats{period} 401
key:revoked GET /api/v1/forks/{fork}/stats{period} 401
key:expired GET /api/v1/forks/{fork}/stats{period} 401
key:below GET /api/v1/forks/{fork}/stats{period} 401
key:limited GET /api/v1/forks 429
key:limited-refusals GET /api/v1/forks 429
key:forks-only GET /api/v1/forks/{fork}/stats{period} 403
key:forks-only GET /api/v1/forks/{fork}/exports/csv{period} 403
key:named GET /api/v1/forks/{fork}/stats{period} 403
key:named GET /api/v1/forks/{fork}/exports/csv{period} 403
key:acme GET /api/v1/forks/{fork}/stats{period}&groupId={none} 404
key:acme GET /api/v1/forks/{fork}/exports/csv{period}&groupId={none} 404
key:acme GET /api/v1/forks/{fork}/stats{period}&groupId={foreign} 404
key:acme GET /api/v1/forks/{fork}/exports/csv{period}&groupId={foreign} 404
`

// pageTable returns a request for every page but those of sign-in and reset, and for each path that redirects to one.
func pageTable() string {
	var table strings.Builder
	for _, s := range web.New(web.Dependencies{}, "", time.Now).Screens() {
		path := strings.NewReplacer(":org", "acme", ":fork", "{fork}", ":key", "{keyID}",
			":recipe", "python", ":language", "de", ":operation", "getForkStats").Replace(s.Path)
		shortPath, inOrganisation := strings.CutPrefix(path, "/o/acme")
		switch {
		case s.Page == nil, strings.HasPrefix(path, "/sign-in"), path == "/account/reset":
		case strings.HasPrefix(path, "/account"):
			fmt.Fprintf(&table, "admin GET %s 200\n", path)
		case !inOrganisation:
			fmt.Fprintf(&table, "owner GET %s 200\n", path)
		default:
			fmt.Fprintf(&table, "owner GET %s 200\n", path)
			if !strings.ContainsAny(shortPath, "{.") {
				fmt.Fprintf(&table, "owner GET %s 303\n", shortPath)
			}
		}
	}
	return table.String()
}

const screenTable = `
- GET /sign-in 200
- GET /account/reset?token=reset 200
code GET /sign-in/code 200
member GET /account 200
plain GET /o/acme/settings/organisation 200
plain GET {keys} 200
admin GET {keys} 200
owner GET {report}{period} 200
owner GET {report}{period}&groupId={group} 200
owner GET {report}{period}&groupId={small} 200
owner GET {report}?from=2001-01-01&to=2001-01-07 200
owner GET {report}/plays.csv{period} 200
owner GET /o/acme/settings/audit-log?before=1 200
member GET /o/acme/reports 403
plain GET {keys}/new 403
owner GET /o/named/reports 404
- GET /account/reset?token=none 404
owner GET /o/acme/reports/{named} 404
`

// formTable has a request for each form, and for outcomes that send other statements.
const formTable = `
- POST /sign-in 303 form:email=member@acme.example&password=PASSWORD
owner POST /sign-in 303 form:email=member@acme.example&password=PASSWORD
- POST /sign-in 303 form:email=admin@acme.example&password=PASSWORD
- POST /sign-in 401 form:email=member@acme.example&password=wrong
- POST /sign-in 401 form:email=nobody@acme.example&password=wrong
code POST /sign-in/code 303 form:code=CODE
code POST /sign-in/code 401 form:code=000000
owner POST /sign-out 303 form:a=b
- POST /account/reset 200 form:token=reset&new=NEW&repeat=NEW
owner POST /account/reset 200 form:token=reset&new=NEW&repeat=NEW
owner POST /account 303 form:a=b
enrolling POST /account/two-step 200 form:do=on&code=OFFER
owner POST /account/two-step 303 form:do=begin&current=PASSWORD
owner POST /account/password 303 form:current=PASSWORD&new=NEW&repeat=NEW
admin POST /account/password 303 form:current=PASSWORD&new=NEW&repeat=NEW&code=CODE
owner POST /account/password 422 form:current=wrong&new=NEW&repeat=NEW
admin POST /account/two-step 303 form:do=off&current=PASSWORD&code=CODE
admin POST /account/recovery-codes 200 form:current=PASSWORD&code=CODE
owner POST {key}/rename 303 form:name=Another+name
admin POST {key}/replace 200 form:name=A+key&scopes=forks:read&overlap=day&expiry=90
plain POST {key}/revoke 303 form:a=b
owner POST {keys}/new 200 form:name=A+key&scopes=forks:read&scopes=reports:read&expiry=never
owner POST {keys}/new 400 form:name=
owner POST /o/acme/settings/organisation/reporting-mode 303 form:mode=nominative&organisation=acme
`
