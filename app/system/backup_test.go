package system

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit"
	"dg/platform/testkit/pgtest"
)

// backupPage runs the shell blocks of configs/deploy/backup.md in a folder.
type backupPage struct {
	t        *testing.T
	folder   string
	programs string
	blocks   [][]string
}

func newBackupPage(t *testing.T, d *testkit.World) backupPage {
	pgtest.RequireProgram(t, "pg_dump")
	p := backupPage{t: t, folder: t.TempDir(), programs: programsOf(d)}
	require.NoError(t, os.WriteFile(p.folder+"/psqlrc", []byte("\\timing on\n"), 0o600)) // an operator's
	p.blocks = regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(
		apptest.ReadFile(t, apptest.InTree("configs", "deploy", "backup.md")), -1)
	require.Len(t, p.blocks, 2, "back up, restore")
	return p
}

func (p backupPage) run(block int, settings ...string) error {
	dg, err := apptest.Binary()
	require.NoError(p.t, err)
	cmd := exec.CommandContext(p.t.Context(), "sh", "-ec",
		`dg() { "$DG" --log-level=warn "$@"; }`+"\n"+p.blocks[block][1])
	cmd.Dir = p.folder
	cmd.Env = slices.Concat(apptest.CleanEnvironment(), settings, []string{"DG=" + dg, "PGHOST=/nowhere",
		"PSQLRC=" + p.folder + "/psqlrc", "PATH=" + p.programs + ":" + os.Getenv("PATH")})
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Logf("%s", out)
	}
	return err
}

// tableHashes returns a hash of the rows of each table that a restore brings back.
func tableHashes(t *testing.T, d *testkit.World) map[string]string {
	hashes := map[string]string{}
	for name := range apptest.Tables(t, d) {
		hashes[name] = testkit.One[string](d, `select count(*) || ' ' ||
			coalesce(md5(string_agg(md5(r::text), '' order by md5(r::text))), '') from `+
			pgx.Identifier{name}.Sanitize()+` r`)
	}
	delete(hashes, "sessions")
	delete(hashes, "account_resets")
	return hashes
}

// configs/deploy/backup.md: a backup of a running embedded server restores every row and right on another server, and
// back. A key that was revoked after the backup stays revoked. A damaged backup changes nothing.
func TestBackupPageRestoresAllButRevocations(t *testing.T) {
	t.Parallel()
	d := serveDemo(t)
	p := newBackupPage(t, d.db)
	organisation := testkit.One[string](d.db, `select id::text from organisations where plan = 'pro' limit 1`)
	leaked, replaced, listed := d.db.Key(organisation), d.db.Key(organisation), d.db.Key(organisation)
	d.db.Exec(`update api_keys set revoked_at = now() + interval '3 days' where id = $1`, listed.ID)
	d.db.Exec(`insert into account_resets select id, sha256('a'), now() from users limit 1`)
	ownersSession(t, d.db)
	d.db.Exec(`alter role all set datestyle to german`)
	require.NoError(t, p.run(0, "DG_DATA_DIR="+d.dir))
	d.Stop()

	x := apptest.NewExternal(t)
	own := []string{"DG_DATABASE_URL=" + x.URL, "DG_MIGRATE_DATABASE_URL=" + x.OwnerURL}
	revoked := filepath.Join(p.folder, "revoked.txt")
	list := apptest.ReadFile(t, revoked)
	require.Regexp(t, listed.ID+`\|\d{4}-`, list, "a key that is being replaced")
	require.NotContains(t, list, "Tim", "the operator's psqlrc is not read")
	expiresAt := time.Now().UTC().Add(24 * time.Hour).Truncate(time.Millisecond)
	require.NoError(t, os.WriteFile(revoked, []byte(leaked.ID+"|2026-01-01 00:00:00+00\n"+
		replaced.ID+"|"+expiresAt.Format(time.RFC3339Nano)+"\nNewerThanTheBackup0000|2026-01-01 00:00:00+00\n"), 0o600))
	require.NoError(t, p.run(1, own...))
	d2 := x.World
	require.Regexp(t, `(?m)^ok +rights$`, x.Succeeds("doctor"), "none is missing or in excess")
	require.Zero(t, d2.Count(`sessions, account_resets`))
	c := x.Serve()
	require.True(t, c.Accepts(d.token))
	require.False(t, c.Accepts(leaked.Token()))
	require.Equal(t, expiresAt, testkit.One[time.Time](d2, `select revoked_at from api_keys where id = $1`,
		replaced.ID).UTC(), "it is accepted until the end of its replacement")
	require.Equal(t, 1, d2.Count(`audit_entries
		where action = 'api_key.revoked' and actor_kind = 'operator' and target_id = $1`, leaked.ID))
	c.Stop()

	before := tableHashes(t, d2)
	require.NoError(t, p.run(0, own...))
	other := apptest.NewFolder(t)
	c = apptest.ServeOn(t, other)
	require.NoError(t, p.run(1, "DG_DATA_DIR="+other))
	d3 := apptest.OpenAdminDB(t, other)
	require.Equal(t, before, tableHashes(t, d3))
	require.NoError(t, os.Truncate(filepath.Join(p.folder, "dg.dump"), 30_000))
	require.Error(t, p.run(1, "DG_DATA_DIR="+other))
	require.Equal(t, before, tableHashes(t, d3))
	c.Stop()
}

