package main

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

	"dg/platform/testkit/pgtest"
)

// backUp runs dg backup into a new file.
func backUp(t *testing.T, dir string) (file, output string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "dg.backup")
	c := launch(t, "backup", "--data-dir", dir, file)
	require.Zero(t, c.status(5*time.Minute), "%s", c.log.String())
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "it is its owner's alone")
	return file, c.out.String()
}

// answers is what a caller gets of a history: the forks, the statistics and every play.
func (c *child) answers(token string, h history) map[string]string {
	c.t.Helper()
	bodies := map[string]string{}
	fork := "/api/v1/forks/" + h.ids.Forks[0].String()
	for _, path := range []string{"/api/v1/forks", fork, fork + "/stats" + h.query, fork + "/stats" + h.query + "&groupId=" + h.ids.Groups[0].String(), h.csv()} {
		response := ask(c.t, client(), c.url+path, token)
		body, err := io.ReadAll(response.Body)
		require.NoError(c.t, err)
		require.Equal(c.t, http.StatusOK, response.StatusCode, "%s: %s", path, body)
		bodies[path] = string(body)
	}
	return bodies
}

// hashes are of all rows of every table.
func (d *door) hashes(t *testing.T) map[string]string {
	t.Helper()
	hashes := map[string]string{}
	for name := range d.tables(t) {
		hashes[name] = read[string](t, d, `select count(*) || ' ' || coalesce(md5(string_agg(md5(r::text), '' order by md5(r::text))), '') from `+
			pgx.Identifier{name}.Sanitize()+` r`)
	}
	return hashes
}

// rights are those of the serving role and of everybody.
func (d *door) rights(t *testing.T) string {
	t.Helper()
	return read[string](t, d, `select string_agg(table_name || '.' || column_name || ' ' || privilege_type, E'\n' order by table_name, column_name, privilege_type)
		|| has_function_privilege('public', 'lock_membership(uuid, uuid)', 'execute') || has_schema_privilege('dg_app', 'public', 'create')
		|| has_database_privilege('public', current_database(), 'temporary') || has_function_privilege('public', 'lo_create(oid)', 'execute')
		|| (select pg_get_userbyid(datdba) from pg_database where datname = current_database())
		from information_schema.column_privileges where grantee = 'dg_app'`)
}

const logOf = `select coalesce(string_agg(e::text, E'\n' order by at, id), '') from audit_entries e where org_id = $1`

