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
	"dg/platform/testkit/tb"
)

// Only dg serve, dg migrate and dg demo apply migrations. Operator commands need the schema and the owner's role.
func TestOperatorCommandsDoNotMigrate(t *testing.T) {
	t.Parallel()
	pg := apptest.NewExternalServer(t)
	run := func(line, message string, more ...string) {
		c := apptest.Launch(t, append(pg.WithFlags(strings.Fields(line)...), more...)...)
		status := c.ExitStatus(time.Minute)
		require.Regexp(t, message, c.Log.String(), line)
		require.Equal(t, message == `^$`, status == 0, line)
	}
	for _, line := range []string{"organisation list", "segments rebuild",
		"audit prune --before 2025-01 --export file", "import file"} {
		run(line, `the database has no schema yet: start dg serve, or run dg migrate\n$`)
		require.Zero(t, pg.CountRows(`pg_tables where schemaname = 'public'`), line)
	}
	pg.Exec(`grant temporary on database dg to public`)
	require.NotContains(t, pg.RequireSuccess("migrate"), "level=WARN", "dg doctor and dg serve say it")
	run("organisation list", `^$`) // logs nothing, not even a warning of this right
	run("organisation list", `^dg: the role that migrates may not create tables, or does not own those of dg: `+
		`name the owner of the database in DG_MIGRATE_DATABASE_URL; roles.sh creates one\n$`,
		"--migrate-database-url", "")
	pg.Exec(`insert into dg_schema_versions (version_id, is_applied) values (99, true);
		insert into users (id, email, email_key, name) values (gen_random_uuid(), 'ann@example.org', 'newer', 'Ann')`)
	require.Contains(t, pg.RequireSuccess("migrate"), "newer migrations than this program")
	require.Equal(t, 1, pg.CountRows(`users where email_key = 'newer'`), "a newer program may have other keys")
	pg.Exec(`delete from dg_schema_versions where version_id = 99; delete from dg_schema_versions where version_id = (select max(version_id) from dg_schema_versions)`)
	run("organisation list", `the schema ends at \d+, this program at \d+: run dg migrate, or start dg serve`)
	pg.Exec(`create table goose_db_version ()`)
	run("migrate", `^dg: this database is of an earlier build of dg: give dg an empty database or data folder\n$`)
}

// backup.md, Old audit entries: a prune removes only entries in a complete file. After a failure another run continues.
func TestAuditPruneRemovesOnlyExportedEntries(t *testing.T) {
	t.Parallel()
	dg := serveDemo(t)
	for _, at := range []string{"2024-12-31", "2024-12-31 23:59:59.999", "2025-01-01"} {
		dg.db.Exec(`insert into audit_entries (org_id, at, actor_kind, actor_id, actor_name, action,
				target_kind, target_id, method, path, address, user_agent, request_id)
			select id, $1, 'key', '', '', 'export.started', '', '', '', '', '', '', '' from organisations`, at+"Z")
	}
	count := func(condition string) int { return dg.db.CountRows(`audit_entries where ` + condition) }
	keptCount := count(`at >= '2025-01-01Z'`)
	folder := t.TempDir()
	prune := func(before, file string) []string {
		return []string{"audit", "prune", "--before", before, "--export", filepath.Join(folder, file)}
	}
	futureMonth := time.Now().UTC().AddDate(0, 2, 0).Format("2006-01")
	apptest.RequireRefusal(t, "has not begun", dg.dir, prune(futureMonth, "never")...)
	apptest.RequireRefusal(t, "nothing was removed", dg.dir, prune("2025-01", "no such folder/file")...)
	require.Zero(t, count(`action = 'audit_log.pruned'`))

	// The first run cannot remove the entries of one organisation. The next run removes them.
	dg.db.Exec(`create function refuse() returns trigger language plpgsql as $$ begin
		if old.org_id = (select id from organisations order by slug desc limit 1)
		then raise 'refused here'; end if; return old; end $$`)
	dg.db.Exec(`create trigger refuse before delete on audit_entries for each row execute function refuse()`)
	require.Contains(t, apptest.RequireRefusal(t, "2 of the entries in", dg.dir, prune("2025-01", "first")...),
		"run it again with another file")
	dg.db.Exec(`drop function refuse cascade`)
	apptest.RequireRefusal(t, "file exists", dg.dir, prune("2025-01", "first")...)
	require.Contains(t, apptest.RequireSuccess(t, dg.dir, prune("2025-01", "second")...),
		"Wrote 2 entries from before 2025-01-01")
	require.Len(t, tb.Must(os.ReadDir(folder))(t), 2)
	require.Equal(t, 4, strings.Count(apptest.ReadFile(t, folder, "first"), "\n"))
	require.Equal(t, 2, strings.Count(apptest.ReadFile(t, folder, "second"), "\n"))
	require.Equal(t, 2, count(`action = 'audit_log.pruned'`), "one for each organisation")
	require.Equal(t, keptCount, count(`action <> 'audit_log.pruned'`))
}

