package system

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/embeddedpg"
	"dg/platform/testkit/pgtest"
)

// restored restores the backup into a new data folder.
func restored(t *testing.T, file string, args ...string) (dir, output string) {
	t.Helper()
	dir = apptest.NewFolder(t)
	return dir, apptest.Succeeds(t, dir, append([]string{"restore", file}, args...)...)
}

// answers fetches forks, statistics and plays of a history, by path.
func answers(c *apptest.Child, token string, h apptest.History) map[string]string {
	c.T.Helper()
	bodies := map[string]string{}
	fork := "/api/v1/forks/" + h.IDs.Forks[0].String()
	for _, path := range []string{
		"/api/v1/forks", fork, fork + "/stats" + h.Query,
		fork + "/stats" + h.Query + "&groupId=" + h.IDs.Groups[0].String(), h.CSV(),
	} {
		bodies[path] = c.Fetch(path, token)
	}
	return bodies
}

// hashes returns a hash of all rows of each table.
func hashes(t *testing.T, d *apptest.AdminDB) map[string]string {
	t.Helper()
	hashes := map[string]string{}
	for name := range d.Tables(t) {
		hashes[name] = apptest.Read[string](t, d, `select count(*) || ' ' ||
			coalesce(md5(string_agg(md5(r::text), '' order by md5(r::text))), '') from `+
			pgx.Identifier{name}.Sanitize()+` r`)
	}
	return hashes
}

// restorable are the hashes of what a restore brings back: all but sessions and reset links.
func restorable(t *testing.T, d *apptest.AdminDB) map[string]string {
	t.Helper()
	hashes := hashes(t, d)
	hashes["sessions"] = "0 "
	hashes["account_resets"] = "0 "
	return hashes
}

// rights lists the rights of the serving role and of PUBLIC.
func rights(t *testing.T, d *apptest.AdminDB) string {
	t.Helper()
	return apptest.Read[string](t, d,
		`select string_agg(table_name || '.' || column_name || ' ' || privilege_type, E'\n'
			order by table_name, column_name, privilege_type)
		|| has_function_privilege('public', 'lock_membership(uuid, uuid)',
		  'execute') || has_schema_privilege('dg_app', 'public', 'create')
		|| has_database_privilege('public', current_database(),
		  'temporary') || has_function_privilege('public', 'lo_create(oid)', 'execute')
		|| (select pg_get_userbyid(datdba) from pg_database where datname = current_database())
		from information_schema.column_privileges where grantee = 'dg_app'`)
}

// A backup is made during calls and an import. After its restore, keys, figures and audit log are
// equal to the byte, the import is there wholly or not at all, and an erasure works. The metrics
// show the time of the backup and the free disk space.
func TestBackupUnderLoadIsRestored(t *testing.T) {
	t.Parallel()
	pgtest.NeedProgram(t, "pg_dump")
	dir := apptest.NewFolder(t)
	h := apptest.NewHistory(t, 31, apptest.Sized(apptest.Sealable, 300_000))
	incoming := apptest.NewHistory(t, 32, apptest.Sized(10_000, 100_000))
	h.ImportInto(t, dir)
	d := apptest.OpenAdminDB(t, dir)
	c := apptest.ServeOn(t, dir)
	ours := makeKey(t, dir, h.IDs.Organisation.String(), "BI").String()
	revoked := makeKey(t, dir, h.IDs.Organisation.String(), "Old")
	d.Do(t, `update api_keys set revoked_at = now() where id = $1`, revoked.ID)
	require.False(t, c.Accepts(revoked.String()))
	before := answers(c, ours, h)

	calls := underLoad(t, c, makeKey(t, dir, h.IDs.Organisation.String(), "Load").String())
	importing := apptest.Launch(t, "import", "--data-dir", dir, incoming.File)
	apptest.Until(t, time.Minute, "nothing is imported", func() bool {
		return apptest.Read[bool](t, d, `select exists (select from pg_stat_activity
			where application_name = 'dg import' and query ~ 'import_plays')`)
	})
	require.Zero(t, c.Metric("dg_last_backup_timestamp_seconds"))
	require.Equal(t, 1.0, c.Metric("dg_secrets_in_clear"))
	require.Positive(t, c.Metric("dg_disk_free_bytes"))
	begun := time.Now().Unix()
	file, output := apptest.BackUp(t, dir)
	calls()
	require.Zero(t, importing.Status(5*time.Minute), "%s", importing.Log.String())
	require.NotContains(t, output, "Keep DG_SECRET_KEY", "no secret is encrypted")
	require.GreaterOrEqual(t, c.Metric("dg_last_backup_timestamp_seconds"), float64(begun))

	other, output := restored(t, file)
	require.Contains(t, output, "Everybody signs in again")
	d2 := apptest.OpenAdminDB(t, other)
	require.Contains(t, []int{h.Plays, h.Plays + incoming.Plays}, d2.Tables(t)["plays"])
	const log = `select coalesce(string_agg(e::text, E'\n' order by at, id), '')
		from audit_entries e where org_id = $1`
	require.Equal(t, apptest.Read[string](t, d, log, h.IDs.Organisation),
		apptest.Read[string](t, d2, log, h.IDs.Organisation))
	again := apptest.ServeOn(t, other)
	require.Equal(t, before, answers(again, ours, h))
	require.False(t, again.Accepts(revoked.String()))
	forgets(t, again, other, d2, ours, h)
}