// backup.md, Erasing a player: dg erase removes a player from statistics, CSV and segments at once, even if another id
// is unknown. It prints the player's id, for a restore. If it cannot, on a full disk, the player stays. dg doctor
// stands for commands that print in several places.
func TestEraseRemovesAPlayerEverywhere(t *testing.T) {
	t.Parallel()
	dir := apptest.NewFolder(t)
	h := apptest.NewHistory(t, 31, apptest.Sealable)
	h.ImportInto(t, dir)
	d := apptest.OpenAdminDB(t, dir)
	c := apptest.ServeOn(t, dir)
	token := d.Key(h.IDs.Organisation.String()).Token()
	path := "/api/v1/forks/" + h.IDs.Fork.String() + "/stats" + h.Query
	type figures struct {
		Plays, UniquePlayers int
		PlayerLabel          string
		Players              []figures
	}
	var was, is figures
	require.NoError(t, json.Unmarshal([]byte(c.Fetch(path, token)), &was))
	require.Equal(t, h.Plays, was.Plays)
	most := was.Players[0]
	const unknown = "00000000-0000-4000-8000-00000000dead"
	id := testkit.One[string](d, `select id::text from players where label = $1`, most.PlayerLabel)
	slug := testkit.One[string](d, `select slug from organisations`)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	require.NoError(t, err)
	defer full.Close()
	for _, command := range [][]string{{"erase", slug, most.PlayerLabel}, {"doctor"}} {
		lost := apptest.LaunchWith(t, func(c *exec.Cmd) { c.Stdout = full }, append(command, "--data-dir", dir)...)
		require.Equal(t, 1, lost.Status(time.Minute), "%v: %s", command, lost.Log.String())
		require.Contains(t, lost.Log.String(), "standard output cannot be written")
	}
	require.Equal(t, 1, d.Count(`players where id = $1`, id))
	out := apptest.Refuses(t, unknown+"  no such player\n", dir, "erase", slug, unknown, most.PlayerLabel)
	require.Contains(t, out, "\n"+id+"  erased from organisation ")
	stats, plays := c.Fetch(path, token), c.Fetch(h.CSV(), token)
	require.NoError(t, json.Unmarshal([]byte(stats), &is))
	require.Equal(t, was.Plays-most.Plays, is.Plays)
	require.Equal(t, was.UniquePlayers-1, is.UniquePlayers)
	require.NotContains(t, stats+plays, most.PlayerLabel)
	require.Equal(t, is.Plays, strings.Count(plays, "\n")-1)
}