// rules.md, Audit log: each change of an organisation by the operator leaves one entry, a refused command none.
func TestOrganisationAndMemberCommandsAreAudited(t *testing.T) {
	t.Parallel()
	dir := apptest.NewFolder(t)
	dg := apptest.ServeOn(t, dir)
	db := apptest.OpenAdminDB(t, dir)
	run := func(line string, more ...string) string {
		return apptest.RequireSuccess(t, dir, append(strings.Fields(line), more...)...)
	}
	refused := func(message, line string, more ...string) {
		apptest.RequireRefusal(t, message, dir, append(strings.Fields(line), more...)...)
	}
	require.Contains(t, run("organisation list"), "no organisations")

	out := run("organisation create --slug cafe-no-1-sohne --owner-email Ann@example.org", "--base-url", dg.ListenURL,
		"--name", "Café Nº 1 & Söhne")
	require.Contains(t, out, dg.ListenURL+"/o/cafe-no-1-sohne/reports")
	link := apptest.ResetLinkPattern.FindStringSubmatch(out)
	require.NotNil(t, link, out)
	first := dg.GetBody(link[2], "")
	require.Contains(t, first, "Ann@example.org")
	require.NotContains(t, first, "ends all your sessions", "there are none")
	refused("already has the slug", "organisation create --slug cafe-no-1-sohne --owner-email x@example.org --name",
		"cafe no 1 sohne")
	refused("not an e-mail", "organisation create --slug other --owner-email x --name Other")
	refused("not a slug", "organisation create --owner-email a@b.example --slug A/B --name Other")
	require.Equal(t, 1, apptest.RowCounts(t, db)["users"], "a refused command stores nobody")

	run("organisation plan cafe-no-1-sohne enterprise")
	run("organisation plan cafe-no-1-sohne enterprise")
	refused("No such organisation", "organisation plan other pro")
	require.Regexp(t, `(?m)^cafe-no-1-sohne +enterprise +pseudonymous +[0-9a-f-]{36} +Café Nº 1 & Söhne$`,
		run("organisation list"))

	refused("leaves cafe-no-1-sohne without an owner", "member remove cafe-no-1-sohne ann@example.org")
	refused("leaves cafe-no-1-sohne without an owner", "member role cafe-no-1-sohne ann@example.org member")
	added := run("member add cafe-no-1-sohne ben@example.org --name Ben")
	require.Regexp(t, `Link for Ben \(ben@example.org\), valid(.|\n)*account/reset`, added)
	require.NotContains(t, added, "Its use", "a brand-new person has no two-step verification and no session")
	refused("is a member already", "member add cafe-no-1-sohne BEN@example.org")
	refused("No account has the e-mail", "member role cafe-no-1-sohne nobody@example.org owner")
	run("member role cafe-no-1-sohne Ben@example.org owner")
	run("member remove cafe-no-1-sohne ann@example.org")
	refused("is not a member", "member remove cafe-no-1-sohne ann@example.org")

	entries := testkit.Query[[]string](db, `select array_agg(concat_ws(' ', actor_kind, action,
		target_kind, path, details) order by at, id) from audit_entries
		where action in ('organisation.created', 'plan.changed', 'role.changed')`)
	require.ElementsMatch(t, []string{
		`operator organisation.created organisation dg organisation create {"plan": "pro"}`,
		`operator role.changed person dg organisation create {"to": "owner", "from": "none", "name": "Ann@example.org"}`,
		`operator plan.changed organisation dg organisation plan {"to": "enterprise", "from": "pro"}`,
		`operator role.changed person dg member add {"to": "member", "from": "none", "name": "Ben"}`,
		`operator role.changed person dg member role {"to": "owner", "from": "member", "name": "Ben"}`,
		`operator role.changed person dg member remove {"to": "none", "from": "owner", "name": "Ann@example.org"}`,
	}, entries)

	// A person with a password gets no link, because its use would turn two-step verification off.
	db.Exec(`update users set password_hash = 'set' where email_key = 'ben@example.org'`)
	out = run("organisation create --slug two --owner-email ben@example.org --name Two --plan free")
	require.NotContains(t, out, "token=")
	require.Contains(t, out, "ben@example.org has a password")
}

