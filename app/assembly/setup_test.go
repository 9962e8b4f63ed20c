package assembly_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/app/assembly"
	"dg/platform/testkit"
)

const (
	password      = testkit.Password
	wrongPassword = "wrong horse battery"
	january       = "?from=2026-01-01&to=2026-01-31"
)

type world struct {
	*apptest.World
	cookie string // session cookie of the requests that ask sends without a key
}

func start(t *testing.T) *world { return startWith(t, assembly.Settings{}) }

func startWith(t *testing.T, settings assembly.Settings) *world {
	t.Parallel()
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

func (x tenant) exportPath() string { return "/api/v1/forks/" + x.fork.ID + "/exports/csv" + january }

func (x tenant) statsPath() string { return "/api/v1/forks/" + x.fork.ID + "/stats" + january }

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

func (w *world) breakAuditLog() {
	w.Exec(`alter table audit_entries add constraint full_disk check (false) not valid`)
}

// rules.md, Audit log: a change of password is recorded in the log of each of the person's organisations. Without an
// entry, neither the change nor a download of the log succeeds. Signing in or out is not recorded.
func TestPasswordIsRecordedInEachLog(t *testing.T) {
	w := start(t)
	acme := w.tenant(0)
	globex := w.tenant(0)
	ann := acme.owner
	w.Join(globex.ID, ann.ID, "owner")
	b := w.signIn(ann, "")
	const changed = "battery horse staple"
	change := func(from, to string) testkit.Page {
		return b.Post("/account/password", testkit.Form("current", from, "new", to, "repeat", to))
	}
	change(password, changed).Is(t, 303)
	w.breakAuditLog()
	b.Get("/o/"+acme.Slug+"/settings/audit-log.csv").Is(t, 503)
	change(changed, password).Is(t, 503)
	b.Post("/sign-out", nil)
	require.ElementsMatch(t, []string{acme.ID + " password.changed", globex.ID + " password.changed"},
		testkit.One[[]string](w.World.World, `select array_agg(concat(org_id, ' ', action)) from audit_entries`))
	require.Equal(t, http.StatusSeeOther, signInWith(w.Browser(""), ann.Email, changed))
}
