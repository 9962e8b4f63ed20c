package system

import (
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit"
	"dg/platform/testkit/pgtest"
	"dg/platform/testkit/tb"
)

// relay forwards connections to a database. While it is locked, it forwards nothing and closes no connection.
type relay struct{ sync.RWMutex }

func (r *relay) pass(client, server net.Conn) {
	go r.forward(client, server)
	r.forward(server, client)
}

func (r *relay) forward(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		r.wait()
		if _, writeErr := to.Write(b[:n]); writeErr != nil || err != nil {
			return
		}
	}
}

// wait blocks while the relay is locked. It keeps no lock, because a write may block until the test locks the relay.
func (r *relay) wait() {
	r.RLock()
	defer r.RUnlock()
}

// rules.md, CSV and Failures: while the database is silent, exports break visibly and requests get 503.
func TestSilentDatabaseIsReportedAsUnavailable(t *testing.T) {
	t.Parallel()
	const plays = 200_000                   // more than the socket buffers hold
	const silenceTimeout = 11 * time.Second // within this time, requests and exports fail
	pg := apptest.NewExternalServer(t)
	pg.RequireSuccess("migrate")
	databaseRelay := &relay{}
	dg := apptest.StartExportServer(t, pg.World, plays, "--database-url",
		apptest.ProxyDatabase(t, pg.URL, databaseRelay.pass), "--migrate-database-url", pg.OwnerURL)
	_, file := dg.BeginExport(t, "silent-export")
	require.NoError(t, tb.ErrorOf(io.CopyN(io.Discard, file, 64<<10)))
	databaseRelay.Lock()
	silentSince := time.Now()
	require.Error(t, tb.ErrorOf(io.Copy(io.Discard, file)), "a file that is broken off looks whole")
	require.Less(t, time.Since(silentSince), silenceTimeout)
	testkit.Concurrently(40, func(i int) { // more requests than the pools have connections
		startedAt := time.Now()
		assert.Equal(t, http.StatusServiceUnavailable, dg.Get("/api/v1/forks", dg.MoreTokens[i%4]).StatusCode)
		assert.Less(t, time.Since(startedAt), silenceTimeout)
	})
	databaseRelay.Unlock()
	outcome, rows := dg.AwaitExport(t, "silent-export")
	require.Equal(t, "database_unavailable", outcome)
	require.Less(t, rows, dg.Plays)
	apptest.WaitUntil(t, 5*time.Second, "dg does not answer again", func() bool {
		return dg.Get("/api/v1/forks", dg.Token).StatusCode == http.StatusOK
	})
	require.Equal(t, http.StatusOK, dg.Get(dg.ExportPath, dg.Token).StatusCode)

	_, file = dg.BeginExport(t, "ends-in-silence")
	databaseRelay.Lock()
	defer databaseRelay.Unlock()
	require.NoError(t, dg.Process.Signal(syscall.SIGTERM))
	dg.ExitStatus(20 * time.Second)
	require.Error(t, tb.ErrorOf(io.Copy(io.Discard, file)))
}

func addOwnerSession(t *testing.T, db *testkit.World) string {
	db.Exec(`insert into sessions (token_hash, user_id, created_at, last_used_at, expires_at, second_step_due)
		select sha256('session'), user_id, now(), now(), now() + interval '1 h', false
		from memberships where role = 'owner' limit 1 on conflict do nothing`)
	return "__Host-dg=session"
}

// On a standby every request with a key gets 503, not 500, because it writes the rate limit. /readyz names the reason.
func TestStandbyIsNotReady(t *testing.T) {
	t.Parallel()
	pg := apptest.NewExternalServer(t)
	dg := pg.Serve("--demo")
	token := dg.DemoToken()
	pg.Stop()
	setStandby(t, pg, true)
	pg.Start()
	apptest.WaitUntil(t, 30*time.Second, "/readyz does not speak of the standby", func() bool {
		ready := dg.Get("/readyz", "")
		return ready.StatusCode == http.StatusServiceUnavailable && strings.Contains(ready.Body, "standby")
	})
	for _, path := range []string{"/api/v1/forks", "/api/v1/nothing", "/docs"} {
		require.Equal(t, http.StatusServiceUnavailable, dg.Get(path, token).StatusCode, path)
	}
	dg.GetBody("/healthz", "")
	_, out := runDoctor(pg)
	require.Regexp(t, `failure +database.*standby.*: point DG_DATABASE_URL at the primary`, out)
}

// Through PgBouncer in transaction mode, instances seal, answer and export, and leave no advisory lock or transaction.
func TestServeWorksThroughPgBouncer(t *testing.T) {
	t.Parallel()
	db := testkit.New(t)
	fork := db.AddFork(testkit.Fork{OrganisationID: db.AddOrganisation(testkit.Organisation{}).ID})
	db.AddPlayers(fork.OrganisationID, 200)
	db.AddPlays(fork, apptest.SealablePlays, fork.CreatedAt, 10*time.Minute)
	token := db.AddKey(fork.OrganisationID).Token()
	pgtest.SetRoleDefaults(t, db.URL)
	db.Exec(`revoke insert on audit_entries from dg_app`) // dg serve grants it, though the URL names another role
	viaBouncer := pgtest.StartBouncer(t, db.URL, "[databases]\n* = host=%[1]s port=5432 user=dg_app")
	flags := []string{"--database-url", viaBouncer(tb.AsRole(db.URL, "postgres")), "--migrate-database-url",
		db.OwnerURL, "--database-pooler", "transaction"}
	apptest.ServeWith(t, flags...)
	dg := apptest.ServeWith(t, flags...)
	adminDB := apptest.OpenAdminDBAt(t, db.URL)
	apptest.WaitUntil(t, 30*time.Second, "days stay unsealed", func() bool {
		return testkit.Query[int](adminDB, `select count(distinct (started_at at time zone 'UTC')::date)
			- (select count(*) from fork_days) from plays where started_at < date_trunc('day', now(), 'UTC')`) == 0
	})
	path := "/api/v1/forks/" + fork.ID
	e := &apptest.ExportServer{Child: dg, World: adminDB, Token: token, Plays: apptest.SealablePlays,
		ExportPath: path + "/exports/csv?from=2026-01-01&to=2026-12-31"}
	response, body := e.BeginExport(t, "whole-export-1")
	require.Equal(t, e.Plays, countRows(t, response, body))
	history := apptest.NewHistory(t, 7, 1000)
	apptest.RequireExit(t, 0, append([]string{"import", history.File}, flags...))
	for range 5 { // each request may use another session of the pooler
		require.Equal(t, http.StatusOK, dg.Get(path, token).StatusCode)
		dg.GetBody(path+"/stats?from=2026-01-01&to=2026-12-31", token)
	}
	require.Regexp(t, `(?m)^ok +owner$`, apptest.RequireExit(t, 0, append([]string{"doctor"}, flags...)))
	require.Regexp(t, `failure +database +.*startup parameter.*: if a pooler leads there, set DG_DATABASE_POOLER`,
		apptest.RequireExit(t, 1, append([]string{"doctor"}, flags[:4]...)))
	require.Zero(t, testkit.Query[int](adminDB, `select (select count(*) from pg_locks
			where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database()))
		+ (select count(*) from pg_stat_activity where datname = current_database() and state ~ 'in transaction')`))
}
