package assembly_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace"

	"dg/app/apptest"
	"dg/app/assembly"
	"dg/platform/testkit"
)

const (
	password      = testkit.Password
	wrongPassword = "wrong horse battery"
)

type world struct {
	*apptest.World
	cookie string // session cookie of the requests that ask sends without a key
}

// start starts the program, with a tracer if one is given.
func start(t *testing.T, tracer ...trace.Tracer) *world {
	t.Parallel()
	settings := assembly.Settings{}
	if len(tracer) > 0 {
		settings.Tracer = tracer[0]
	}
	return &world{World: apptest.ServeInProcess(t, testkit.New(t), settings)}
}

type tenant struct {
	testkit.Organisation
	owner testkit.Person
	fork  testkit.Fork
	key   testkit.Key
}

func (w *world) tenant(plays int) tenant {
	x := tenant{Organisation: w.Organisation(testkit.Organisation{})}
	x.owner = w.Member(x.ID, "owner")
	x.fork = w.Fork(testkit.Fork{OrganisationID: x.ID})
	w.Players(x.ID, 10)
	w.Plays(x.fork, plays, x.fork.CreatedAt, time.Second)
	x.key = w.Key(x.ID)
	return x
}

// call sends a GET with the tenant's key and with headers as name, value pairs.
func (w *world) call(x tenant, path string, headers ...string) (status int) {
	response := apptest.Ask(w.T, apptest.NewClient(), w.Base+path, x.key.Token(), headers...)
	apptest.ReadAll(w.T, response)
	return response.StatusCode
}

func (x tenant) exportPath() string {
	return "/api/v1/forks/" + x.fork.ID + "/exports/csv?from=2026-01-01&to=2026-01-31"
}

func (x tenant) statsPath() string {
	return "/api/v1/forks/" + x.fork.ID + "/stats?from=2026-01-01&to=2026-01-31"
}

// beginExport starts a tenant's export with a small receive window.
func (w *world) beginExport(x tenant) *http.Response {
	response := apptest.Ask(w.T, apptest.SmallWindowClient(), w.Base+x.exportPath(), x.key.Token())
	require.Equal(w.T, http.StatusOK, response.StatusCode)
	return response
}

func (w *world) signIn(p testkit.Person, address string) *testkit.Browser {
	b := w.Browser(address)
	require.Equal(w.T, http.StatusSeeOther, signInWith(b, p.Email, password))
	return b
}

func signInWith(b *testkit.Browser, email, password string) (status int) {
	return b.Post("/sign-in", testkit.Form("email", email, "password", password)).StatusCode
}

// breakAuditLog makes every write to the audit log fail.
func (w *world) breakAuditLog() {
	w.Exec(`alter table audit_entries add constraint full_disk check (false) not valid`)
}

// rules.md, Audit log: a change of password is recorded in the log of each of the person's
// organisations, in the same transaction. Without an entry, neither the change nor a download of
// the log succeeds. Signing in or out is not recorded.
func TestPasswordIsRecordedInEachLog(t *testing.T) {
	w := start(t)
	acme := w.tenant(0)
	globex := w.tenant(0)
	ann := acme.owner
	w.Join(globex.ID, ann.ID, "owner")
	b := w.signIn(ann, "")
	const changed = "battery horse staple"
	b.Post("/account/password",
		testkit.Form("current", password, "new", changed, "repeat", changed)).Is(t, 303)
	w.breakAuditLog()
	b.Get("/o/"+acme.Slug+"/settings/audit-log.csv").Is(t, 503)
	b.Post("/account/password",
		testkit.Form("current", changed, "new", password, "repeat", password)).Is(t, 503)
	b.Post("/sign-out", nil)
	require.Equal(t, slices.Sorted(slices.Values([]string{acme.ID, globex.ID})), testkit.One[[]string](w.World.World,
		`select array_agg(distinct org_id::text order by org_id::text)
		from audit_entries where action = 'password.changed'`))
	require.Equal(t, 2, w.Count(`audit_entries`))
	require.Equal(t, http.StatusSeeOther, signInWith(w.Browser(""), ann.Email, changed))
}