// backupPage runs the shell blocks of configs/deploy/backup.md in a folder.
type backupPage struct {
	t        *testing.T
	folder   string
	programs string
	blocks   [][]string
}

func newBackupPage(t *testing.T, db *testkit.World) backupPage {
	pgtest.RequireProgram(t, "pg_dump")
	p := backupPage{t: t, folder: t.TempDir(), programs: programsOf(db)}
	require.NoError(t, os.WriteFile(p.folder+"/psqlrc", []byte("\\timing on\n"), 0o600)) // must not change the result
	p.blocks = regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(
		apptest.ReadFile(t, apptest.RepositoryPath("configs", "deploy", "backup.md")), -1)
	require.Len(t, p.blocks, 2, "back up, restore")
	return p
}

func (p backupPage) run(block int, settings ...string) error {
	dg := tb.Must(apptest.BuildBinary())(p.t)
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
func tableHashes(t *testing.T, db *testkit.World) map[string]string {
	hashes := map[string]string{}
	for name := range apptest.RowCounts(t, db) {
		hashes[name] = testkit.Query[string](db, `select count(*) || ' ' ||
			coalesce(md5(string_agg(md5(r::text), '' order by md5(r::text))), '') from `+
			pgx.Identifier{name}.Sanitize()+` r`)
	}
	delete(hashes, "sessions")
	delete(hashes, "account_resets")
	return hashes
}

// backup.md: a backup restores rows and rights elsewhere. Revoked keys stay revoked. A damaged backup changes nothing.
func TestBackupPageRestoresAllAndKeepsRevocations(t *testing.T) {
	t.Parallel()
	served := serveDemo(t)
	page := newBackupPage(t, served.db)
	organisation := testkit.Query[string](served.db, `select id::text from organisations where plan = 'pro' limit 1`)
	newKey := func() testkit.Key { return served.db.AddKey(organisation) }
	leakedKey, replacedKey, listedKey := newKey(), newKey(), newKey()
	served.db.Exec(`update api_keys set revoked_at = now() + interval '3 days' where id = $1`, listedKey.ID)
	served.db.Exec(`insert into account_resets select id, sha256('a'), now() from users limit 1`)
	addOwnerSession(t, served.db)
	served.db.Exec(`alter role all set datestyle to german`)
	require.NoError(t, page.run(0, "DG_DATA_DIR="+served.dir))
	served.Stop()

	pg := apptest.NewExternalServer(t)
	externalEnv := []string{"DG_DATABASE_URL=" + pg.URL, "DG_MIGRATE_DATABASE_URL=" + pg.OwnerURL}
	revoked := filepath.Join(page.folder, "revoked.txt")
	list := apptest.ReadFile(t, revoked)
	require.Regexp(t, listedKey.ID+`\|\d{4}-`, list, "a key that is being replaced")
	require.NotContains(t, list, "Tim", "the operator's psqlrc is not read")
	expiresAt := time.Now().UTC().Add(24 * time.Hour).Truncate(time.Millisecond)
	require.NoError(t, os.WriteFile(revoked, []byte(leakedKey.ID+"|2026-01-01 00:00:00+00\n"+replacedKey.ID+
		"|"+expiresAt.Format(time.RFC3339Nano)+"\nNewerThanTheBackup0000|2026-01-01 00:00:00+00\n"), 0o600))
	require.NoError(t, page.run(1, externalEnv...))
	externalDB := pg.World
	require.Regexp(t, `(?m)^ok +rights$`, pg.RequireSuccess("doctor"), "none is missing or in excess")
	require.Zero(t, externalDB.CountRows(`sessions, account_resets`))
	dg := pg.Serve()
	require.True(t, dg.Accepts(served.token))
	require.False(t, dg.Accepts(leakedKey.Token()))
	require.Equal(t, expiresAt, testkit.Query[time.Time](externalDB, `select revoked_at from api_keys where id = $1`,
		replacedKey.ID).UTC(), "it is accepted until the end of its replacement")
	require.Equal(t, 1, externalDB.CountRows(`audit_entries
		where action = 'api_key.revoked' and actor_kind = 'operator' and target_id = $1`, leakedKey.ID))
	dg.Stop()

	before := tableHashes(t, externalDB)
	require.NoError(t, page.run(0, externalEnv...))
	otherDir := apptest.NewFolder(t)
	dg = apptest.ServeOn(t, otherDir)
	require.NoError(t, page.run(1, "DG_DATA_DIR="+otherDir))
	folderDB := apptest.OpenAdminDB(t, otherDir)
	require.Equal(t, before, tableHashes(t, folderDB))
	require.NoError(t, os.Truncate(filepath.Join(page.folder, "dg.dump"), 30_000))
	require.Error(t, page.run(1, "DG_DATA_DIR="+otherDir))
	require.Equal(t, before, tableHashes(t, folderDB))
	dg.Stop()
}

// dg erase removes a player from all figures (backup.md, Erasing a player), or nothing if the id cannot be printed.
func TestEraseRemovesAPlayerEverywhere(t *testing.T) {
	t.Parallel()
	dir := apptest.NewFolder(t)
	imported := apptest.NewImportFile(t, 31, apptest.SealablePlays)
	imported.ImportInto(t, dir)
	db := apptest.OpenAdminDB(t, dir)
	dg := apptest.ServeOn(t, dir)
	token := db.AddKey(imported.IDs.Organisation.String()).Token()
	path := "/api/v1/forks/" + imported.IDs.Fork.String() + "/stats" + imported.Query
	type figures struct {
		Plays, UniquePlayers int
		PlayerLabel          string
		Players              []figures
	}
	var before, after figures
	require.NoError(t, json.Unmarshal([]byte(dg.GetBody(path, token)), &before))
	require.Equal(t, imported.Plays, before.Plays)
	erased := before.Players[0]
	const unknown = "00000000-0000-4000-8000-00000000dead"
	id := testkit.Query[string](db, `select id::text from players where label = $1`, erased.PlayerLabel)
	slug := testkit.Query[string](db, `select slug from organisations`)
	fullDevice := tb.Must(os.OpenFile("/dev/full", os.O_WRONLY, 0))(t)
	defer fullDevice.Close()
	for _, command := range [][]string{{"erase", slug, erased.PlayerLabel}, {"doctor"}} {
		failing := apptest.LaunchWith(t, func(c *exec.Cmd) { c.Stdout = fullDevice },
			append(command, "--data-dir", dir)...)
		require.Equal(t, 1, failing.ExitStatus(time.Minute), "%v: %s", command, failing.Log.String())
		require.Contains(t, failing.Log.String(), "standard output cannot be written")
		require.Equal(t, command[0] == "erase",
			strings.Contains(failing.Log.String(), "not erased, or not certainly, are "+erased.PlayerLabel))
	}
	require.Equal(t, 1, db.CountRows(`players where id = $1`, id))
	out := apptest.RequireRefusal(t, unknown+"  no such player\n", dir, "erase", slug, unknown, erased.PlayerLabel)
	require.Contains(t, out, "\n"+id+"  erased from organisation ")
	statsJSON, playsCSV := dg.GetBody(path, token), dg.GetBody(imported.CSVPath(), token)
	require.NoError(t, json.Unmarshal([]byte(statsJSON), &after))
	require.Equal(t, before.Plays-erased.Plays, after.Plays)
	require.Equal(t, before.UniquePlayers-1, after.UniquePlayers)
	require.NotContains(t, statsJSON+playsCSV, erased.PlayerLabel)
	require.Equal(t, after.Plays, strings.Count(playsCSV, "\n")-1)
}
