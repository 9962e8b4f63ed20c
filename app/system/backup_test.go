package system

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit/pgtest"
)

// answers is what a caller gets of a history: the forks, the statistics and every play.
func answers(c *apptest.Child, token string, h apptest.History) map[string]string {
	c.T.Helper()
	bodies := map[string]string{}
	fork := "/api/v1/forks/" + h.IDs.Forks[0].String()
	for _, path := range []string{
		"/api/v1/forks", fork, fork + "/stats" + h.Query,
		fork + "/stats" + h.Query + "&groupId=" + h.IDs.Groups[0].String(), h.CSV(),
	} {
		response := apptest.Ask(c.T, apptest.NewClient(), c.URL+path, token)
		body, err := io.ReadAll(response.Body)
		require.NoError(c.T, err)
		require.Equal(c.T, http.StatusOK, response.StatusCode, "%s: %s", path, body)
		bodies[path] = string(body)
	}
	return bodies
}

// hashes are of all rows of every table.
func hashes(t *testing.T, d *apptest.Door) map[string]string {
	t.Helper()
	hashes := map[string]string{}
	for name := range d.Tables(t) {
		hashes[name] = apptest.Read[string](t, d,
			`select count(*) || ' ' || coalesce(md5(string_agg(md5(r::text), '' order by md5(r::text))), '') from `+
				pgx.Identifier{name}.Sanitize()+` r`)
	}
	return hashes
}

