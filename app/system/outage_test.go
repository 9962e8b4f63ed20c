package system

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
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
	apptest.RequireExit(t, 0, append([]string{"import", apptest.NewImportFile(t, 7, 1000).Path}, flags...))
	for range 5 { // each request may use another session of the pooler
		require.Equal(t, http.StatusOK, dg.Get(path, token).StatusCode)
		dg.GetBody(path+"/stats?from=2026-01-01&to=2026-12-31", token)
	}
	require.Regexp(t, `(?m)^ok +owner$`, apptest.RequireExit(t, 0, append([]string{"doctor"}, flags...)))
	require.Regexp(t, `failure +database +.*startup parameter.*: if a pooler leads there, set DG_DATABASE_POOLER`,
		apptest.RequireExit(t, 1, append([]string{"doctor"}, flags[:4]...)))
	if !pgtest.BouncerKeepsStatements(t) {
		unused := pgtest.StartBouncer(t, db.URL)(db.URL)
		require.Contains(t, apptest.RequireExit(t, 1, []string{"doctor", "--database-pooler", "prepared",
			"--database-url", unused, "--migrate-database-url", db.OwnerURL}), "_POOLER to transaction")
	}
	require.Zero(t, testkit.Query[int](adminDB, `select (select count(*) from pg_locks
			where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database()))
		+ (select count(*) from pg_stat_activity where datname = current_database() and state ~ 'in transaction')`))
}

// rules.md, Data: a response includes every commit before its request. Lagging replicas are left out.
func TestReadsFromReplicasAreNeverStale(t *testing.T) {
	t.Parallel()
	w := newReplicaWorld(t)
	t.Run("reports read from the replica", w.readsFromReplica)
	t.Run("it has to be of the same database", w.foreignServerIsRefused)
	t.Run("a lagging replica is never seen", w.pausedStandbyIsNeverSeen)
	t.Run("a dead replica is left out", w.deadStandbyIsLeftOut)
	t.Run("another history is never read", w.divergedStandbyIsNeverRead)
	require.NotRegexp(t, `s3cret|request failed`, w.dg.Log.String())
}

func (w *replicaWorld) readsFromReplica(t *testing.T) {
	for name, read := range map[string]func(){
		"statistics": func() { w.stats() },
		"CSV":        func() { w.export() },
		"list":       func() { w.getScreen("/reports") },
		"dashboard":  func() { w.getScreen("/reports/" + w.fork) },
		"download":   func() { w.getScreen("/reports/" + w.fork + "/plays.csv" + w.query) },
	} {
		w.awaitRead(name, read)
	}
}

// dg does not start with a replica of another cluster or database. dg doctor reports such a replica, or one left out.
func (w *replicaWorld) foreignServerIsRefused(t *testing.T) {
	const foreign = "replica 2 is not a copy of the primary"
	bothURLs := w.standbyURL + " " + pgtest.New(t).URL
	otherURL := strings.Replace(w.standbyURL, "/dg?", "/postgres?", 1)
	refused := apptest.RequireExit(t, 1, w.primaryPG.WithFlags("serve", "--database-replica-urls", bothURLs))
	require.Contains(t, refused, foreign)
	require.NotContains(t, refused, "s3cret")
	for list, message := range map[string]string{
		bothURLs:     foreign,
		otherURL:     "replica 1 is not a copy of the primary",
		w.standbyURL: "ok       replicas",
		"postgres://127.0.0.1:1/dg " + w.standbyURL: "reports leave out replica 1: the database does not answer",
		w.primaryPG.URL: "reports leave out replica 1: it is no standby any more, or never was one",
	} {
		apptest.WaitUntil(t, 30*time.Second, "doctor does not say: "+message, func() bool {
			_, out := runDoctor(w.primaryPG, "--database-replica-urls", list)
			require.NotContains(t, out, "s3cret")
			return strings.Contains(out, message)
		})
	}
}

