package system

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit/pgtest"
)

// What the operator does on the demo, while dg serve runs.
func TestOperatorCommands(t *testing.T) {
	t.Parallel()
	o := &operator{program: program{t: t, dir: apptest.NewFolder(t)}}
	apptest.CopyDemo(t, o.dir)
	o.d = apptest.OpenDoor(t, o.dir)
	o.c = apptest.ServeOn(t, o.dir)
	o.prunesTheAuditLogs(t)
	o.erasesPlayers(t)
	pgtest.NeedProgram(t, "pg_dump")
	o.revokesKeysAgain(t)
}

// Where the settings name no data, nothing is made and nothing is said to be done.
func TestOperatorCommandsWantData(t *testing.T) {
	t.Parallel()
	p := &program{t: t, dir: filepath.Join(apptest.NewFolder(t), "none")}
	for _, line := range []string{"keys revoked", "keys revoke --all",
		"erase 00000000-0000-4000-8000-000000000001", "audit prune --before 2025-01",
		"account reset ann@example.org", "segments status", "backup file"} {
		status, output := p.run(strings.Fields(line)...)
		require.Equal(t, 1, status, line)
		require.Contains(t, output, "there is no database in", line)
		require.NoDirExists(t, p.dir, line)
	}
}

// operator is dg on a folder that is served.
type operator struct {
	program
	d *apptest.Door
	c *apptest.Child
}

const oldEntry = `insert into audit_entries (org_id, at, actor_kind, actor_id, actor_name, action,
	target_kind, target_id, method, path, address, user_agent, request_id)
	select id, $1, 'key', '', '', 'export.started', '', '', '', '', '', '', '' from organisations`

// Without a file old entries are counted. With one they are removed once it is complete; what fails
// or is interrupted in between is run again, and every entry is in a file.
func (o *operator) prunesTheAuditLogs(t *testing.T) {
	for _, at := range []string{"2024-12-31", "2024-12-31 23:59:59.999", "2025-01-01"} {
		o.d.Do(t, oldEntry, at+"Z")
	}
	organisations := apptest.Read[int](t, o.d, `select count(*) from organisations`)
	kept := apptest.Read[int](t, o.d,
		`select count(*) from audit_entries where at >= '2025-01-01Z'`)
	removed := func() int {
		return apptest.Read[int](t, o.d,
			`select count(*) from audit_entries where action = 'audit_log.pruned'`)
	}

	status, output := o.run("audit", "prune", "--before", "2025-01")
	require.Zero(t, status, output)
	require.Regexp(t, `(?m)^4 entries are from before 2025-01-01\. Nothing was removed`, output)
	folder := t.TempDir()
	for before, wrong := range map[string]string{
		"2025-01-15": "is not a month",
		"2025":       "is not a month",
		time.Now().UTC().AddDate(0, 2, 0).Format("2006-01"): "has not begun",
	} {
		status, output = o.run("audit", "prune", "--before", before, "--export",
			filepath.Join(folder, "never"))
		require.Equal(t, 1, status, before)
		require.Contains(t, output, wrong)
	}
	status, output = o.run("audit", "prune", "--before", "2025-01", "--export",
		filepath.Join(folder, "no such folder", "file"))
	require.Equal(t, 1, status)
	require.Contains(t, output, "nothing was removed")
	require.Zero(t, removed())

	// One organisation's entries cannot be removed: those of the others are, and the next run finds
	// the rest.
	o.d.Do(t, `create function refuse() returns trigger language plpgsql as $$ begin
		if old.org_id = (select max(id::text)::uuid
		  from organisations) then raise 'refused here'; end if; return old; end $$`)
	o.d.Do(t,
		`create trigger refuse before delete on audit_entries for each row execute function refuse()`)
	status, output = o.run("audit", "prune", "--before", "2025-01", "--export",
		filepath.Join(folder, "first"))
	require.Equal(t, 1, status)
	require.Contains(t, output, "2 of the entries in")
	require.Contains(t, output, "run it again with another file")
	o.d.Do(t, `drop function refuse cascade`)
	status, output = o.run("audit", "prune", "--before", "2025-01", "--export",
		filepath.Join(folder, "first"))
	require.Equal(t, 1, status)
	require.Contains(t, output, "exists already")
	status, output = o.run("audit", "prune", "--before", "2025-01", "--export",
		filepath.Join(folder, "second"))
	require.Zero(t, status, output)
	require.Contains(t, output, "Wrote 2 entries from before 2025-01-01")
	for name, lines := range map[string]int{"first": 4, "second": 2} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err)
		require.Equal(t, lines, strings.Count(string(text), "\n"), name)
	}
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, left, 2)
	require.Equal(t, organisations, removed())
	require.Equal(t, kept+organisations,
		apptest.Read[int](t, o.d, `select count(*) from audit_entries`))
}