// forgets erases the most active player: statistics and CSV follow at once, and segments are sealed
// again without the player. An unknown id does not stop the erasure.
func forgets(
	t *testing.T, c *apptest.Child, dir string, d *apptest.AdminDB, token string, h apptest.History,
) {
	t.Helper()
	path := "/api/v1/forks/" + h.IDs.Forks[0].String() + "/stats" + h.Query
	type figures struct {
		Plays, UniquePlayers int
		Players              []struct {
			PlayerLabel string
			Plays       int
		}
	}
	var was, is figures
	require.NoError(t, json.Unmarshal([]byte(c.Fetch(path, token)), &was))
	most := was.Players[0]
	const unknown = "00000000-0000-4000-8000-00000000dead"
	out := apptest.Refuses(t, unknown+"  no such player\n", dir, "erase", unknown, strings.ToUpper(
		apptest.Read[string](t, d, `select id::text from players where label = $1`, most.PlayerLabel)))
	require.Contains(t, out, "  erased from organisation ")
	stats := c.Fetch(path, token)
	plays := c.Fetch(h.CSV(), token)
	require.NoError(t, json.Unmarshal([]byte(stats), &is))
	require.Equal(t, was.Plays-most.Plays, is.Plays)
	require.Equal(t, was.UniquePlayers-1, is.UniquePlayers)
	require.NotContains(t, stats+plays, most.PlayerLabel)
	require.Equal(t, is.Plays, strings.Count(plays, "\n")-1)
	require.Zero(t, apptest.Read[int](t, d, `select count(*)
		from fork_days join unsealed_days using (fork_id, day)`), "it is in no segment")
}

// underLoad sends requests until stop is called. Each answer is 200, or 429 above the rate.
func underLoad(t *testing.T, c *apptest.Child, token string) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var answers apptest.Counter
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ; ctx.Err() == nil; <-time.After(5 * time.Millisecond) {
			status, _ := apptest.FetchFrom(apptest.NewClient(), c.URL+"/api/v1/forks", token)
			answers.Add(http.StatusText(status))
		}
	}()
	return func() {
		cancel()
		<-ended
		require.Positive(t, answers.Of("OK"))
		require.Empty(t, answers.Besides("OK", "Too Many Requests"))
	}
}