// rights are those of the serving role and of everybody.
func rights(t *testing.T, d *apptest.Door) string {
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

const logOf = `select coalesce(string_agg(e::text, E'\n' order by at, id), '') from audit_entries e where org_id = $1`

// A backup under load, of 300,000 plays in a soak: calls run and plays come in. Restored into an
// empty database, keys, figures and audit log are the same to the byte, and what was being imported
// is there wholly or not at all.
func TestBackupUnderLoadIsRestored(t *testing.T) {
	t.Parallel()
	pgtest.NeedProgram(t, "pg_dump")
	dir := apptest.NewFolder(t)
	h := apptest.NewHistory(t, 31, apptest.Sized(apptest.Sealable, 300_000))
	incoming := apptest.NewHistory(t, 32, apptest.Sized(10_000, 100_000))
	h.ImportInto(t, dir)
	d := apptest.OpenDoor(t, dir)
	c := apptest.ServeOn(t, dir)
	ours := makeKey(t, dir, h.IDs.Organisation.String(), "BI")
	revoked := makeKey(t, dir, h.IDs.Organisation.String(), "Old")
	d.Do(t, `update api_keys set revoked_at = now() where id = $1`, revoked.ID)
	require.Equal(t, http.StatusUnauthorized,
		apptest.Ask(t, apptest.NewClient(), c.URL+"/api/v1/forks", revoked.String()).StatusCode)
	before := answers(c, ours.String(), h)
	d.Do(t,
		`insert into sessions (token_hash, user_id, created_at, last_used_at, expires_at,
			second_step_due, address, user_agent)
		select sha256('a'), id, now(), now(), now() + interval '1 d', false, '', '' from users limit 1`)

	calls := underLoad(t, c, makeKey(t, dir, h.IDs.Organisation.String(), "Load").String())
	importing := apptest.Launch(t, "import", "--data-dir", dir, incoming.File)
	apptest.Until(t, time.Minute, "nothing is imported", func() bool {
		return apptest.Read[bool](t, d,
			`select exists (select from pg_stat_activity
				where application_name = 'dg import' and query ~ 'import_plays')`)
	})
	begun := time.Now()
	file, output := apptest.BackUp(t, dir)
	took := time.Since(begun)
	called := calls()
	require.Zero(t, importing.Status(5*time.Minute), "%s", importing.Log.String())
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.NotContains(t, output, "DG_SECRET_KEY", "no secret is encrypted")

	begun = time.Now()
	other, output := restored(t, file)
	t.Logf("%d plays: backup of %d bytes in %s beside %d calls and an import, restored in %s",
		h.Plays, info.Size(), took.Round(time.Millisecond), called,
		time.Since(begun).Round(time.Millisecond))
	require.Contains(t, output, "Everybody signs in again")
	d2 := apptest.OpenDoor(t, other)
	require.Contains(t, []int{h.Plays, h.Plays + incoming.Plays}, d2.Tables(t)["plays"])
	require.Zero(t, d2.Tables(t)["sessions"])
	require.Equal(t, apptest.Read[string](t, d, logOf, h.IDs.Organisation),
		apptest.Read[string](t, d2, logOf, h.IDs.Organisation))
	again := apptest.ServeOn(t, other)
	require.Equal(t, before, answers(again, ours.String(), h))
	require.Equal(t, http.StatusUnauthorized,
		apptest.Ask(t, apptest.NewClient(), again.URL+"/api/v1/forks", revoked.String()).StatusCode)
	status, verified := (&program{t: t, dir: other}).run("segments", "verify")
	require.Zero(t, status, verified)
	forgets(t, again, other, d2, ours.String(), h)
	require.ErrorContains(t, asServing(t, d2, `delete from audit_entries`), "permission denied")
	require.ErrorContains(t, asServing(t, d2, `select lo_create(0)`), "permission denied")
	require.ErrorContains(t, asServing(t, d2, `create temporary table mine (id int)`),
		"permission denied")
}

// forgets erases the player of most plays: statistics and CSV follow at once, and the segments are
// sealed again without it.
func forgets(
	t *testing.T, c *apptest.Child, dir string, d *apptest.Door, token string, h apptest.History,
) {
	t.Helper()
	path := "/api/v1/forks/" + h.IDs.Forks[0].String() + "/stats" + h.Query
	figures := func(bodies map[string]string) (f struct {
		Plays, UniquePlayers int
		Players              []struct {
			PlayerLabel string
			Plays       int
		}
	}) {
		require.NoError(t, json.Unmarshal([]byte(bodies[path]), &f))
		return f
	}
	before := answers(c, token, h)
	was := figures(before)
	most := figures(before).Players[0]
	require.Contains(t, before[h.CSV()], most.PlayerLabel)
	status, output := (&program{t: t, dir: dir}).run("erase",
		apptest.Read[string](t, d, `select id::text from players where label = $1`,
			most.PlayerLabel))
	require.Zero(t, status, output)
	after := answers(c, token, h)
	is := figures(after)
	require.Equal(t, was.Plays-most.Plays, is.Plays)
	require.Equal(t, was.UniquePlayers-1, is.UniquePlayers)
	require.NotContains(t, after[path]+after[h.CSV()], most.PlayerLabel)
	require.Equal(t, is.Plays, strings.Count(after[h.CSV()], "\n")-1)
	require.Zero(t,
		apptest.Read[int](t, d,
			`select count(*) from fork_days join unsealed_days using (fork_id, day)`),
		"it is in no segment")
	status, output = (&program{t: t, dir: dir}).run("segments", "verify")
	require.Zero(t, status, output)
}

// underLoad calls, every few milliseconds, until it is asked for the number of answers.
func underLoad(t *testing.T, c *apptest.Child, token string) (calls func() int) {
	ctx, stop := context.WithCancel(t.Context())
	answered := 0
	ended := make(chan error, 1)
	go func() {
		pause := time.NewTicker(5 * time.Millisecond)
		defer pause.Stop()
		for ; ctx.Err() == nil; <-pause.C {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
				c.URL+"/api/v1/forks", http.NoBody)
			if err == nil {
				request.Header.Set("Authorization", "Bearer "+token)
				err = answeredInOrder(request)
			}
			if err != nil {
				ended <- err
				return
			}
			answered++
		}
		ended <- nil
	}()
	return func() int {
		stop()
		require.NoError(t, <-ended)
		return answered
	}
}

// answeredInOrder fails unless the answer is 200, or 429 beyond the rate.
func answeredInOrder(request *http.Request) error {
	response, err := apptest.NewClient().Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK && response.StatusCode != http.StatusTooManyRequests {
		return errors.New(response.Status)
	}
	return nil
}

// asServing runs a statement as the serving role.
func asServing(t *testing.T, d *apptest.Door, sql string) error {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), d.Server.URL())
	require.NoError(t, err)
	defer conn.Close(context.Background())
	_, err = conn.Exec(t.Context(), sql)
	return err
}

