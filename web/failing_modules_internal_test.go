package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"

	"dg/modules/identity"
	"dg/platform/apperr"
)

// screen is a route with a request that succeeds.
type screen struct {
	route  string // as routes.go has it
	path   string // with the query
	form   string // of a POST
	status int
	// calls are those of the modules, in their order. "=303" behind a call is the status whatever
	// fails there; otherwise the status is that of the failure.
	calls string
}

const (
	person = "Identity.Session Orgs.MembershipsOf "
	member = "Identity.Session Orgs.Membership "
	// of the documentation
	examplesOf = "Identity.Session=200 Orgs.MembershipsOf=200 Games.Forks=200 Orgs.Groups=200"
	forkAt     = "/o/acme/reports/0b9f6f0e-5a3c-4d56-9a77-1f8f5a1c2e42"
	keyAt      = "/o/acme/settings/api-keys/AAAAAAAAAAAAAAAAAAAAAA"
	newKey     = "name=BI&scopes=reports%3Aread&expiry=90&idempotencyKey=0b9f6f0e-5a3c-4d56-9a77-1f8f5a1c2e44"
)

// screens are all routes. A change that is committed is answered as such, whatever fails after it:
// the browser that could not be remembered, the session that could not be ended. The documentation
// can be read while the database is down.
var screens = []screen{
	{"GET /static/*", "/static/dg.css", "", 200, ""},
	{"GET /docs", "/docs", "", 200, examplesOf},
	{"GET /docs/recipes/:recipe", "/docs/recipes/curl", "", 200, examplesOf},
	{
		"GET /docs/reference", "/docs/reference", "", 200,
		"Identity.Session=200 Orgs.MembershipsOf=200",
	},
	{"GET /docs/reference/:operation", "/docs/reference/getFork", "", 200, examplesOf},
	{
		"GET /docs/security", "/docs/security", "", 200,
		"Identity.Session=200 Orgs.MembershipsOf=200",
	},

	{"GET /sign-in", "/sign-in", "", 303, "Identity.Session"},
	{
		"POST /sign-in", "/sign-in", "email=ann&password=x", 303,
		"Identity.SignIn Identity.RememberBrowser=303",
	},
	{"GET /sign-in/code", "/sign-in/code", "", 303, "Identity.Session"},
	{
		"POST /sign-in/code", "/sign-in/code", "code=1", 303,
		"Identity.VerifySecondStep Identity.RememberBrowser=303",
	},
	{"POST /sign-out", "/sign-out", "", 303, "Identity.SignOut"},
	{"GET /account/reset", "/account/reset?token=1", "", 200, "Identity.ResetPerson"},
	{"POST /account/reset", "/account/reset", "token=1&new=x&repeat=x", 200, "Identity.UseReset"},

	{"GET /account", "/account", "", 200, person + "Identity.Sessions Identity.RecoveryCodesLeft"},
	{
		"POST /account", "/account", "session=1", 303,
		person + "Identity.EndSession Identity.Session=303",
	},
	{"POST /account", "/account", "region=de-DE", 303, person + "Identity.SetRegion"},
	{"GET /account/password", "/account/password", "", 200, person},
	{"POST /account/password", "/account/password", "current=x&new=y&repeat=y", 303,
		person + "Identity.ChangePassword Identity.RememberBrowser=303"},
	{"GET /account/two-step", "/account/two-step", "", 200, person + "Identity.BeginTwoStep"},
	{
		"POST /account/two-step", "/account/two-step", "current=x&code=1", 200,
		person + "Identity.ConfirmTwoStep Identity.RememberBrowser=200",
	},
	{
		"POST /account/two-step", "/account/two-step", "do=off", 303,
		person + "Identity.TurnOffTwoStep Identity.RememberBrowser=303",
	},
	{"GET /account/recovery-codes", "/account/recovery-codes", "", 303, person},
	{"POST /account/recovery-codes", "/account/recovery-codes", "current=x", 200,
		person + "Identity.ReplaceRecoveryCodes Identity.RememberBrowser=200"},

	{"GET /o/:org/reports", "/o/acme/reports", "", 200, member + "Games.Forks Reports.Overview"},
	{"GET /o/:org/reports/:fork", forkAt, "", 200,
		member + "Games.Fork Orgs.Groups Reports.Statistics Reports.Statistics Reports.LastPlay"},
	{
		"GET /o/:org/reports/:fork", forkAt + "?find=x", "", 303,
		member + "Games.Fork Orgs.FindGroups",
	},
	{
		"GET /o/:org/reports/:fork/plays.csv", forkAt + "/plays.csv", "", 200,
		member + "Games.Fork Exports.Send",
	},
	{"GET /o/:org/reports/:fork", forkAt + "?groupId=1", "", 200,
		member + "Games.Fork Orgs.Groups Reports.Statistics Reports.Statistics"},
	{
		"GET /o/:org/reports/:fork", forkAt + "?compare=off", "", 200,
		member + "Games.Fork Orgs.Groups Reports.Statistics Reports.LastPlay",
	},
	{
		"GET /o/:org/reports/:fork/plays.csv", forkAt + "/plays.csv?groupId=1", "", 200,
		member + "Games.Fork Exports.Send",
	},
	{
		"GET /o/:org/settings/api-keys", "/o/acme/settings/api-keys", "", 200,
		member + "Keys.List Keys.Expiring",
	},
	{
		"GET /o/:org/settings/api-keys/new", "/o/acme/settings/api-keys/new", "", 200,
		member + "Keys.List Identity.Reauthenticate Keys.Expiring",
	},
	{"POST /o/:org/settings/api-keys/new", "/o/acme/settings/api-keys/new", newKey, 200,
		member + "Identity.Reauthenticate Keys.Expiring Games.Forks Keys.Create"},
	{
		"GET /o/:org/settings/api-keys/:key", keyAt, "", 200,
		member + "Keys.Key Keys.Usage Keys.Expiring",
	},
	{
		"GET /o/:org/settings/api-keys/:key/rename", keyAt + "/rename", "", 200,
		member + "Keys.Key Keys.Expiring",
	},
	{
		"POST /o/:org/settings/api-keys/:key/rename", keyAt + "/rename", "name=BI", 303,
		member + "Keys.Key Keys.Rename",
	},
	{"GET /o/:org/settings/api-keys/:key/replace", keyAt + "/replace", "", 200,
		member + "Keys.Key Identity.Reauthenticate Keys.Expiring"},
	{"POST /o/:org/settings/api-keys/:key/replace", keyAt + "/replace",
		"overlap=day&idempotencyKey=0b9f6f0e-5a3c-4d56-9a77-1f8f5a1c2e45", 200,
		member + "Keys.Key Identity.Reauthenticate Keys.Expiring Games.Forks Keys.Replace"},
	{
		"GET /o/:org/settings/api-keys/:key/revoke", keyAt + "/revoke", "", 200,
		member + "Keys.Key Keys.Expiring",
	},
	{
		"POST /o/:org/settings/api-keys/:key/revoke", keyAt + "/revoke", "", 303,
		member + "Keys.Key Keys.Revoke",
	},
	{"GET /o/:org/settings/audit-log", "/o/acme/settings/audit-log", "", 200,
		member + "Keys.List Log.People Games.Forks Keys.Expiring Log.List Log.Counterparts"},
	{"GET /o/:org/settings/audit-log.csv", "/o/acme/settings/audit-log.csv", "", 200,
		member + "Keys.List Log.People Games.Forks Log.Append=503 Log.List"},
	{"GET /o/:org/settings/organisation", "/o/acme/settings/organisation", "", 200,
		member + "Keys.Expiring Orgs.Members Identity.People Orgs.GroupPage Games.Forks"},
	{"GET /o/:org/settings/organisation/reporting-mode",
		"/o/acme/settings/organisation/reporting-mode", "", 200,
		member + "Identity.Reauthenticate Keys.List Keys.Expiring"},
	{"POST /o/:org/settings/organisation/reporting-mode",
		"/o/acme/settings/organisation/reporting-mode", "mode=nominative&organisation=acme", 303,
		member + "Identity.Reauthenticate Orgs.SetReportingMode"},

	{"GET /", "/", "", 303, person},
	{"GET /reports", "/reports", "", 303, person},
	{"GET /settings", "/settings", "", 303, person},
	{"GET /settings/api-keys", "/settings/api-keys", "", 303, person},
	{"GET /settings/api-keys/new", "/settings/api-keys/new", "", 303, person},
	{"GET /settings/organisation", "/settings/organisation", "", 303, person},
	{"GET /settings/audit-log", "/settings/audit-log", "", 303, person},
}