// A backup under load, of 300,000 plays in a soak: calls run and plays come in. Restored into an empty database, keys, figures
// and audit log are the same to the byte, and what was being imported is there wholly or not at all.
func TestBackupUnderLoadIsRestored(t *testing.T) {
	t.Parallel()
	pgtest.NeedProgram(t, "pg_dump")
	dir := newFolder(t)
	h, incoming := newHistory(t, 31, sized(sealable, 300_000)), newHistory(t, 32, sized(10_000, 100_000))
	h.importInto(t, dir)
	d := openDoor(t, dir)
	c := serveOn(t, dir)
	ours, revoked := makeKey(t, dir, h.ids.Organisation.String(), "BI"), makeKey(t, dir, h.ids.Organisation.String(), "Old")
	d.exec(t, `update api_keys set revoked_at = now() where id = $1`, revoked.ID)
	require.Equal(t, http.StatusUnauthorized, ask(t, client(), c.url+"/api/v1/forks", revoked.String()).StatusCode)
	before := c.answers(ours.String(), h)
	d.exec(t, `insert into sessions (token_hash, user_id, created_at, last_used_at, expires_at, second_step_due, address, user_agent)
		select sha256('a'), id, now(), now(), now() + interval '1 d', false, '', '' from users limit 1`)

	calls := c.underLoad(t, makeKey(t, dir, h.ids.Organisation.String(), "Load").String())
	importing := launch(t, "import", "--data-dir", dir, incoming.file)
	until(t, time.Minute, "nothing is imported", func() bool {
		return read[bool](t, d, `select exists (select from pg_stat_activity where application_name = 'dg import' and query ~ 'import_plays')`)
	})
	begun := time.Now()
	file, output := backUp(t, dir)
	took, called := time.Since(begun), calls()
	require.Zero(t, importing.status(5*time.Minute), "%s", importing.log.String())
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.NotContains(t, output, "DG_SECRET_KEY", "no secret is encrypted")

	begun = time.Now()
	other, output := restored(t, file)
	t.Logf("%d plays: backup of %d bytes in %s beside %d calls and an import, restored in %s",
		h.plays, info.Size(), took.Round(time.Millisecond), called, time.Since(begun).Round(time.Millisecond))
	require.Contains(t, output, "Everybody signs in again")
	d2 := openDoor(t, other)
	require.Contains(t, []int{h.plays, h.plays + incoming.plays}, d2.tables(t)["plays"])
	require.Zero(t, d2.tables(t)["sessions"])
	require.Equal(t, read[string](t, d, logOf, h.ids.Organisation), read[string](t, d2, logOf, h.ids.Organisation))
	again := serveOn(t, other)
	require.Equal(t, before, again.answers(ours.String(), h))
	require.Equal(t, http.StatusUnauthorized, ask(t, client(), again.url+"/api/v1/forks", revoked.String()).StatusCode)
	status, verified := (&program{t: t, dir: other}).run("segments", "verify")
	require.Zero(t, status, verified)
	again.forgets(t, other, d2, ours.String(), h)
	require.ErrorContains(t, d2.asServing(t, `delete from audit_entries`), "permission denied")
	require.ErrorContains(t, d2.asServing(t, `select lo_create(0)`), "permission denied")
	require.ErrorContains(t, d2.asServing(t, `create temporary table mine (id int)`), "permission denied")
}

// forgets erases the player of most plays: statistics and CSV follow at once, and the segments are sealed again without it.
func (c *child) forgets(t *testing.T, dir string, d *door, token string, h history) {
	t.Helper()
	path := "/api/v1/forks/" + h.ids.Forks[0].String() + "/stats" + h.query
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
	before := c.answers(token, h)
	was, most := figures(before), figures(before).Players[0]
	require.Contains(t, before[h.csv()], most.PlayerLabel)
	status, output := (&program{t: t, dir: dir}).run("erase", read[string](t, d, `select id::text from players where label = $1`, most.PlayerLabel))
	require.Zero(t, status, output)
	after := c.answers(token, h)
	is := figures(after)
	require.Equal(t, was.Plays-most.Plays, is.Plays)
	require.Equal(t, was.UniquePlayers-1, is.UniquePlayers)
	require.NotContains(t, after[path]+after[h.csv()], most.PlayerLabel)
	require.Equal(t, is.Plays, strings.Count(after[h.csv()], "\n")-1)
	require.Zero(t, read[int](t, d, `select count(*) from fork_days join unsealed_days using (fork_id, day)`), "it is in no segment")
	status, output = (&program{t: t, dir: dir}).run("segments", "verify")
	require.Zero(t, status, output)
}

// underLoad calls, every few milliseconds, until it is asked for the number of answers.
func (c *child) underLoad(t *testing.T, token string) (calls func() int) {
	ctx, stop := context.WithCancel(t.Context())
	answered, ended := 0, make(chan error, 1)
	go func() {
		pause := time.NewTicker(5 * time.Millisecond)
		defer pause.Stop()
		for ; ctx.Err() == nil; <-pause.C {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.url+"/api/v1/forks", http.NoBody)
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
	response, err := client().Do(request)
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
func (d *door) asServing(t *testing.T, sql string) error {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), d.server.URL())
	require.NoError(t, err)
	defer conn.Close(context.Background())
	_, err = conn.Exec(t.Context(), sql)
	return err
}

