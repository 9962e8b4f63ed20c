package assembly_test

import (
	"context"
	"database/sql"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace"
	"gorm.io/gorm"

	"dg/platform/authz"
	"dg/platform/testkit/fixtures"
)

// neighbours are two organisations in one program: Acme has a key and an owner, and everything that
// Beta has is Beta's alone.
type neighbours struct {
	*world
	acme, beta       fixtures.Organisation
	key, foreignKey  fixtures.Key
	fork, foreign    fixtures.Fork
	foreignGroup     string
	owner            *browser
	foreignOwnerName string
}

// newNeighbours stores Beta first, so that a query without an organisation finds Beta's row.
func newNeighbours(t *testing.T, policy *authz.Policy, tracer ...trace.Tracer) neighbours {
	w := startWith(t, policy, tracer...)
	n := neighbours{world: w, foreignOwnerName: "Bettina of Beta"}
	for _, o := range []*fixtures.Organisation{&n.beta, &n.acme} {
		*o = w.store.Organisation(fixtures.Organisation{})
	}
	n.foreign = w.store.Fork(fixtures.Fork{OrganisationID: n.beta.ID})
	n.fork = w.store.Fork(fixtures.Fork{OrganisationID: n.acme.ID})
	n.foreignKey = w.store.Key(n.beta.ID)
	n.key = w.store.Key(n.acme.ID)
	n.foreignGroup = w.store.Group(n.beta.ID, w.store.Players(n.beta.ID, 5)...)
	w.exec(`insert into audit_entries (org_id, actor_kind, actor_id, actor_name, action,
		target_kind, target_id, reason, details, method, path, address,
		user_agent, request_id) values ($1, 'person', 'b', $2, 'reporting_mode.changed',
		  'organisation', '', '', '{}', '', '', '', '', '')`,
		n.beta.ID, n.foreignOwnerName)
	w.person("ada@acme.example", n.acme.ID)
	n.owner = w.browser()
	require.Equal(t, http.StatusSeeOther, n.owner.signIn("ada@acme.example", password))
	return n
}