// Every row of every table is restored, except those of sessions and reset links. The backup names
// the secret key that it needs, and a restore with another key says so.
func TestRestoredTablesAreEqual(t *testing.T) {
	t.Parallel()
	pgtest.NeedProgram(t, "pg_dump")
	const key = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	const otherKey = "ff0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	p := &program{t: t, dir: apptest.NewFolder(t)}
	apptest.CopyDemo(t, p.dir)
	status, output := p.run("migrate", "--secret-key", key)
	require.Zero(t, status, output)
	d := apptest.OpenDoor(t, p.dir)
	d.Do(t, `insert into account_resets select id, sha256('a'), now() from users limit 1`)
	d.Do(t, `insert into audit_burst_events (burst) values (0)`)
	want := hashes(t, d)
	want["sessions"] = "0 "
	want["account_resets"] = "0 "

	file, output := apptest.BackUp(t, p.dir)
	require.Regexp(t, `Keep DG_SECRET_KEY too, in another place: [1-9]\d* secrets`, output)
	dir, output := restored(t, file, "--secret-key", key)
	require.NotContains(t, output, "WARNING")
	d2 := apptest.OpenDoor(t, dir)
	require.Equal(t, want, hashes(t, d2))
	require.Equal(t, rights(t, d), rights(t, d2))
	_, output = restored(t, file, "--secret-key", otherKey)
	require.Regexp(t,
		`WARNING: [1-9]\d* secrets of two-step verification are encrypted with another key`, output)
}

// A backup that is broken off leaves no file, and none replaces another.
func TestBackupIsWholeOrNotThere(t *testing.T) {
	t.Parallel()
	pgtest.NeedProgram(t, "pg_dump")
	p := &program{t: t, dir: apptest.NewFolder(t)}
	file := filepath.Join(t.TempDir(), "dg.backup")
	status, output := p.run("backup", file)
	require.Equal(t, 1, status)
	require.Contains(t, output, "there is no database in")
	require.NoDirExists(t, p.dir, "a backup makes no database")

	apptest.CopyDemo(t, p.dir)
	d := apptest.OpenDoor(t, p.dir)
	tx, err := d.Begin(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	_, err = tx.Exec(t.Context(), `lock table plays in access exclusive mode`)
	require.NoError(t, err)
	c := apptest.Launch(t, "backup", "--data-dir", p.dir, file)
	apptest.Until(t, 20*time.Second, "it does not begin", func() bool {
		return apptest.Read[bool](t, d,
			`select exists (select from pg_stat_activity
				where application_name = 'pg_dump' and wait_event_type = 'Lock')`)
	})
	require.NoError(t, c.Process.Signal(os.Interrupt))
	require.Equal(t, 1, c.Status(10*time.Second))
	require.Contains(t, c.Log.String(), "interrupted before it was done")
	left, err := os.ReadDir(filepath.Dir(file))
	require.NoError(t, err)
	require.Empty(t, left)
	require.NoError(t, tx.Rollback(t.Context()))

	require.NoError(t, os.WriteFile(file, []byte("another"), 0o600))
	status, output = p.run("backup", file)
	require.Equal(t, 1, status)
	require.Contains(t, output, "exists already")
	kept, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "another", string(kept))
}

// A server of one's own is backed up by its tools.
func TestBackupOfAnotherServerNamesItsTools(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"backup", "restore"} {
		status, output := (&program{t: t, dir: apptest.NewFolder(t)}).run(command, "--database-url",
			"postgres://dg_app@localhost/dg", "file")
		require.Equal(t, 1, status)
		require.Contains(t, output, "pg_dump and pg_restore")
		status, output = (&program{t: t, dir: apptest.NewFolder(t)}).run(command,
			"--migrate-database-url", "postgres://dg_owner@localhost/dg", "file")
		require.Equal(t, 1, status)
		require.Contains(t, output, "DG_MIGRATE_DATABASE_URL", "the settings contradict each other")
	}
}

// A normal user backs up and restores folders of its own, and root those of others: beside the
// server and alone.
func TestBackupAsANormalUserAndAsRoot(t *testing.T) {
	t.Parallel()
	pgtest.NeedProgram(t, "pg_dump")
	s := newSomebody(t)
	as := func(args ...string) {
		t.Helper()
		c := apptest.LaunchWith(t, s.become(t), args...)
		require.Zero(t, c.Status(time.Minute), "%s", c.Log.String())
	}
	first := filepath.Join(s.home, "first")
	second := filepath.Join(s.home, "second")
	as("migrate", "--data-dir", first)
	as("backup", "--data-dir", first, filepath.Join(s.home, "file"))
	as("restore", "--data-dir", second, filepath.Join(s.home, "file"))
	as("backup", "--data-dir", second, filepath.Join(s.home, "again"))
	apptest.BackUp(t, second)
	c := apptest.LaunchWith(t, s.become(t), "serve", "--data-dir", second, "--addr", "127.0.0.1:0",
		"--ops-addr", "127.0.0.1:0").UntilServing()
	file, _ := apptest.BackUp(t, second)
	c.Stop()
	restored(t, file)
	apptest.Until(t, 10*time.Second, "something runs on", func() bool {
		return s.processes(t) == ""
	})
}
