package system

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit"
	"dg/platform/testkit/pgtest"
)

// Two instances seal, answer, export and import through PgBouncer in transaction mode with Debian's
// settings, and leave no session state. platform/postgres tests the details.
func TestPgBouncerInTransactionMode(t *testing.T) {
	t.Parallel()
	db := testkit.New(t)
	fork := db.Fork(testkit.Fork{OrganisationID: db.Organisation(testkit.Organisation{}).ID})
	db.Players(fork.OrganisationID, 200)
	db.Plays(fork, apptest.Sealable, fork.CreatedAt, 10*time.Minute)
	token := db.Key(fork.OrganisationID).Token()
	pgtest.SetRoleDefaults(t, db.URL)
	pooled := []string{
		"--database-url", pgtest.StartBouncer(t, db.URL)(db.URL),
		"--migrate-database-url", db.OwnerURL,
	}
	flags := slices.Concat(pooled, []string{"--database-pooler", "transaction"})
	apptest.ServeWith(t, flags...)
	c := apptest.ServeWith(t, flags...)
	d := apptest.AdminDBAt(t, db.URL)
	apptest.Until(t, 30*time.Second, "days stay unsealed", func() bool {
		return testkit.One[int](d, `select count(distinct (started_at at time zone 'UTC')::date)
			- (select count(*) from fork_days) from plays
			where started_at < date_trunc('day', now(), 'UTC')`) == 0
	})
	path := "/api/v1/forks/" + fork.ID
	e := &apptest.ExportServer{Child: c, World: d, Token: token, Plays: apptest.Sealable,
		ExportPath: path + "/exports/csv?from=2026-01-01&to=2026-12-31"}
	response, body := e.BeginExport(t, "whole-export-1")
	require.Equal(t, e.Plays, countRows(t, response, body))
	h := apptest.NewHistory(t, 7, 1000)
	imported := apptest.Launch(t, append([]string{"import", h.File}, flags...)...)
	require.Zero(t, imported.Status(time.Minute), "%s", imported.Log.String())
	for range 5 { // on one of the pooler's sessions after the other
		require.Equal(t, http.StatusOK, c.Get(path, token).StatusCode)
		c.Fetch(path+"/stats?from=2026-01-01&to=2026-12-31", token)
	}
	for says, settings := range map[string][]string{
		`(?m)^ok +database$`: flags,
		`failure +database +.*startup parameter.*: if a pooler leads there, set DG_DATABASE_POOLER`: pooled,
	} {
		doctor := apptest.Launch(t, append([]string{"doctor"}, settings...)...)
		doctor.Status(time.Minute)
		require.Regexp(t, says, doctor.Out.String())
	}
	require.Zero(t, testkit.One[int](d, `select (select count(*) from pg_locks
			where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database()))
		+ (select count(*) from pg_stat_activity
			where datname = current_database() and state ~ 'in transaction')`))
}
