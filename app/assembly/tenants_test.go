package assembly_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"dg/app/apptest"
	"dg/platform/authz"
	"dg/platform/testkit"
	"dg/web"
)

// twoTenants has two organisations of one program. Acme's requests must not reach Beta's data.
type twoTenants struct {
	*world
	acme, beta tenant
	betaGroup  string
	acmeOwner  *testkit.Browser
}

// visitScreens requires that no screen shows Beta's data, and that paths with Beta's ids are refused.
func (n twoTenants) visitScreens() {
	refusals := []int{http.StatusForbidden, http.StatusNotFound}
	for _, s := range web.New(web.Dependencies{}, "", time.Now).Screens() {
		path := strings.NewReplacer(":org", n.acme.Slug, ":fork", n.beta.fork.ID, ":key", n.beta.key.ID,
			":recipe", "python", ":language", "de", ":operation", "getForkStats").Replace(s.Path)
		isForeign := s.Permission != (authz.Permission{}) && strings.Count(s.Path, ":") > 1
		if s.Page != nil {
			p := n.acmeOwner.Get(path).Lacks(n.T, n.beta.fork.ID, n.beta.key.ID, n.beta.owner.Name, n.betaGroup)
			if isForeign {
				require.Contains(n.T, refusals, p.StatusCode, s.Path)
			}
		}
		if s.Form != nil && isForeign {
			require.Contains(n.T, refusals, n.acmeOwner.Post(path, allFields).StatusCode, "the form of %s", s.Path)
		}
	}
}

var allFields = testkit.Form("mode", "nominative", "organisation", "Acme", "name", "Ours",
	"scopes", "forks:read", "overlap", "now", "expiry", "never")

// organisationConditionPattern matches the condition on the organisation, of tenant.Scope or in tenant.Raw's SQL.
var organisationConditionPattern = regexp.MustCompile(`(?:"?\w+"?\."?org_id"?|"organisations"\."id") = \$\d+`)

// unscopedConn removes the condition on the organisation from gorm's statements.
type unscopedConn struct{ gorm.ConnPool }

func removeCondition(text string) string {
	return organisationConditionPattern.ReplaceAllString(text, "($0 or true)")
}

func (c unscopedConn) QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	return c.ConnPool.QueryContext(ctx, removeCondition(text), args...)
}

func (c unscopedConn) ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error) {
	return c.ConnPool.ExecContext(ctx, removeCondition(text), args...)
}

type unscopedPool struct {
	unscopedConn
	db *sql.DB
}

func (p unscopedPool) BeginTx(ctx context.Context, opts *sql.TxOptions) (gorm.ConnPool, error) {
	tx, err := p.db.BeginTx(ctx, opts)
	return &struct { // gorm requires a pointer
		unscopedConn
		gorm.TxCommitter
	}{unscopedConn{tx}, tx}, err
}

func (n twoTenants) removeConditions() {
	for _, db := range []*gorm.DB{n.Pools.Requests.Gorm, n.Pools.Snapshots.Gorm} {
		pool := unscopedPool{unscopedConn{db.ConnPool}, db.ConnPool.(*sql.DB)}
		db.ConnPool = pool
		db.Statement.ConnPool = pool
	}
}

// The policy alone refuses another organisation's data, even if gorm's SQL lacks the condition.
func TestPolicyAloneProtectsOrganisations(t *testing.T) {
	w := start(t)
	// Beta's rows come first, so that a query without an organisation returns them.
	n := twoTenants{world: w, beta: w.newTenant(0), acme: w.newTenant(0)}
	n.betaGroup = w.AddGroup(n.beta.ID, w.AddPlayers(n.beta.ID, 5)...)
	n.beta.owner.Name = "Bettina of Beta"
	w.Exec(`update users set name = $1 where id = $2`, n.beta.owner.Name, n.beta.owner.ID)
	w.signIn(n.beta.owner, "")
	n.acmeOwner = w.signIn(n.acme.owner, "")
	n.removeConditions()
	n.visitScreens()
	n.acmeOwner.Post("/o/"+n.acme.Slug+"/settings/organisation/reporting-mode", allFields).Is(t, 403)
	require.Equal(t, 1, w.CountRows(`api_keys k join organisations o on o.id = k.org_id
		where k.id = $1 and k.revoked_at is null and k.name <> 'Ours' and o.reporting_mode = $2`,
		n.beta.key.ID, n.beta.ReportingMode))
}

// loadCase is a request that many clients repeat, and that waits for a lock.
type loadCase struct {
	name, lockSQL string
	maxConns      int                                    // connections, of 12, that the requests may use
	send          func(w *world, first tenant, turn int) // ignores failures
	check         func(w *world, first tenant, owner *testkit.Browser)
}

