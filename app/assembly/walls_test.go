package assembly_test

import (
	"context"
	"database/sql"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"dg/app/apptest"
	"dg/app/assembly"
	"dg/platform/authz"
	"dg/platform/testkit"
	"dg/web"
)

// neighbours are two organisations of one program. Acme's requests must not reach Beta's data.
type neighbours struct {
	*world
	acme, beta   tenant
	foreignGroup string
	owner        *testkit.Browser
}

// newNeighbours stores Beta first, so that a query without an organisation returns Beta's row.
func newNeighbours(t *testing.T, policy *authz.Policy) neighbours {
	w := startWith(t, assembly.Settings{Policy: policy})
	n := neighbours{world: w, beta: w.tenant(0), acme: w.tenant(0)}
	n.foreignGroup = w.Group(n.beta.ID, w.Players(n.beta.ID, 5)...)
	n.beta.owner.Name = "Bettina of Beta"
	w.Exec(`update users set name = $1 where id = $2`, n.beta.owner.Name, n.beta.owner.ID)
	w.signIn(n.beta.owner, "") // which her log names
	n.owner = w.signIn(n.acme.owner, "")
	return n
}

// screens opens each screen and form of Acme, with the ids of Beta's fork and key in the path: these must be refused.
func (n neighbours) screens(refused ...int) {
	for _, s := range web.New(web.Dependencies{}, "", time.Now).Screens() {
		path := strings.NewReplacer(":org", n.acme.Slug, ":fork", n.beta.fork.ID, ":key", n.beta.key.ID,
			":recipe", "python", ":language", "de", ":operation", "getForkStats").Replace(s.Path)
		foreign := s.Permission != (authz.Permission{}) && strings.Count(s.Path, ":") > 1
		if s.Page != nil {
			p := n.owner.Get(path).Lacks(n.T, n.beta.fork.ID, n.beta.key.ID, n.beta.owner.Name, n.foreignGroup)
			if foreign {
				require.Contains(n.T, refused, p.StatusCode, s.Path)
			}
		}
		if s.Form != nil && foreign {
			require.Contains(n.T, refused, n.owner.Post(path, allFields).StatusCode, "the form of %s", s.Path)
		}
	}
}

func (n neighbours) requireBetaUnchanged() {
	require.Equal(n.T, 1, n.Count(`api_keys k join organisations o on o.id = k.org_id
		where k.id = $1 and k.revoked_at is null and k.name <> 'Ours' and o.reporting_mode = $2`,
		n.beta.key.ID, n.beta.ReportingMode))
}

var allFields = testkit.Form("mode", "nominative", "organisation", "Acme", "name", "Ours",
	"scopes", "forks:read", "overlap", "now", "expiry", "never")

// organisationCondition matches the condition of tenant.Scope, and that in the SQL of tenant.Raw.
var organisationCondition = regexp.MustCompile(`(?:"?\w+"?\."?org_id"?|"organisations"\."id") = \$\d+`)

// unscopedConn is gorm's connection without the condition on the organisation.
type unscopedConn struct{ gorm.ConnPool }

func removeCondition(text string) string {
	return organisationCondition.ReplaceAllString(text, "($0 or true)")
}

func (l unscopedConn) QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	return l.ConnPool.QueryContext(ctx, removeCondition(text), args...)
}

func (l unscopedConn) ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error) {
	return l.ConnPool.ExecContext(ctx, removeCondition(text), args...)
}

type unscopedPool struct {
	unscopedConn
	db *sql.DB
}

func (l unscopedPool) BeginTx(ctx context.Context, opts *sql.TxOptions) (gorm.ConnPool, error) {
	tx, err := l.db.BeginTx(ctx, opts)
	return &struct { // gorm wants a pointer
		unscopedConn
		gorm.TxCommitter
	}{unscopedConn{tx}, tx}, err
}

func (n neighbours) removeConditions() {
	for _, db := range []*gorm.DB{n.Pools.Requests.Gorm, n.Pools.Snapshots.Gorm} {
		pool := unscopedPool{unscopedConn{db.ConnPool}, db.ConnPool.(*sql.DB)}
		db.ConnPool = pool
		db.Statement.ConnPool = pool
	}
}

// The policy alone protects organisations: it refuses another one's data even if gorm's SQL lacks the condition.
func TestPolicyAloneProtectsOrganisations(t *testing.T) {
	n := newNeighbours(t, nil)
	n.removeConditions()
	n.screens(http.StatusForbidden, http.StatusNotFound)
	n.owner.Post("/o/"+n.acme.Slug+"/settings/organisation/reporting-mode", allFields).Is(t, 403)
	n.requireBetaUnchanged()
}

const openModel = `[request_definition]
r = kind, grants, org, owner, resource, action
[policy_definition]
p = kind, grant, resource, action
[policy_effect]
e = some(where (p.eft == allow))
[matchers]
m = true`

// The SQL alone protects organisations: even if the policy allows everything, no query returns another's data.
func TestQueriesAloneProtectOrganisations(t *testing.T) {
	policy, err := authz.Compile(openModel, "p, any, any, any, any")
	require.NoError(t, err)
	n := newNeighbours(t, policy)
	for _, path := range []string{"/api/v1/forks/" + n.beta.fork.ID, n.beta.statsPath(), n.beta.exportPath(),
		n.acme.statsPath() + "&groupId=" + n.foreignGroup} {
		require.Equal(t, http.StatusNotFound, n.call(n.acme, path), path)
	}
	list := apptest.ReadAll(t, apptest.Ask(t, apptest.NewClient(), n.Base+"/api/v1/forks", n.acme.key.Token()))
	require.Contains(t, list, n.acme.fork.ID)
	require.NotContains(t, list, n.beta.fork.ID)

	n.screens(http.StatusNotFound)
	n.owner.Post("/o/"+n.beta.Slug+"/settings/organisation/reporting-mode", testkit.Form("mode", "nominative"))
	n.requireBetaUnchanged()
}
