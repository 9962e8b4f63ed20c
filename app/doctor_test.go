package main

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
)

// examine runs dg doctor on the database and returns its lines by check, without those of other checks.
func examine(x *apptest.External, args ...string) (status int, out string) {
	x.T.Helper()
	status, out, _ = apptest.Command(x.T, append([]string{"doctor", "--database-url", x.URL(url.User("dg_app")),
		"--migrate-database-url", x.URL(url.User("dg_owner"))}, args...)...)
	return status, out
}

// dg doctor changes nothing, names each fault with its fix, and exits with 1 where one keeps dg from serving.
func TestDoctorFindsPlantedFaultsOfADatabase(t *testing.T) {
	t.Parallel()
	x := apptest.NewExternal(t)
	d := apptest.OpenDoor(t, x.Dir)

	status, out := examine(x)
	require.Equal(t, 1, status)
	require.Regexp(t, `failure +migrations +the database has no schema yet`, out)
	var tables int
	require.NoError(t, d.QueryRow(t.Context(), `select count(*) from pg_tables where schemaname = 'public'`).Scan(&tables))
	require.Zero(t, tables, "doctor changes nothing")

	migrate(x)
	status, out = examine(x)
	require.Zero(t, status, out)
	require.NotContains(t, out, "failure")
	for _, fault := range []struct{ name, plant, mend, says string }{
		{"a missing right", `revoke select on plays from dg_app`, `grant select on plays to dg_app`, `failure +roles +.*may not read plays`},
		{"a right too many", `grant delete on audit_entries to dg_app`, `revoke delete on audit_entries from dg_app`, `failure +roles +.*may remove audit entries`},
		{"a missing migration", `update goose_db_version set is_applied = false where version_id = (select max(version_id) from goose_db_version)`,
			`update goose_db_version set is_applied = true`, `failure +migrations +the schema ends at`},
		{"a newer schema", `insert into goose_db_version (version_id, is_applied) values (20990101000000, true)`,
			`delete from goose_db_version where version_id = 20990101000000`, `warning +migrations +the schema is newer`},
		{"a commit that is not durable", `alter role dg_app set synchronous_commit = off`, `alter role dg_app reset synchronous_commit`, `failure +durability`},
		{"a secret without its key", `insert into users (id, email, email_key, name, locale, totp_secret)
			values ('00000000-0000-4000-8000-000000000001', 'a@b.example', 'a@b.example', 'Ann', 'en', 'v1.gone.AAAA')`,
			`delete from users`, `failure +secrets +1 two-step secret`},
	} {
		d.Do(t, fault.plant)
		_, out := examine(x)
		require.Regexp(t, fault.says, out, fault.name)
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
	migrate(x)
	for name, fault := range map[string]struct {
		args []string
		says string
	}{
		"the owner serves":     {[]string{"--database-url", x.URL(url.User("dg_owner"))}, `failure +roles +the serving role owns`},
		"a superuser serves":   {[]string{"--database-url", x.URL(url.User("postgres"))}, `failure +roles +the serving role is a superuser`},
		"too many connections": {[]string{"--pool-reads", "500"}, `failure +connections`},
		"nobody answers":       {[]string{"--database-url", "postgres://dg_app:hunter2@127.0.0.1:1/dg"}, `failure +database`},
		"no URL":               {[]string{"--database-url", "postgres://dg_app:hunter2@127.0.0.1:port/dg"}, `failure +database`},
		"base URL":             {[]string{"--base-url", "http://dg.example"}, `failure +settings +DG_BASE_URL`},
		"every proxy":          {[]string{"--trusted-proxies", "::/0"}, `failure +proxies`},
		"short key":            {[]string{"--secret-key", "short"}, `failure +settings +DG_SECRET_KEY`},
	} {
		status, out := examine(x, fault.args...)
		require.Equal(t, 1, status, name)
		require.Regexp(t, fault.says, out, name)
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
	status, out, _ := apptest.Command(t, "doctor", "--data-dir", filepath.Join(apptest.NewFolder(t), "none"))
	require.Equal(t, 1, status, out)
	require.Regexp(t, `failure +database +dg needs PostgreSQL 15 or later`, out)
}

// Settings come from flags, variables, the configuration file and files of secrets, in this order; dg config says from where,
// and shows no secret.
func TestConfigShowsEffectiveSettings(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	key := write("key", strings.Repeat("ab", 32)+"\n")
	file := write("dg.env", "# settings\nDG_ADDR=127.0.0.1:1\nDG_OPS_ADDR=127.0.0.1:2\nDG_BASE_URL=https://file.example\n"+
		"DG_DATABASE_URL=postgres://dg_app:p$a'ss@db.example/dg\nDG_SECRET_KEY_FILE="+key+"\n")
	t.Setenv("DG_CONFIG", file)
	t.Setenv("DG_OPS_ADDR", "127.0.0.1:3")
	status, out, problem := apptest.Command(t, "config", "--base-url", "https://flag.example")
	require.Zero(t, status, problem)
	for _, line := range []string{
		"DG_ADDR=127.0.0.1:1  # file", "DG_OPS_ADDR=127.0.0.1:3  # environment", "DG_BASE_URL=https://flag.example  # flag",
		"DG_POOL_AUTH=11  # default", "DG_DATABASE_URL=postgres://dg_app:***@db.example/dg  # file", "DG_SECRET_KEY=(hidden)  # file",
	} {
		require.Contains(t, strings.Split(out, "\n"), line)
	}
	require.NotRegexp(t, regexp.QuoteMeta("p$a'ss")+"|abab", out)
}

// Every setting that takes a URL may hold a password, also where dg serve refuses it. dg config
// shows none, nor any of a header.
func TestConfigShowsNoPassword(t *testing.T) {
	t.Parallel()
	for value, shown := range map[string]string{
		"http://dg:hunter2@collector.example:4318":         "http://***@collector.example:4318",
		"http://dg:hun@ter2 x@collector.example/otlp":      "http://***@collector.example/otlp",
		"dg:hunter2@collector.example":                     "***@collector.example",
		"https://collector.example/otlp?api-token=hunter2": "https://collector.example/otlp?***",
		"https://collector.example/otlp":                   "https://collector.example/otlp",
	} {
		status, out, problem := apptest.Command(t, "config",
			"--otlp-endpoint", value, "--base-url", value, "--otlp-headers", "authorization=hunter2")
		require.Zero(t, status, problem)
		for _, line := range []string{
			"OTEL_EXPORTER_OTLP_ENDPOINT=" + shown, "DG_BASE_URL=" + shown, "OTEL_EXPORTER_OTLP_HEADERS=(hidden)",
		} {
			require.Contains(t, strings.Split(out, "\n"), line+"  # flag")
		}
		require.NotContains(t, out+problem, "ter2")
	}
	for value, shown := range map[string]string{
		"postgres://dg_app:hunter2@db.example/dg":                  "postgres://dg_app:***@db.example/dg",
		"postgres://dg_app:hun ter2@db.example/dg":                 "(hidden)",
		"dg_app:hunter2@db.example/dg":                             "(hidden)",
		"host=db.example user=dg_app password=hunter2":             "host=db.example user=dg_app password=***",
		`host=db.example user=dg_app password='hun\' ter2'`:        "host=db.example user=dg_app password=***",
		"postgres://a@db.example/dg?password=hunter2&sslmode=x":    "(hidden)",
		"postgres://a:hunter2@r1/dg,postgres://a:hunter2@r2,r3/dg": "postgres://a:***@r1/dg postgres://a:***@r2,r3/dg",
	} {
		for env, flag := range map[string]string{
			"DG_DATABASE_URL": "--database-url", "DG_DATABASE_REPLICA_URLS": "--database-replica-urls",
		} {
			status, out, problem := apptest.Command(t, "config", flag, value)
			require.Zero(t, status, problem)
			require.Contains(t, strings.Split(out, "\n"), env+"="+shown+"  # flag")
			require.NotContains(t, out+problem, "ter2")
		}
	}
}

// A configuration file with a mistake stops every command, with the line or the name.
func TestMistakesInTheConfigurationFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for text, says := range map[string]string{
		"DG_ADRR=127.0.0.1:1":                                 "DG_ADRR is not a setting",
		"\nDG_ADDR 127.0.0.1:1":                               "line 2 is not NAME=VALUE",
		"DG_ADDR=a\nDG_ADDR=b":                                "line 2 sets DG_ADDR a second time",
		"DG_SECRET_KEY=hunter2\nDG_SECRET_KEY_FILE=/dev/null": "DG_SECRET_KEY and DG_SECRET_KEY_FILE are both set",
		"DG_SECRET_KEY_FILE=" + dir + "/none":                 "DG_SECRET_KEY_FILE: ",
	} {
		path := filepath.Join(dir, "dg.env")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		status, _, problem := apptest.Command(t, "--config", path, "config")
		require.Equal(t, 2, status, text)
		require.Contains(t, problem, says)
		require.NotContains(t, problem, "hunter2")
	}
	status, _, problem := apptest.Command(t, "--config", dir+"/none", "config")
	require.Equal(t, 2, status)
	require.Contains(t, problem, "DG_CONFIG")
}

// migrate runs dg migrate on the database.
func migrate(x *apptest.External) {
	x.T.Helper()
	status, _, problem := apptest.Command(x.T, "migrate", "--database-url", x.URL(url.User("dg_app")), "--migrate-database-url", x.URL(url.User("dg_owner")))
	require.Zero(x.T, status, problem)
}