// call asks the API with Acme's key, and with further headers given as name, value.
func (n neighbours) call(path string, headers ...string) (status int, body string) {
	n.t.Helper()
	request, err := http.NewRequestWithContext(n.t.Context(), http.MethodGet,
		n.url+"/api/v1/forks"+path, http.NoBody)
	require.NoError(n.t, err)
	request.Header.Set("Authorization", "Bearer "+n.key.Token())
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(n.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(n.t, err)
	return response.StatusCode, string(text)
}

// screen opens a screen of Acme as its owner, or sends its form.
func (n neighbours) screen(method, path string, form url.Values) (status int, body string) {
	n.t.Helper()
	response, body := n.owner.send(method, "/o/"+n.acme.Slug+path, form)
	return response.StatusCode, body
}

// unchanged fails the test if something of Beta was changed.
func (n neighbours) unchanged() {
	n.t.Helper()
	require.True(n.t,
		one[bool](n.world,
			`select revoked_at is null and name <> 'Ours' from api_keys where id = $1`,
			n.foreignKey.ID))
	require.Equal(n.t, n.beta.ReportingMode,
		one[string](n.world, `select reporting_mode from organisations where id = $1`, n.beta.ID))
}

// form is what the forms of the screens want, each something of it.
var form = url.Values{
	"mode":           {"nominative"},
	"organisation":   {"Acme"},
	"name":           {"Ours"},
	"overlap":        {"now"},
	"idempotencyKey": {"0b9f6f0e-5a3c-4d56-9a77-1f8f5a1c2e45"},
}

func first(status int, _ string) int { return status }

const report = "/stats?from=2026-03-01&to=2026-03-31"

// withoutOrganisation is the connection of gorm whose statements have lost their condition on the
// organisation.
type withoutOrganisation struct{ *sql.DB }

// organisationCondition is what postgres.Tenant adds, and what the texts of postgres.Raw have.
var organisationCondition = regexp.MustCompile(
	`(?:"?\w+"?\."?org_id"?|"organisations"\."id") = \$\d+`,
)

func loosen(
	text string,
) string {
	return organisationCondition.ReplaceAllString(text, "($0 or true)")
}

func (l withoutOrganisation) QueryContext(
	ctx context.Context, text string, args ...any,
) (*sql.Rows, error) {
	return l.DB.QueryContext(ctx, loosen(text), args...)
}

func (l withoutOrganisation) ExecContext(
	ctx context.Context, text string, args ...any,
) (sql.Result, error) {
	return l.DB.ExecContext(ctx, loosen(text), args...)
}

func (l withoutOrganisation) BeginTx(
	ctx context.Context, opts *sql.TxOptions,
) (gorm.ConnPool, error) {
	tx, err := l.DB.BeginTx(ctx, opts)
	return &withoutOrganisationTx{tx}, err // gorm wants a pointer
}

type withoutOrganisationTx struct{ *sql.Tx }

func (l withoutOrganisationTx) QueryContext(
	ctx context.Context, text string, args ...any,
) (*sql.Rows, error) {
	return l.Tx.QueryContext(ctx, loosen(text), args...)
}

func (l withoutOrganisationTx) ExecContext(
	ctx context.Context, text string, args ...any,
) (sql.Result, error) {
	return l.Tx.ExecContext(ctx, loosen(text), args...)
}

// loosenQueries takes the organisation out of every statement of gorm.
func (n neighbours) loosenQueries() {
	for _, db := range []*gorm.DB{n.p.Pools.Auth.Gorm, n.p.Pools.Reads.Gorm} {
		pool := withoutOrganisation{db.ConnPool.(*sql.DB)}
		db.ConnPool = pool
		db.Statement.ConnPool = pool
	}
}

// The policy is a wall of its own: with the organisation taken out of the SQL it still refuses what
// is another organisation's.
func TestPolicyRefusesWhatAQueryLetsThrough(t *testing.T) {
	n := newNeighbours(t, nil)
	n.loosenQueries()
	for name, path := range map[string]string{
		"fork":   "/" + n.foreign.ID,
		"report": "/" + n.foreign.ID + report,
		"export": "/" + n.foreign.ID + "/exports/csv?from=2026-03-01&to=2026-03-31",
	} {
		status, _ := n.call(path)
		require.Equal(t, http.StatusForbidden, status, name)
	}
	status, body := n.call("")
	require.NotEqual(t, http.StatusOK, status, "fork list")
	require.NotContains(t, body, n.foreign.ID, "fork list")

	for name, path := range map[string]string{
		"reports":        "/reports",
		"report":         "/reports/" + n.foreign.ID,
		"keys":           "/settings/api-keys",
		"key":            "/settings/api-keys/" + n.foreignKey.ID + "/revoke",
		"key page":       "/settings/api-keys/" + n.foreignKey.ID,
		"key to replace": "/settings/api-keys/" + n.foreignKey.ID + "/replace",
		"key to rename":  "/settings/api-keys/" + n.foreignKey.ID + "/rename",
		"audit log":      "/settings/audit-log",
		"audit log file": "/settings/audit-log.csv",
		"plays":          "/reports/" + n.foreign.ID + "/plays.csv",
		"organisation":   "/settings/organisation",
	} {
		status, body := n.screen(http.MethodGet, path, nil)
		require.Contains(t,
			[]int{http.StatusForbidden, http.StatusNotFound, http.StatusInternalServerError},
			status,
			name)
		for _, foreign := range []string{n.foreign.ID, n.foreignKey.ID, n.foreignOwnerName} {
			require.NotContains(t, body, foreign, name)
		}
	}
	for name, path := range map[string]string{
		"key":            "/settings/api-keys/" + n.foreignKey.ID + "/revoke",
		"replacement":    "/settings/api-keys/" + n.foreignKey.ID + "/replace",
		"name":           "/settings/api-keys/" + n.foreignKey.ID + "/rename",
		"reporting mode": "/settings/organisation/reporting-mode",
	} {
		status, _ := n.screen(http.MethodPost, path, form)
		require.Equal(t, http.StatusForbidden, status, name)
	}
	_, docs := n.owner.send(http.MethodGet, "/docs", nil)
	require.NotContains(t, docs, n.foreignGroup)
	require.NotContains(t, docs, n.foreign.ID)
	n.unchanged()
}

// openModel allows everything to everybody.
const openModel = `[request_definition]
r = kind, grants, org, owner, resource, action
[policy_definition]
p = kind, grant, resource, action
[policy_effect]
e = some(where (p.eft == allow))
[matchers]
m = true`

// The SQL is a wall of its own: with a policy that allows everything it still finds nothing of
// another organisation.
func TestQueriesFindNothingOfOthersUnderAnOpenPolicy(t *testing.T) {
	policy, err := authz.Compile(openModel, "p, any, any, any, any")
	require.NoError(t, err)
	n := newNeighbours(t, policy)
	for name, path := range map[string]string{
		"fork":   "/" + n.foreign.ID,
		"report": "/" + n.foreign.ID + report,
		"export": "/" + n.foreign.ID + "/exports/csv?from=2026-03-01&to=2026-03-31",
		"group":  "/" + n.fork.ID + report + "&groupId=" + n.foreignGroup,
	} {
		status, _ := n.call(path)
		require.Equal(t, http.StatusNotFound, status, name)
	}
	status, body := n.call("")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, n.fork.ID)
	require.NotContains(t, body, n.foreign.ID)

	for name, path := range map[string]string{
		"reports":   "/reports",
		"keys":      "/settings/api-keys",
		"audit log": "/settings/audit-log",
	} {
		status, body := n.screen(http.MethodGet, path, nil)
		require.Equal(t, http.StatusOK, status, name)
		for _, foreign := range []string{n.foreign.ID, n.foreignKey.ID, n.foreignOwnerName} {
			require.NotContains(t, body, foreign, name)
		}
	}
	require.Equal(t, http.StatusNotFound,
		first(n.screen(http.MethodGet, "/reports/"+n.foreign.ID, nil)))
	for _, below := range []string{"", "/revoke", "/replace", "/rename"} {
		path := "/settings/api-keys/" + n.foreignKey.ID + below
		require.Equal(t, http.StatusNotFound, first(n.screen(http.MethodGet, path, nil)), path)
		if below != "" {
			require.Equal(t, http.StatusNotFound, first(n.screen(http.MethodPost, path, form)),
				path)
		}
	}
	n.owner.post("/o/"+n.beta.Slug+"/settings/organisation/reporting-mode", "mode", "nominative")
	n.unchanged()
}