// Every row of every table is restored, except those of sessions and reset links. The backup names
// the secret key that it needs, and a restore with another key says so.
func TestRestoredTablesAreEqual(t *testing.T) {
	t.Parallel()
	pgtest.NeedProgram(t, "pg_dump")
	dir := apptest.NewFolder(t)
	apptest.CopyDemo(t, dir)
	apptest.Succeeds(t, dir, "migrate", "--secret-key", firstSecretKey)
	d := apptest.OpenAdminDB(t, dir)
	d.Do(t, `insert into account_resets select id, sha256('a'), now() from users limit 1`)
	ownersSession(t, d)
	file, output := apptest.BackUp(t, dir)
	require.Regexp(t, `Keep DG_SECRET_KEY too, in another place: [1-9]\d* secrets`, output)
	other, output := restored(t, file, "--secret-key", firstSecretKey)
	require.NotContains(t, output, "WARNING")
	d2 := apptest.OpenAdminDB(t, other)
	require.Equal(t, restorable(t, d), hashes(t, d2))
	require.Equal(t, rights(t, d), rights(t, d2))
	_, output = restored(t, file, "--secret-key", secondSecretKey)
	require.Regexp(t,
		`WARNING: [1-9]\d* secrets of two-step verification are encrypted with another key`, output)
}

// An interrupted backup leaves no file, and a backup never replaces a file. dg backup refuses
// external servers.
func TestBackupIsWholeOrNotThere(t *testing.T) {
	t.Parallel()
	pgtest.NeedProgram(t, "pg_dump")
	dir := apptest.NewFolder(t)
	file := filepath.Join(t.TempDir(), "dg.backup")
	for _, command := range []string{"backup", "restore"} {
		apptest.Refuses(t, "pg_dump and pg_restore", dir, command, "--database-url",
			"postgres://dg_app@localhost/dg", file)
		apptest.Refuses(t, "DG_MIGRATE_DATABASE_URL", dir, command, "--migrate-database-url",
			"postgres://dg_owner@localhost/dg", file)
	}
	apptest.CopyDemo(t, dir)
	d := apptest.OpenAdminDB(t, dir)
	defer holdLock(t, d, `lock table plays in access exclusive mode`)()
	c := apptest.Launch(t, "backup", "--data-dir", dir, file)
	apptest.Until(t, 20*time.Second, "it does not begin", func() bool {
		return apptest.Read[bool](t, d, `select exists (select from pg_stat_activity
			where application_name = 'pg_dump' and wait_event_type = 'Lock')`)
	})
	require.NoError(t, c.Process.Signal(os.Interrupt))
	require.Equal(t, 1, c.Status(10*time.Second))
	require.Contains(t, c.Log.String(), "interrupted before it was done")
	left, err := os.ReadDir(filepath.Dir(file))
	require.NoError(t, err)
	require.Empty(t, left)

	require.NoError(t, os.WriteFile(file, []byte("another"), 0o600))
	apptest.Refuses(t, "exists already", dir, "backup", file)
	kept, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "another", string(kept))
}

// A restore replaces no data, refuses to run while dg serves, and changes nothing if it fails or is
// killed.
func TestRestoreIsWholeOrNothing(t *testing.T) {
	t.Parallel()
	pgtest.NeedProgram(t, "pg_dump")
	full := apptest.NewFolder(t)
	apptest.CopyDemo(t, full)
	file, _ := apptest.BackUp(t, full)
	apptest.Refuses(t, "the database holds data", full, "restore", file)

	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	dir := apptest.NewFolder(t)
	broken := filepath.Join(t.TempDir(), "broken")
	for says, content := range map[string][]byte{
		"nothing was restored: pg_restore failed": whole[:len(whole)/2],
		"a dump of another database":              foreignDump(t, dir),
	} {
		require.NoError(t, os.WriteFile(broken, content, 0o600))
		apptest.Refuses(t, says, dir, "restore", broken)
	}
	apptest.Succeeds(t, dir, "migrate")
	c := apptest.ServeOn(t, dir)
	apptest.Refuses(t, "stop dg serve", dir, "restore", file)
	c.Stop()

	breaksOff(t, dir, file, syscall.SIGINT)
	breaksOff(t, dir, file, syscall.SIGKILL) // whose pg_restore runs on
	apptest.Succeeds(t, dir, "restore", file)
	require.NotZero(t, apptest.OpenAdminDB(t, dir).Tables(t)["plays"])
}