// Every row of every table is restored, except those of sessions and reset links. The backup names the secret key that it needs,
// and a restore with another key says so.
func TestRestoredTablesAreEqual(t *testing.T) {
	t.Parallel()
	pgtest.NeedProgram(t, "pg_dump")
	const key, otherKey = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "ff0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	p := &program{t: t, dir: newFolder(t)}
	copyDemo(t, p.dir)
	status, output := p.run("migrate", "--secret-key", key)
	require.Zero(t, status, output)
	d := openDoor(t, p.dir)
	d.exec(t, `insert into account_resets select id, sha256('a'), now() from users limit 1`)
	d.exec(t, `insert into audit_burst_events (burst) values (0)`)
	want := d.hashes(t)
	want["sessions"], want["account_resets"] = "0 ", "0 "

	file, output := backUp(t, p.dir)
	require.Regexp(t, `Keep DG_SECRET_KEY too, in another place: [1-9]\d* secrets`, output)
	dir, output := restored(t, file, "--secret-key", key)
	require.NotContains(t, output, "WARNING")
	d2 := openDoor(t, dir)
	require.Equal(t, want, d2.hashes(t))
	require.Equal(t, d.rights(t), d2.rights(t))
	_, output = restored(t, file, "--secret-key", otherKey)
	require.Regexp(t, `WARNING: [1-9]\d* secrets of two-step verification are encrypted with another key`, output)
}

// A backup that is broken off leaves no file, and none replaces another.
func TestBackupIsWholeOrNotThere(t *testing.T) {
	t.Parallel()
	pgtest.NeedProgram(t, "pg_dump")
	p := &program{t: t, dir: newFolder(t)}
	file := filepath.Join(t.TempDir(), "dg.backup")
	status, output := p.run("backup", file)
	require.Equal(t, 1, status)
	require.Contains(t, output, "there is no database in")
	require.NoDirExists(t, p.dir, "a backup makes no database")

	copyDemo(t, p.dir)
	d := openDoor(t, p.dir)
	tx, err := d.Begin(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	_, err = tx.Exec(t.Context(), `lock table plays in access exclusive mode`)
	require.NoError(t, err)
	c := launch(t, "backup", "--data-dir", p.dir, file)
	until(t, 20*time.Second, "it does not begin", func() bool {
		return read[bool](t, d, `select exists (select from pg_stat_activity where application_name = 'pg_dump' and wait_event_type = 'Lock')`)
	})
	require.NoError(t, c.Process.Signal(os.Interrupt))
	require.Equal(t, 1, c.status(10*time.Second))
	require.Contains(t, c.log.String(), "interrupted before it was done")
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
		status, output := (&program{t: t, dir: newFolder(t)}).run(command, "--database-url", "postgres://dg_app@localhost/dg", "file")
		require.Equal(t, 1, status)
		require.Contains(t, output, "pg_dump and pg_restore")
		status, output = (&program{t: t, dir: newFolder(t)}).run(command, "--migrate-database-url", "postgres://dg_owner@localhost/dg", "file")
		require.Equal(t, 1, status)
		require.Contains(t, output, "DG_MIGRATE_DATABASE_URL", "the settings contradict each other")
	}
}

// A normal user backs up and restores folders of its own, and root those of others: beside the server and alone.
func TestBackupAsANormalUserAndAsRoot(t *testing.T) {
	t.Parallel()
	pgtest.NeedProgram(t, "pg_dump")
	s := newSomebody(t)
	as := func(args ...string) {
		t.Helper()
		c := launchWith(t, s.become(t), args...)
		require.Zero(t, c.status(time.Minute), "%s", c.log.String())
	}
	first, second := filepath.Join(s.home, "first"), filepath.Join(s.home, "second")
	as("migrate", "--data-dir", first)
	as("backup", "--data-dir", first, filepath.Join(s.home, "file"))
	as("restore", "--data-dir", second, filepath.Join(s.home, "file"))
	as("backup", "--data-dir", second, filepath.Join(s.home, "again"))
	backUp(t, second)
	c := launchWith(t, s.become(t), "serve", "--data-dir", second, "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0").untilServing()
	file, _ := backUp(t, second)
	c.stop()
	restored(t, file)
	until(t, 10*time.Second, "something runs on", func() bool { return s.processes(t) == "" })
}