// failures are how a call can fail, and the status.
var failures = []struct {
	name   string
	err    error
	status int
}{
	{
		"unavailable", &apperr.Error{
			Code:       apperr.Unavailable,
			Message:    "The database did not answer. Retry in 5 seconds.",
			RetryAfter: 5,
		}, 503,
	},
	{"timeout", fmt.Errorf("host=10.0.0.1: %w", context.DeadlineExceeded), 503},
	{"cancelled", fmt.Errorf("host=10.0.0.1: %w", context.Canceled), 503},
	{"not found", apperr.New(apperr.NotFound, "Not there."), 404},
	{"denied", apperr.New(apperr.AccessDenied, "No longer an owner."), 403},
	{"unexpected", errors.New("host=10.0.0.1: disk full"), 500},
	{"session ended", identity.ErrNoSession, 303},
}

// sessionCalls are the calls that find the session ended.
var sessionCalls = []string{
	"Session", "VerifySecondStep", "Sessions", "EndSession", "ChangePassword", "BeginTwoStep",
	"ConfirmTwoStep", "TurnOffTwoStep",
	"RecoveryCodesLeft", "ReplaceRecoveryCodes", "Reauthenticate",
}

// Each call of each screen, failing in each way: an error page with the right status, nothing of
// the screen, no session, and no call after it that could change anything.
func TestFailingModule(t *testing.T) {
	t.Parallel()
	s, app := newMocked(t, t, newPolicy(t))
	requireAllRoutes(t, app)
	for _, c := range screens {
		calls := strings.Fields(c.calls)
		for i, call := range calls {
			name, fixed, _ := strings.Cut(call, "=")
			for _, f := range failures {
				ended := f.err == identity.ErrNoSession
				if ended && c.route == "GET /sign-in" ||
					ended && !slices.Contains(sessionCalls, strings.TrimPrefix(name, "Identity.")) {
					continue
				}
				t.Run(c.route+" "+c.form+"/"+strconv.Itoa(i+1)+" "+name+"/"+f.name,
					func(t *testing.T) {
						status := f.status
						if fixed != "" {
							status, _ = strconv.Atoi(fixed)
						}
						method, _, _ := strings.Cut(c.route, " ")
						response, body, made := s.send(method, c.path, c.form, i+1, f.err)
						require.Equal(t, status, response.StatusCode, "%s", body)
						require.NotContains(t, body, "10.0.0.1")
						if fixed != "" && status < 400 {
							return
						}
						requireNothingElse(t, response, body, made[i+1:])
					})
			}
		}
	}
}

