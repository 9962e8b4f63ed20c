package system

import (
	"net/url"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
)

// examine runs dg doctor on the database and returns its lines by check, without those of other
// checks.
func examine(x *apptest.External, args ...string) (status int, out string) {
	x.T.Helper()
	c := apptest.Launch(x.T, append(x.On("doctor"), args...)...)
	return c.Status(time.Minute), c.Out.String()
}

// dg doctor changes nothing, names each fault with its fix, and exits with 1 where one keeps dg
// from serving.
func TestDoctorFindsPlantedFaultsOfADatabase(t *testing.T) {
	t.Parallel()
	x := apptest.NewExternal(t)
	d := apptest.OpenDoor(t, x.Dir)

	status, out := examine(x)
	require.Equal(t, 1, status)
	require.Regexp(t, `failure +migrations +the database has no schema yet`, out)
	require.Zero(t, apptest.Read[int](t, d, `select count(*) from pg_tables
		where schemaname = 'public'`), "doctor changes nothing")

	x.Succeeds("migrate")
	status, out = examine(x)
	require.Zero(t, status, out)
	require.NotContains(t, out, "failure")
	for _, fault := range []struct{ name, plant, mend, says string }{
		{"a missing right", `revoke select on plays from dg_app`, `grant select on plays to dg_app`,
			`failure +roles +.*may not read plays`},
		{"a right too many", `grant delete on audit_entries to dg_app`,
			`revoke delete on audit_entries from dg_app`, `failure +roles +.*may remove audit entries`},
		{"a missing migration", `update goose_db_version set is_applied = false
				where version_id = (select max(version_id) from goose_db_version)`,
			`update goose_db_version set is_applied = true`, `failure +migrations +the schema ends at`},
		{"a newer schema",
			`insert into goose_db_version (version_id, is_applied) values (20990101000000, true)`,
			`delete from goose_db_version where version_id = 20990101000000`,
			`warning +migrations +the schema is newer`},
		{"a commit that is not durable", `alter role dg_app set synchronous_commit = off`,
			`alter role dg_app reset synchronous_commit`, `failure +durability`},
		{"a secret without its key",
			`insert into users (id, email, email_key, name, locale, totp_secret)
			values ('00000000-0000-4000-8000-000000000001', 'a@b.example', 'a@b.example', 'Ann', 'en', 'v1.gone.AAAA')`,
			`delete from users`, `failure +secrets +1 two-step secret`},
	} {
		d.Do(t, fault.plant)
		_, out := examine(x)
		require.Regexp(t, fault.says+`.*\n +Fix: \S`, out, fault.name)
		d.Do(t, fault.mend)
	}
	status, out = examine(x)
	require.Zero(t, status, out)
}

// Faults of the settings, and a database that does not answer.
func TestDoctorFindsFaultsOfTheSettings(t *testing.T) {
	t.Parallel()
	x := apptest.NewExternal(t)
	x.Succeeds("migrate")
	const unreachable = "postgres://dg_app:hunter2@127.0.0.1:"
	for _, fault := range [][]string{ // a setting, its value, what is said
		{"--database-url", x.Owner(), `failure +roles +the serving role owns`},
		{"--database-url", x.URL(url.User("postgres")), `failure +roles +the serving role is a superuser`},
		{"--pool-reads", "500", `failure +connections`},
		{"--database-url", unreachable + "1/dg", `failure +database`},
		{"--database-url", unreachable + "port/dg", `failure +database`},
		{"--base-url", "http://dg.example", `failure +settings +DG_BASE_URL`},
		{"--trusted-proxies", "::/0", `failure +proxies`},
		{"--secret-key", "short", `failure +settings +DG_SECRET_KEY`},
	} {
		status, out := examine(x, fault[:2]...)
		require.Equal(t, 1, status, fault)
		require.Regexp(t, fault[2], out)
		require.NotContains(t, out, "hunter2")
	}
}

// On a new machine dg doctor makes no data folder.
func TestDoctorMakesNoDataFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(apptest.NewFolder(t), "none")
	status, out, _ := apptest.Command(t, "doctor", "--data-dir", dir)
	require.Zero(t, status, out)
	require.Contains(t, out, "dg serve makes the database")
	require.NoDirExists(t, dir)
}

func TestDoctorMissesPostgreSQL(t *testing.T) {
	t.Setenv("PG_BIN", t.TempDir())
	status, out, _ := apptest.Command(t, "doctor", "--data-dir",
		filepath.Join(apptest.NewFolder(t), "none"))
	require.Equal(t, 1, status, out)
	require.Regexp(t, `failure +database +dg needs PostgreSQL 15 or later`, out)
}