// An erased player leaves no row behind, and the log an entry without the name. One that is unknown
// stops nobody's erasure.
func (o *operator) erasesPlayers(t *testing.T) {
	const chosen = `select id::text from players p where exists (select from plays
		where player = p.ordinal and org_id = p.org_id) order by id limit 1`
	player := apptest.Read[string](t, o.d, chosen)
	name := apptest.Read[string](t, o.d, `select display_name from players where id = $1`, player)
	plays := apptest.Read[int](t, o.d,
		`select count(*) from plays join players p on (p.org_id, p.ordinal) = (plays.org_id, player) where p.id = $1`,
		player)
	before := o.d.Tables(t)
	status, output := o.run("erase", "00000000-0000-4000-8000-00000000dead",
		strings.ToUpper(player),
		"x' or true --")
	require.Equal(t, 1, status, output)
	require.Contains(t, output, "00000000-0000-4000-8000-00000000dead  no such player\n")
	require.Regexp(t, `(?i)`+player+`  erased from organisation `, output)
	after := o.d.Tables(t)
	require.Equal(t, before["players"]-1, after["players"])
	require.Equal(t, before["plays"]-plays, after["plays"])
	entry := apptest.Read[string](t, o.d,
		`select e::text from audit_entries e
			where action = 'player.erased' and actor_kind = 'operator' and target_id = $1`,
		player)
	require.NotContains(t, entry, name)
	status, output = o.run("erase", player)
	require.Equal(t, 1, status)
	require.Contains(t, output, "no such player")
}

// A backup from before a revocation is restored: the list revokes the key again, at once and with
// an entry; --all revokes the rest.
func (o *operator) revokesKeysAgain(t *testing.T) {
	organisation := apptest.Read[string](t, o.d,
		`select id::text from organisations where plan = 'pro' limit 1`)
	leaked := makeKey(t, o.dir, organisation, "Leaked")
	kept := makeKey(t, o.dir, organisation, "Kept")
	status := func(token string) int {
		return apptest.Ask(t, apptest.NewClient(), o.c.URL+"/api/v1/forks", token).StatusCode
	}
	file, _ := apptest.BackUp(t, o.dir)
	o.d.Do(t, `update api_keys set revoked_at = now() where id = $1`, leaked.ID)
	code, output := o.run("keys", "revoked")
	require.Zero(t, code, output)
	require.Regexp(t, `(?m)^`+leaked.ID+`$`, output)
	require.NotContains(t, output, kept.ID)
	list := filepath.Join(t.TempDir(), "revoked")
	require.NoError(t, os.WriteFile(list, []byte(leaked.ID+"\nNewerThanTheBackup0000\n"), 0o600))

	o.dir, _ = restored(t, file)
	o.d = apptest.OpenDoor(t, o.dir)
	o.c = apptest.ServeOn(t, o.dir)
	require.Equal(t, http.StatusOK, status(leaked.String()), "the backup brings it back")
	for range 2 { // the second revokes nothing
		code, output = o.run("keys", "revoke", "--from", list)
		require.Zero(t, code, output)
	}
	require.Equal(t, http.StatusUnauthorized, status(leaked.String()))
	require.Equal(t, http.StatusOK, status(kept.String()))
	const entries = `select count(*) from audit_entries
		where action = 'api_key.revoked' and actor_kind = 'operator' and target_id = $1`
	require.Equal(t, 1, apptest.Read[int](t, o.d, entries, leaked.ID))

	wrong := filepath.Join(t.TempDir(), "keys")
	require.NoError(t, os.WriteFile(wrong, []byte(leaked.ID+"\n"+kept.String()+"\n"), 0o600))
	code, output = o.run("keys", "revoke", "--from", wrong)
	require.Equal(t, 1, code, "a list of another form revokes nothing, and says so")
	require.Contains(t, output, "entry 2 of the list is not the id of a key")
	require.NotContains(t, output, kept.Secret)

	code, output = o.run("keys", "revoke")
	require.Equal(t, 1, code)
	require.Contains(t, output, "--all")
	code, output = o.run("keys", "revoke", "--from", "-")
	require.Zero(t, code, output)
	require.Equal(t, http.StatusOK, status(kept.String()),
		"no list is not every key, nor is an empty one")
	code, output = o.run("keys", "revoke", "--all")
	require.Zero(t, code, output)
	require.Equal(t, http.StatusUnauthorized, status(kept.String()))
	require.Equal(t, 1, apptest.Read[int](t, o.d, entries, leaked.ID))
}
