package assembly_test

import (
	"net/http"
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
	cookie string // of a session that ask uses
}

// start starts the program with a tracer (none: nothing is traced).
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

// call asks with the tenant's key, and with further headers given as name, value.
func (w *world) call(x tenant, path string, headers ...string) (status int) {
	response := apptest.Ask(w.T, apptest.NewClient(), w.Base+path, x.key.Token(), headers...)
	apptest.ReadAll(w.T, response)
	return response.StatusCode
}

func (x tenant) export() string {
	return "/api/v1/forks/" + x.fork.ID + "/exports/csv?from=2026-01-01&to=2026-01-31"
}

func (x tenant) stats() string {
	return "/api/v1/forks/" + x.fork.ID + "/stats?from=2026-01-01&to=2026-01-31"
}

// begin starts the export of a tenant through a small window.
func (w *world) begin(x tenant) *http.Response {
	response := apptest.Ask(w.T, apptest.SmallWindowClient(), w.Base+x.export(), x.key.Token())
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

// fillDisk makes every write to the audit log fail.
func (w *world) fillDisk() {
	w.Exec(`alter table audit_entries add constraint full_disk check (false) not valid`)
}