// requireNothingElse requires a page that only reports an error, or a redirect to the sign-in.
func requireNothingElse(t *testing.T, response *http.Response, body string, later []string) {
	t.Helper()
	require.NotContains(t, body, marker)
	// the error page finds out who reads it
	require.Empty(t, slices.DeleteFunc(later, func(call string) bool {
		return call == "Identity.Session" || call == "Orgs.MembershipsOf"
	}))
	if response.StatusCode == http.StatusSeeOther {
		require.Regexp(t, `^/sign-in(\?|$)`, response.Header.Get("Location"))
		return
	}
	require.Empty(t, response.Header["Set-Cookie"])
	require.Equal(t, 1, strings.Count(body, "<h1>"))
	require.Contains(t, body, `<code id="rid">`+response.Header.Get("X-Request-Id"))
	require.Regexp(t, `</html>\s*$`, body)
	require.NotContains(t, body, "Retry in")
	require.Equal(t, response.StatusCode == http.StatusServiceUnavailable,
		response.Header.Get("Retry-After") != "")
}

// Without a failure each screen makes the calls of the table, so that the test above has met them
// all.
func TestScreensOverMocks(t *testing.T) {
	t.Parallel()
	s, _ := newMocked(t, t, newPolicy(t))
	for _, c := range screens {
		t.Run(c.route+" "+c.form, func(t *testing.T) {
			var want []string
			for call := range strings.FieldsSeq(c.calls) {
				name, _, _ := strings.Cut(call, "=")
				want = append(want, name)
			}
			method, _, _ := strings.Cut(c.route, " ")
			response, body, made := s.send(method, c.path, c.form, 0, nil)
			require.Equal(t, c.status, response.StatusCode, "%s", body)
			require.Equal(t, want, made)
			if reads := len(want) > 2; reads && c.status == http.StatusOK {
				require.Contains(t, body, marker)
			}
		})
	}
}

// requireAllRoutes requires that the table has every route of routes.go.
func requireAllRoutes(t *testing.T, app *fiber.App) {
	t.Helper()
	var mounted, listed []string
	for _, r := range app.GetRoutes(true) {
		if r.Method != http.MethodHead { // like GET
			mounted = append(mounted, r.Method+" "+strings.TrimSuffix(r.Path, "/"))
		}
	}
	for _, c := range screens {
		listed = append(listed, strings.TrimSuffix(c.route, "/"))
	}
	slices.Sort(mounted)
	slices.Sort(listed)
	require.Equal(t, slices.Compact(mounted), slices.Compact(listed))
}