var loadCases = []loadCase{
	{"first uses of a key", `insert into api_key_windows (key_id, refused) values ('KEY', false)`, 1,
		func(w *world, first tenant, _ int) { w.sendIgnoringErrors("/api/v1/forks", first.key.Token(), 0) }, nil},
	{"wrong secrets from many addresses", `select from api_key_windows where refused and key_id = 'KEY' for update`,
		3, func(w *world, first tenant, turn int) {
			wrong := testkit.Key{ID: first.key.ID, Secret: strings.Repeat("0", len(first.key.Secret))}
			w.sendIgnoringErrors("/api/v1/forks", wrong.Token(), turn)
		}, func(w *world, first tenant, _ *testkit.Browser) {
			require.Equal(w.T, http.StatusOK, w.call(first, "/api/v1/forks"), "its right secret")
		}},
	{"sign-ins to an account from one address",
		`update password_guesses set wrong = 1 where key_hash = sha256('account:EMAIL')`, 2,
		func(w *world, first tenant, _ int) {
			signInWith(w.Browser("198.51.100.1"), first.owner.Email, wrongPassword)
		}, nil},
	{"screens of one organisation", `lock table api_key_usage in access exclusive mode`, 3,
		func(w *world, first tenant, _ int) {
			w.sendIgnoringErrors("/o/"+first.Slug+"/settings/api-keys/"+first.key.ID, "", 0)
		},
		func(w *world, first tenant, owner *testkit.Browser) {
			owner.Post("/o/"+first.Slug+"/settings/api-keys/"+first.key.ID+"/revoke", nil).Is(w.T, 303)
		}},
}

// rules.md, Bounds: slow requests of one organisation leave connections for others' keys, screens and sign-ins.
func TestLoadLeavesConnectionsForOthers(t *testing.T) {
	t.Parallel()
	for _, load := range loadCases {
		t.Run(load.name, func(t *testing.T) {
			w := start(t)
			first, second := w.newTenant(10), w.newTenant(10)
			owner := w.signIn(first.owner, "192.0.2.201")
			w.cookie = owner.SessionToken()
			otherOwner := w.signIn(second.owner, "192.0.2.202")
			owner.Get("/o/" + first.Slug + "/settings/api-keys")
			otherOwner.Get("/o/" + second.Slug + "/settings/api-keys")
			for _, caller := range []tenant{first, second} {
				if load.name != "first uses of a key" {
					require.Equal(t, http.StatusOK, w.call(caller, "/api/v1/forks"))
				}
			}
			w.Exec(`insert into password_guesses (key_hash, wrong, ends_at)
				values (sha256($1), 10, now() + interval '5 min') on conflict (key_hash)
				do update set (wrong, ends_at) = (10, excluded.ends_at)`, "account:"+first.owner.Email)
			lock := w.Begin(strings.NewReplacer("KEY", first.key.ID, "EMAIL", first.owner.Email).Replace(load.lockSQL))
			defer w.startLoad(func(i int) { load.send(w, first, i) })()
			defer func() { _ = lock.Rollback(context.Background()) }()
			apptest.WaitUntil(t, 20*time.Second, "the load takes too few connections", func() bool {
				return w.Pools.Requests.Pool.Stat().AcquiredConns() >= int32(load.maxConns)
			})
			// AcquiredConns would include short statements, so count statements that wait for the lock
			for range 200 {
				require.LessOrEqual(t, testkit.Query[int](w.World,
					`select count(distinct pid) from pg_locks join pg_stat_activity using (pid)
					where datname = current_database() and not granted`), load.maxConns)
			}
			require.Equal(t, http.StatusOK, w.call(second, "/api/v1/forks"))
			otherOwner.Get("/o/"+second.Slug+"/settings/organisation").Is(t, 200) // this page reads no locked table
			w.signIn(second.owner, "198.51.100.2").Get("/o/"+second.Slug+"/settings/organisation").Is(t, 200)
			if load.check != nil {
				load.check(w, first, owner)
			}
		})
	}
}

func (w *world) startLoad(send func(turn int)) (stop func()) {
	var ended atomic.Bool
	var senders sync.WaitGroup
	for i := range 40 {
		senders.Go(func() {
			for ; !ended.Load(); i += 40 {
				send(i)
			}
		})
	}
	return func() { ended.Store(true); senders.Wait() }
}

// sendIgnoringErrors sends a request with token or, if that is "", w.cookie. clientNumber selects one of 100 addresses.
func (w *world) sendIgnoringErrors(path, token string, clientNumber int) {
	request, _ := http.NewRequestWithContext(w.T.Context(), http.MethodGet, w.BaseURL+path, http.NoBody)
	if token == "" {
		request.AddCookie(&http.Cookie{Name: "__Host-dg", Value: w.cookie})
	} else {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	request.Header.Set("X-Forwarded-For", fmt.Sprintf("192.0.2.%d", clientNumber%100))
	if response, err := http.DefaultTransport.RoundTrip(request); err == nil {
		_ = response.Body.Close()
	}
}