// breaksOff signals the process group of a restore while pg_restore runs, as Ctrl-C does. After an
// interrupt the restore says so and leaves nothing.
func breaksOff(t *testing.T, dir, file string, signal syscall.Signal) {
	t.Helper()
	server, err := embeddedpg.Start(t.Context(), dir, embeddedpg.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, server.Stop(context.Background())) }()
	outside := apptest.AdminDBAt(t, strings.Replace(server.URL(), "/dg?", "/postgres?", 1))
	defer outside.Close()
	ofItsOwn := func(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
	c := apptest.LaunchWith(t, ofItsOwn, "restore", "--data-dir", dir, file)
	apptest.Until(t, 20*time.Second, "nothing is restored", func() bool {
		return apptest.Read[bool](t, outside, `select exists (select from pg_stat_activity
			where datname = 'dg_restored' and application_name = 'pg_restore')`)
	})
	require.NoError(t, syscall.Kill(-c.Process.Pid, signal))
	if status := c.Status(20 * time.Second); signal == syscall.SIGINT {
		require.Equal(t, 1, status)
		require.Contains(t, c.Log.String(), "interrupted before it was done")
		require.Equal(t, "dg", apptest.Read[string](t, outside,
			`select string_agg(datname, ' ') from pg_database where datname like 'dg%'`))
	}
	d := apptest.AdminDBAt(t, server.URL())
	defer d.Close()
	require.Zero(t, d.Tables(t)["plays"])
}

// foreignDump is a dump of a database without dg's schema.
func foreignDump(t *testing.T, dir string) []byte {
	t.Helper()
	server, err := embeddedpg.Start(t.Context(), dir, embeddedpg.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, server.Stop(context.Background())) }()
	f, err := os.Create(filepath.Join(t.TempDir(), "foreign"))
	require.NoError(t, err)
	defer f.Close()
	require.NoError(t, server.Dump(t.Context(), f))
	content, err := os.ReadFile(f.Name())
	require.NoError(t, err)
	return content
}

// configs/deploy/backup.md: its commands restore every row and the serving role's rights on another
// server, and keys work.
func TestBackupPageOfAnotherServer(t *testing.T) {
	t.Parallel()
	pgtest.NeedProgram(t, "pg_dump")
	text, err := os.ReadFile(apptest.InTree("configs", "deploy", "backup.md"))
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	require.Len(t, blocks, 3)
	from := apptest.NewExternalWithDemo(t)
	to := apptest.NewExternal(t)
	c := from.Serve("--demo")
	token := c.DemoToken()
	c.Stop()
	d := apptest.OpenAdminDB(t, from.Dir)
	programs := apptest.Read[string](t, d, `select setting from pg_config where name = 'BINDIR'`)
	folder := t.TempDir()
	sh := func(x *apptest.External, script string) {
		t.Helper()
		dg, err := apptest.Binary()
		require.NoError(t, err)
		settings := filepath.Join(folder, "dg.env")
		require.NoError(t, os.WriteFile(settings, []byte("DG_DATABASE_URL="+x.Serving()+
			"\nDG_MIGRATE_DATABASE_URL="+x.Owner()+"\n"), 0o600))
		script = strings.NewReplacer("/etc/dg/dg.env", settings,
			"/usr/share/doc/dg", apptest.InTree(".")).Replace(script)
		cmd := exec.CommandContext(t.Context(), "sh", "-ec", `set -a
			dg() { "$DG" --config '`+settings+`' --log-level=warn "$@"; }
			systemctl() { :; }
			runuser() { while [ "$1" != -- ]; do shift; done; shift; "$@"; }
			`+script)
		cmd.Dir = folder
		cmd.Env = append(apptest.CleanEnvironment(), "DG="+dg, "PATH="+programs+":"+os.Getenv("PATH"),
			"PGHOST="+x.Link, "PGUSER=postgres",
			"DG_MIGRATE_DATABASE_URL="+x.Owner())
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s\n%s", script, out)
	}
	sh(from, blocks[0][1]+blocks[2][1])
	sh(to, blocks[1][1]+"dg keys revoke --from revoked.txt\n")
	d2 := apptest.OpenAdminDB(t, to.Dir)
	require.Equal(t, restorable(t, d), hashes(t, d2))
	require.Equal(t, rights(t, d), rights(t, d2))
	require.True(t, to.Serve().Accepts(token))
}
