package system

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit/bouncer"
	"dg/platform/testkit/fixtures"
)

// pooled is two instances of dg behind PgBouncer in transaction mode, on one large fork.
type pooled struct {
	*apptest.Exporting
	fork  string // path of the fork
	stats string // query of all plays
	args  []string
}

func servePooled(t *testing.T) *pooled {
	t.Helper()
	db := fixtures.New(t)
	direct, err := url.Parse(db.DirectURL)
	require.NoError(t, err)
	b := bouncer.Start(t, direct.Query().Get("host"))
	fork := db.Fork(fixtures.Fork{OrganisationID: db.Organisation(fixtures.Organisation{}).ID})
	db.Players(fork.OrganisationID, 200)
	db.Plays(fork, apptest.Sealable, fork.CreatedAt, 10*time.Minute)
	db.Exec(`analyze`)
	p := &pooled{fork: "/api/v1/forks/" + fork.ID, stats: "?from=2026-01-01&to=2026-12-31"}
	p.args = []string{
		"--database-url", b.URL(db.DirectURL), "--database-pooler", "transaction",
		"--migrate-database-url", db.OwnerURL,
	}
	p.Exporting = &apptest.Exporting{
		Door:       apptest.DoorTo(t, db.DirectURL),
		Token:      db.Key(fork.OrganisationID).Token(),
		Plays:      apptest.Sealable,
		ExportPath: p.fork + "/exports/csv" + p.stats,
	}
	for range 2 { // both begin to seal at once
		p.Child = apptest.Launch(t,
			append([]string{"serve", "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0"},
				p.args...)...)
	}
	p.UntilServing()
	return p
}

// PgBouncer in transaction mode, as Debian has it and with no parameter ignored.
func TestPgBouncerInTransactionMode(t *testing.T) {
	t.Parallel()
	p := servePooled(t)
	t.Run("two sealers seal everything", p.sealsEverything)
	t.Run("answers are those of the database", p.answers)
	t.Run("a locked table is 503 in two seconds", p.boundsLocks)
	t.Run("an export breaks off when its key is revoked", p.abortsExport)
	t.Run("an import works", p.imports)
	t.Run("dg doctor knows it", p.isExamined)
	t.Run("nothing of a session is left", func(t *testing.T) {
		require.Zero(t,
			apptest.Read[int](t, p.Door,
				`select count(*) from pg_locks where locktype = 'advisory'
					and database = (select oid from pg_database where datname = current_database())`))
		require.Zero(t,
			apptest.Read[int](t, p.Door,
				`select count(*) from pg_stat_activity
					where datname = current_database() and state ~ 'in transaction'`))
	})
}

func (p *pooled) sealsEverything(t *testing.T) {
	const unsealed = `select count(distinct (started_at at time zone 'UTC')::date)
		- (select count(*) from fork_days) from plays where started_at < date_trunc('day', now(), 'UTC')`
	apptest.Until(t, 30*time.Second, "days stay unsealed", func() bool {
		return apptest.Read[int](t, p.Door, unsealed) == 0
	})
}

func (p *pooled) answers(t *testing.T) {
	for range 5 {
		for _, path := range []string{"/api/v1/forks", p.fork, p.fork + "/stats" + p.stats} {
			response := apptest.Ask(t, apptest.NewClient(), p.URL+path, p.Token)
			body, err := io.ReadAll(response.Body)
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, response.StatusCode, "%s: %s", path, body)
		}
	}
	response, body := p.BeginExport(t, "whole-export-1")
	require.Equal(t, p.Plays, countRows(t, response, body))
}

func (p *pooled) boundsLocks(t *testing.T) {
	tx, err := p.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(context.Background()) }()
	_, err = tx.Exec(t.Context(), `lock table plays in access exclusive mode`)
	require.NoError(t, err)
	begun := time.Now()
	require.Equal(t, http.StatusServiceUnavailable,
		apptest.Ask(t, apptest.NewClient(), p.URL+p.fork+"/stats"+p.stats, p.Token).StatusCode)
	took := time.Since(begun)
	t.Logf("503 after %s", took.Round(time.Millisecond))
	require.InDelta(t, 2, took.Seconds(), 1.5)
}

func (p *pooled) abortsExport(t *testing.T) {
	_, body := p.BeginExport(t, "broken-export-1")
	apptest.Slowly(t, body)
	p.Do(t, `update api_keys set revoked_at = now()`)
	revoked := time.Now()
	outcome, rows := p.Finished(t, "broken-export-1")
	require.Equal(t, "key_unusable", outcome)
	require.Less(t, rows, p.Plays)
	require.Less(t, time.Since(revoked), 5*time.Second)
}

func (p *pooled) imports(t *testing.T) {
	h := apptest.NewHistory(t, 7, 1000)
	imported := apptest.Launch(t, append(append([]string{"import"}, p.args...), h.File)...)
	require.Zero(t, imported.Status(time.Minute), "%s", imported.Log.String())
	require.Equal(t, p.Plays+1000, apptest.Read[int](t, p.Door, `select count(*) from plays`))
}

func (p *pooled) isExamined(t *testing.T) {
	_, out, _ := apptest.Command(t, append([]string{"doctor"}, p.args...)...)
	require.Regexp(t, `ok +pooler +its sessions have dg's settings`, out)
	_, out, _ = apptest.Command(t,
		append([]string{"doctor"}, append(slices.Clone(p.args), "--database-pooler", "none")...)...)
	require.Regexp(t, `failure +pooler +.*\n +Fix: Set DG_DATABASE_POOLER=transaction`, out)
}