func (w *replicaWorld) pausedStandbyIsNeverSeen(t *testing.T) {
	var name, label string
	require.NoError(t, w.primary.Owner.Pool.QueryRow(t.Context(), `select p.display_name, label from players p
		join plays y on y.org_id = p.org_id and y.player = p.ordinal
		where p.org_id = $1 and y.fork_id = $2 limit 1`, w.org, w.fork).Scan(&name, &label))
	w.primary.Exec(`update organisations set reporting_mode = 'nominative' where id = $1`, w.org)
	require.Contains(t, w.stats(), name)
	since := len(w.dg.Log.String())
	w.setReplay("pause")
	w.primary.Exec(`begin; set local synchronous_commit = off;
		update organisations set reporting_mode = 'pseudonymous' where id = '` + w.org + `'; commit`)
	startedAt := time.Now()
	require.NotContains(t, w.stats(), name)
	require.Less(t, time.Since(startedAt), 2*time.Second)
	require.NotContains(t, w.export(), name)
	require.NotContains(t, w.getScreen("/reports/"+w.fork), name)
	w.requireLeftOut(since, "it has not replayed what the primary has committed")

	require.Contains(t, w.export(), label)
	w.primary.Exec(`delete from players where org_id = $1 and label = $2`, w.org, label)
	require.NotContains(t, w.export()+w.stats(), label, "an erased player")
	w.primary.Exec(`update forks set title = 'Renamed' where id = $1`, w.fork)
	require.Contains(t, w.dg.GetBody("/api/v1/forks/"+w.fork, w.token), "Renamed", "the cache of forks")
	w.primary.Exec(`update organisations set plan = 'team' where id = $1`, w.org)
	require.False(t, w.dg.Accepts(w.token))
	w.primary.Exec(`update organisations set plan = 'pro' where id = $1`, w.org)
	w.setReplay("resume")
	w.awaitRead("what was behind", func() { w.stats() })
}

func (w *replicaWorld) deadStandbyIsLeftOut(t *testing.T) {
	want := w.stats()
	w.standby.Kill()
	apptest.WaitUntil(t, 30*time.Second, "a check does not notice it, without any read", func() bool {
		return w.dg.GetBody("/readyz", "") == "ready\nreplica 1: left out\n"
	})
	for range 4 {
		startedAt := time.Now()
		require.Equal(t, want, w.stats())
		require.Less(t, time.Since(startedAt), 2*time.Second)
		w.export()
	}
	require.Equal(t, 1.0, w.dg.MetricValue(`dg_replica_resting{replica="1"}`))
	w.standby.Start()
	w.awaitRead("a replica that came back", func() { w.stats() })
}

// A replica that accepts writes, or has WAL records or a timeline of its own, is never read.
func (w *replicaWorld) divergedStandbyIsNeverRead(t *testing.T) {
	want := w.stats()
	for _, divergence := range []struct{ name, reason string }{
		{"promoted", "it is no standby any more"},
		{"diverged", "the primary did not send"},
		{"on its own timeline", "it is on another timeline than the primary"},
	} {
		since := len(w.dg.Log.String())
		if divergence.name == "on its own timeline" {
			w.standby.Exec(`select pg_promote()`)
		}
		w.standby.Stop()
		setStandby(t, w.standby, divergence.name != "promoted")
		w.standby.Start()
		if divergence.name == "promoted" {
			w.standby.Exec(`update organisations set reporting_mode = 'nominative'`)
			w.standby.Exec(`create table own as select generate_series(1, 100000)`)
		}
		w.requireLeftOut(since, divergence.reason)
		before := w.readCount()
		for range 5 {
			require.Equal(t, want, w.stats(), divergence.name)
		}
		require.Equal(t, before, w.readCount(), divergence.name)
	}
}

func newStandby(t *testing.T, primary *apptest.ExternalServer) *apptest.ExternalServer {
	pgtest.RequireProgram(t, "pg_basebackup")
	primary.Exec(`alter system set max_standby_streaming_delay = 0`)
	dir := apptest.NewFolder(t)
	copyCommand := exec.CommandContext(t.Context(), "sh", "-ec", `mkdir -m 711 "$COPY"
		"$PROGRAMS/pg_basebackup" -h "$SOCKET" -U postgres -D "$COPY/cluster" -R -c fast -X stream
		chown -R --reference="$DATA" "$COPY"`)
	copyCommand.Env = append(os.Environ(), "PROGRAMS="+programsOf(primary.World), "SOCKET="+primary.Link, "COPY="+dir,
		"DATA="+filepath.Join(primary.Dir, "cluster"))
	out, err := copyCommand.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return apptest.NewExternalServerIn(t, dir)
}

