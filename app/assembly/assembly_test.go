package assembly_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"dg/app/apptest"
	"dg/app/assembly"
	"dg/platform/telemetry"
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

func start(t *testing.T) *world {
	t.Parallel()
	return &world{LocalServer: apptest.ServeInProcess(t, testkit.New(t), assembly.Settings{})}
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

// rules.md, Audit log: a change of password is recorded in the log of each organisation of the person, or fails.
func TestPasswordChangeIsRecordedInEachLog(t *testing.T) {
	w := start(t)
	acme, globex := w.newTenant(0), w.newTenant(0)
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

// Each metric of dg follows Prometheus' conventions and has a help text. Alerts and documents name existing metrics.
func TestMetricsFollowTheConventions(t *testing.T) {
	t.Parallel()
	w := apptest.ServeInProcess(t, testkit.New(t),
		assembly.Settings{Replicas: []string{"postgres://dg_app@127.0.0.1:1/dg"}}) // this replica does not answer
	lock := w.Begin(`select pg_advisory_xact_lock(hashtextextended('sealer', 0))`)
	ctx, cancel := context.WithCancel(t.Context())
	var background sync.WaitGroup
	background.Go(func() { w.RunBackground(ctx) })
	defer background.Wait()
	defer cancel()
	w.Browser("").Get("/sign-in")

	apptest.WaitUntil(t, 20*time.Second, "the background work does not register its own", func() bool {
		count, err := testutil.GatherAndCount(w.Metrics, "dg_background_panics_total")
		return err == nil && count > 0 && w.MetricValue("dg_sealer_passes_total", "locked") == 1
	})
	require.NoError(t, lock.Rollback(t.Context()))
	for _, problem := range tb.Must(testutil.GatherAndLint(w.Metrics))(t) {
		require.Contains(t, problem.Metric, "pgxpool_", problem.Text)
	}
	for _, page := range []string{"alerts.yml", "metrics.md"} {
		text := apptest.ReadFile(t, apptest.RepositoryPath("configs/deploy", page))
		for _, name := range metricNamePattern.FindAllString(text, -1) {
			name = strings.TrimSuffix(strings.TrimSuffix(name, "_count"), "_bucket")
			require.Positive(t, tb.Must(testutil.GatherAndCount(w.Metrics, name))(t), "%s of %s", name, page)
		}
	}
}

var metricNamePattern = regexp.MustCompile(`\bdg_[a-z_]+[a-z]\b`)

// Each event is counted once, under its reason or outcome. No label has an id.
func TestEachEventIsCountedOnce(t *testing.T) {
	w := start(t)
	acme, globex := w.newTenant(3), w.newTenant(0)
	require.InDelta(t, 1, w.MetricValue("dg_ready"), 0)
	require.InDelta(t, 0, w.MetricValue("dg_keys_expiring_in_use"), 0)
	wrongSecret, unknownKey := acme, acme
	wrongSecret.key.Secret = strings.Repeat("x", len(acme.key.Secret))
	unknownKey.key.ID = strings.Repeat("x", len(acme.key.ID))
	require.Equal(t, http.StatusOK, w.call(acme, acme.exportPath()))
	w.call(acme, globex.exportPath())
	w.call(wrongSecret, "/api/v1/forks")
	w.call(unknownKey, "/api/v1/forks")
	signInWith(w.Browser(""), "nobody@acme.example", wrongPassword)
	signInWith(w.Browser(""), acme.owner.Email, wrongPassword)
	for _, series := range [][2]string{
		{"dg_exports_finished_total", "completed"}, {"dg_key_refusals_total", "other_organisation"},
		{"dg_key_refusals_total", "wrong_secret"}, {"dg_key_refusals_total", "unknown_key"},
		{"dg_sign_in_failures_total", "unknown_email"}, {"dg_sign_in_failures_total", "wrong_password"},
	} {
		// the server records an export's end after its last byte
		apptest.WaitUntil(t, 20*time.Second, fmt.Sprint(series), func() bool {
			return w.MetricValue(series[0], series[1]) == 1 && w.MetricValue("dg_work_running") == 0
		})
	}
	require.InDelta(t, 3, w.MetricValue("dg_key_refusals_total"), 0)
	require.InDelta(t, 2, w.MetricValue("dg_sign_in_failures_total"), 0)
	require.InDelta(t, 0, w.MetricValue("dg_audit_failures_total"), 0)
	w.breakAuditLog()
	w.call(wrongSecret, "/api/v1/forks")
	require.InDelta(t, 1, w.MetricValue("dg_audit_failures_total"), 0)
	require.InDelta(t, 3, w.MetricValue("dg_key_refusals_total"), 0, "not recorded, not counted")
	families := tb.Must(w.Metrics.Gather())(t)
	for _, id := range []string{acme.ID, acme.fork.ID, globex.fork.ID, acme.key.ID, unknownKey.key.ID, "nobody@"} {
		require.NotContains(t, fmt.Sprint(families), id)
	}
	w.Close() // closes the pools: without a database the program is not ready
	apptest.WaitUntil(t, 5*time.Second, "the program to be unready", func() bool {
		return w.MetricValue("dg_ready") == 0 // the cached result is at most readyAge old
	})
}

const callerTraceID, callerSpanID = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"

// A request is a span of its caller's trace, and its statements are child spans, even those of a streamed export.
// Spans have error codes and the request id, but no error texts, keys, ids of objects or query values.
func TestRequestAndItsStatementsAreTraced(t *testing.T) {
	collector := tb.NewCollector(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "X-Team=dg")
	tracer, flush := tb.Must2(telemetry.NewTracer(t.Context(), "1.2.3", slog.Default()))(t)
	w := &world{LocalServer: apptest.ServeInProcess(t, testkit.New(t), assembly.Settings{Tracer: tracer})}
	acme := w.newTenant(3)
	headers := []string{"traceparent", "00-" + callerTraceID + "-" + callerSpanID + "-01",
		"tracestate", "caller=" + acme.key.Secret, "X-Request-Id", "the-request"}
	require.Equal(t, http.StatusOK, w.call(acme, "/api/v1/forks/"+acme.fork.ID+"/stats"+januaryQuery, headers...))
	require.Equal(t, http.StatusOK, w.call(acme, acme.exportPath(), headers...))
	w.Exec(`revoke select on forks from dg_app`)
	require.Equal(t, http.StatusInternalServerError, w.call(acme, "/api/v1/forks/"+acme.fork.ID, headers...))
	require.NoError(t, w.Stop()) // returns after the export has ended
	flush()
	spans := slices.DeleteFunc(collector.Spans(), func(s *tracepb.Span) bool {
		return hex.EncodeToString(s.GetTraceId()) != callerTraceID
	})

	errorCodes := map[string]string{} // by name of the span
	var roots []string
	for _, s := range spans {
		errorCodes[s.GetName()] = s.GetStatus().GetMessage()
		if hex.EncodeToString(s.GetParentSpanId()) == callerSpanID {
			roots = append(roots, string(s.GetSpanId()))
		}
	}
	require.Len(t, roots, 3)
	for name, code := range map[string]string{"GET /api/v1/forks/:forkId/exports/csv": "", "apikeys.authenticate": "",
		"batch": "", "audit.append": "", "reports.export": "", "GET /api/v1/forks/:forkId": "ERR_INTERNAL",
		"games.forks": "42501"} {
		require.Contains(t, errorCodes, name)
		require.Equal(t, code, errorCodes[name], name)
	}
	for _, s := range spans {
		attributes := tb.Attributes(s.GetAttributes())
		expected := []string{"db.client.connection.pool.name", "db.system.name"}
		if s.GetStatus().GetMessage() == "42501" {
			expected = slices.Insert(expected, 1, "db.response.status_code")
		}
		if slices.Contains(roots, string(s.GetSpanId())) {
			expected = []string{"dg.request_id", "http.request.method", "http.response.status_code", "http.route"}
			require.Equal(t, "the-request", attributes["dg.request_id"])
			require.Regexp(t, "200|500", attributes["http.response.status_code"])
		} else {
			require.Contains(t, roots, string(s.GetParentSpanId()), s.GetName())
		}
		require.Equal(t, expected, slices.Sorted(maps.Keys(attributes)), s.GetName())
	}
	for _, request := range collector.Received() {
		for _, secret := range []string{acme.key.Secret, acme.key.ID, acme.ID, acme.fork.ID, "2026-01", "select"} {
			require.NotContains(t, strings.ToLower(request.Raw), strings.ToLower(secret))
		}
		require.Equal(t, "dg", request.Header.Get("X-Team"))
		sender := tb.Attributes(request.Traces.GetResourceSpans()[0].GetResource().GetAttributes())
		require.Equal(t, "dg", sender["service.name"])
		require.Equal(t, "1.2.3", sender["service.version"])
	}
}
