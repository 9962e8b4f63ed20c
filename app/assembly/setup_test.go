package assembly_test

import (
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/app/assembly"
	"dg/platform/testkit"
	"dg/platform/testkit/tb"
)

const (
	password      = testkit.Password
	wrongPassword = "wrong horse battery"
	januaryQuery  = "?from=2026-01-01&to=2026-01-31"
)

type world struct {
	*apptest.LocalServer
	cookie string // session cookie that sendIgnoringErrors sends without a key
}

func start(t *testing.T) *world { return startWith(t, assembly.Settings{}) }

func startWith(t *testing.T, settings assembly.Settings) *world {
	t.Parallel()
	return &world{LocalServer: apptest.ServeInProcess(t, testkit.New(t), settings)}
}

type tenant struct {
	testkit.Organisation
	owner testkit.Person
	fork  testkit.Fork
	key   testkit.Key
}

func (w *world) newTenant(plays int) tenant {
	added := tenant{Organisation: w.AddOrganisation(testkit.Organisation{})}
	added.owner = w.AddMember(added.ID, "owner")
	added.fork = w.AddFork(testkit.Fork{OrganisationID: added.ID})
	w.AddPlayers(added.ID, 10)
	w.AddPlays(added.fork, plays, added.fork.CreatedAt, time.Second)
	added.key = w.AddKey(added.ID)
	return added
}

// call sends a GET with the tenant's key and with headers as name, value pairs.
func (w *world) call(caller tenant, path string, headers ...string) (status int) {
	response := apptest.Get(w.T, apptest.NewClient(), w.BaseURL+path, caller.key.Token(), headers...)
	apptest.ReadAll(w.T, response)
	return response.StatusCode
}

func (t tenant) exportPath() string {
	return "/api/v1/forks/" + t.fork.ID + "/exports/csv" + januaryQuery
}

func (w *world) beginExport(caller tenant) *http.Response {
	response := apptest.Get(w.T, apptest.SmallWindowClient(), w.BaseURL+caller.exportPath(), caller.key.Token())
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

// rules.md, Audit log: a new password is recorded in the log of each organisation of the person, or is not set.
func TestPasswordIsRecordedInEachLog(t *testing.T) {
	w := start(t)
	acme := w.newTenant(0)
	globex := w.newTenant(0)
	ann := acme.owner
	w.Join(globex.ID, ann.ID, "owner")
	b := w.signIn(ann, "")
	const newPassword = "battery horse staple"
	change := func(from, to string) testkit.Page {
		return b.Post("/account/password", testkit.Form("current", from, "new", to, "repeat", to))
	}
	change(password, newPassword).Is(t, 303)
	w.breakAuditLog()
	b.Get("/o/"+acme.Slug+"/settings/audit-log.csv").Is(t, 503)
	change(newPassword, password).Is(t, 503)
	b.Post("/sign-out", nil)
	require.ElementsMatch(t, []string{acme.ID + " password.changed", globex.ID + " password.changed"},
		testkit.Query[[]string](w.World, `select array_agg(concat(org_id, ' ', action)) from audit_entries`))
	require.Equal(t, http.StatusSeeOther, signInWith(w.Browser(""), ann.Email, newPassword))
}

// rules.md, CSV: a revocation aborts an export within two seconds, even with an exhausted pool of requests.
func TestExportsAreRecheckedBesideExhaustedRequestPool(t *testing.T) {
	w := start(t)
	acme := w.newTenant(30_000)
	ended := apptest.ReadSlowly(w.beginExport(acme).Body)
	requests := w.Pools.Requests.Pool
	for range requests.Config().MaxConns {
		conn := tb.Must(requests.Acquire(t.Context()))(t)
		defer conn.Release()
	}
	rechecks := w.Pools.Recheck.Pool.Stat().AcquireCount()
	apptest.WaitUntil(t, 20*time.Second, "the export is not rechecked", func() bool {
		return w.Pools.Recheck.Pool.Stat().AcquireCount() > rechecks+3
	})
	revokedAt := time.Now()
	w.Exec(`update api_keys set revoked_at = now() where id = $1`, acme.key.ID)
	require.ErrorIs(t, <-ended, syscall.ECONNRESET)
	require.Less(t, time.Since(revokedAt), 3*time.Second)
}

// openapi.yaml, exportForkPlaysCsv: all rows are of one snapshot, despite changes of the reporting mode and of plays.
func TestRunningExportKeepsItsSnapshot(t *testing.T) {
	w := start(t)
	acme := w.newTenant(10_000)
	export := w.beginExport(acme)
	w.Exec(`update organisations set reporting_mode = 'nominative'`)
	w.Exec(`delete from plays where player < 5`)
	file := apptest.ReadAll(t, export)
	require.Equal(t, 10_001, strings.Count(file, "\n"))
	require.Equal(t, 1_000, strings.Count(file, ",P-1,P-1,"))
	require.NotContains(t, file, "Player")
	nextFile := apptest.ReadAll(t, apptest.Get(t, apptest.NewClient(), w.BaseURL+acme.exportPath(), acme.key.Token()))
	require.Contains(t, nextFile, "Player 5")
}

// At shutdown, running exports continue for the grace period. Then they are reset, which the audit log records.
func TestShutdownAbortsExportsVisibly(t *testing.T) {
	w := start(t)
	acme := w.newTenant(10_000)
	bodies := []io.Reader{w.beginExport(acme).Body, w.beginExport(acme).Body}
	stoppedAt := time.Now()
	require.NoError(t, w.Stop())
	require.GreaterOrEqual(t, time.Since(stoppedAt), time.Second, "running answers have a grace")
	for _, body := range bodies {
		require.ErrorIs(t, tb.ErrorOf(io.Copy(io.Discard, body)), syscall.ECONNRESET, "a truncated file looks complete")
	}
	require.Equal(t, len(bodies), w.CountRows(`audit_entries
		where action = 'export.finished' and details->>'outcome' = 'server_stopped'
		  and (details->>'rows')::int between 1 and 9999`))
}

// Close stores the last minute of the usage of API keys, which is in memory until then.
func TestShutdownStoresKeyUsage(t *testing.T) {
	w := start(t)
	acme := w.newTenant(1)
	require.Equal(t, http.StatusOK, w.call(acme, "/api/v1/forks"))
	require.Equal(t, http.StatusNotFound, w.call(acme, "/api/v1/forks/x"))
	require.Equal(t, http.StatusForbidden, w.call(acme, "/docs"))
	const usageSQL = `select count(*) from api_key_usage where key_id = $1 and (accepted, refused, limited) = (2, 1, 0)`
	require.Zero(t, testkit.Query[int](w.World, usageSQL, acme.key.ID))
	require.NoError(t, w.Stop())
	w.Close()
	require.Equal(t, 1, testkit.Query[int](w.World, usageSQL, acme.key.ID))
}