func setStandby(t *testing.T, pg *apptest.ExternalServer, standby bool) {
	signal := filepath.Join(pg.Dir, "cluster", "standby.signal")
	if standby {
		require.NoError(t, os.WriteFile(signal, nil, 0o600))
	} else {
		require.NoError(t, os.Remove(signal))
	}
}

// replicaWorld is dg on a primary with one replica. It has a key of an organisation with plays.
type replicaWorld struct {
	t                *testing.T
	primaryPG        *apptest.ExternalServer
	primary          *testkit.World
	standby          *apptest.ExternalServer
	standbyURL       string // contains a password that no output may show
	dg               *apptest.Child
	token, org, fork string
	query            string
}

func newReplicaWorld(t *testing.T) *replicaWorld {
	pg := apptest.NewExternalServer(t)
	pg.Serve("--demo").Stop() // creates the schema before the standby is copied
	w := &replicaWorld{t: t, primaryPG: pg, standby: newStandby(t, pg), primary: pg.World}
	w.standbyURL = apptest.ProxyDatabase(t, w.standby.URLAs(url.UserPassword("dg_app", "s3cret")), withLatency)
	w.dg = pg.Serve("--demo", "--database-replica-urls", w.standbyURL)
	w.token = w.dg.DemoToken()
	w.org = testkit.Query[string](w.primary,
		`select org_id::text from api_keys where starts_with($1, 'dg_live_' || id)`, w.token)
	w.fork = testkit.Query[string](w.primary, `select fork_id::text from plays where org_id = $1
		group by fork_id order by count(*) desc limit 1`, w.org)
	w.query = apptest.LastDaysQuery(366)
	return w
}

func (w *replicaWorld) stats() string { return w.read("/stats") }

func (w *replicaWorld) export() string { return w.read("/exports/csv") }

// setReplay pauses or resumes the standby's replay. It retries, because replay may cancel the statement.
func (w *replicaWorld) setReplay(action string) {
	apptest.WaitUntil(w.t, 10*time.Second, "replay does not "+action, func() bool {
		_, err := w.standby.Owner.Pool.Exec(context.Background(), `select pg_wal_replay_`+action+`()`)
		return err == nil
	})
}

func (w *replicaWorld) read(endpoint string) string {
	w.primary.Exec(`delete from api_key_windows`) // this test exceeds the rate limit of a key
	return w.dg.GetBody("/api/v1/forks/"+w.fork+endpoint+w.query, w.token)
}

func (w *replicaWorld) getScreen(path string) string {
	slug := testkit.Query[string](w.primary, `select slug from organisations where id = $1`, w.org)
	return w.dg.GetBody("/o/"+slug+path, "", "Cookie", addOwnerSession(w.t, w.primary),
		"Accept", "text/html", "Sec-Fetch-Site", "same-origin")
}

func (w *replicaWorld) readCount() float64 {
	return w.dg.MetricValue(`dg_replica_reads_total{replica="1"}`)
}

func (w *replicaWorld) awaitRead(name string, read func()) {
	before := w.readCount()
	apptest.WaitUntil(w.t, 30*time.Second, name+" does not read from the replica", func() bool {
		read()
		return w.readCount() != before
	})
}

// requireLeftOut requires that the replica is left out, and that the log names the reason after byte since.
func (w *replicaWorld) requireLeftOut(since int, reason string) {
	apptest.WaitUntil(w.t, 2*time.Minute, "the replica is not left out, because "+reason, func() bool {
		w.stats()
		return strings.Contains(w.dg.Log.String()[since:], reason)
	})
	require.Equal(w.t, 1.0, w.dg.MetricValue(`dg_replica_resting{replica="1"}`))
	require.Equal(w.t, "ready\nreplica 1: left out\n", w.dg.GetBody("/readyz", ""))
}

// withLatency forwards a connection after a delay that is longer than a read waits for a replica.
func withLatency(client, server net.Conn) {
	time.Sleep(100 * time.Millisecond)
	(&relay{}).pass(client, server)
}
