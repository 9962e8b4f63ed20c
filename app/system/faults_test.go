package system

import (
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
)

// fault is an operator's mistake. dg doctor and dg serve report it in the same words.
type fault struct {
	plant, mend string   // SQL that a superuser runs; without mend, the SQL of the advice repairs the fault
	args        []string // settings that cause the fault
	env         []string
	fixed       []string // settings of the repair
	says        string   // a regular expression
	serve       outcome
}

// outcome is how dg serve reacts to a fault.
type outcome string

const (
	serveStops    outcome = "stops" // dg doctor exits with 1
	serveWarns    outcome = "warns"
	serveMigrates outcome = "mends" // by its migration, which dg doctor does not run
)

// sqlOfAdvice matches the SQL that a message tells the operator to run.
var sqlOfAdvice = regexp.MustCompile(`run as [^:]+: (.+)`)

// check requires that dg doctor and dg serve report the fault. It returns the line of dg doctor.
func (f fault) check(t *testing.T, args []string) (advice string) {
	args = append(args, f.args...)
	name := strings.Join(append(append([]string{f.plant}, f.args...), f.env...), " ")
	run := func(command string, more ...string) *apptest.Child {
		return apptest.LaunchWith(t, func(c *exec.Cmd) { c.Env = append(c.Env, f.env...) },
			append(append([]string{command, "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0"},
				args...), more...)...)
	}
	doctor := run("doctor")
	status := doctor.Status(time.Minute)
	said := doctor.Out.String() + doctor.Log.String()
	require.Regexp(t, f.says, said, "dg doctor on %s", name)
	serve := run("serve")
	if f.serve == serveStops {
		require.NotZero(t, status, "dg doctor on %s: %s", name, said)
		require.NotZero(t, serve.Status(time.Minute), name)
	} else {
		require.Regexp(t, `(?m)^(warning|failure)`, said, name)
		mended := f.serve == serveMigrates || strings.Contains(said, "no schema yet")
		require.Equal(t, mended, status != 0, "dg doctor on %s: %s", name, said)
		serve.UntilServing().Stop()
	}
	if f.serve != serveMigrates {
		require.Regexp(t, f.says, serve.Log.String(), "dg serve on %s", name)
	}
	require.NotContains(t, said+serve.Log.String()+serve.Out.String(), "hunter2", name)
	return regexp.MustCompile(`.*` + f.says + `.*`).FindString(said)
}

// operations.md, Install and Settings: dg doctor and dg serve report the same faults of the
// database and the settings. dg doctor changes nothing. Packages config, commands and postgres test
// faults of single values.
func TestDoctorAndServeFindFaults(t *testing.T) {
	t.Parallel()
	x := apptest.NewExternal(t)
	c := apptest.Launch(t, x.On("doctor")...)
	require.NotZero(t, c.Status(time.Minute), c.Out.String())
	require.Regexp(t, `failure +schema .* the database has no schema yet`, c.Out.String())
	require.Zero(t, x.Count(`pg_tables where schemaname = 'public'`), "doctor changes nothing")
	x.Succeeds("migrate")
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	in := taken.Addr().String()
	c = apptest.Launch(t, append(x.On("doctor"), "--secret-key", firstSecretKey, "--addr", in)...)
	require.NotZero(t, c.Status(time.Minute), c.Out.String())
	require.Regexp(t, `failure +address +cannot listen on DG_ADDR `+in+`: .*in use`, c.Out.String())
	running := x.Serve()
	c = apptest.Launch(t, append(x.On("doctor"), "--secret-key", firstSecretKey, "--addr",
		strings.TrimPrefix(running.URL, "http://"), "--ops-addr", running.Ops)...)
	require.Zero(t, c.Status(time.Minute), c.Out.String())
	require.NotRegexp(t, `failure|warning`, c.Out.String())
	x.Exec(`create database elsewhere owner dg_owner`)
	elsewhere := strings.NewReplacer("/dg?", "/elsewhere?")
	c = apptest.Launch(t, "doctor", "--database-url", elsewhere.Replace(x.URL), "--migrate-database-url",
		elsewhere.Replace(x.OwnerURL), "--addr", strings.TrimPrefix(running.URL, "http://"))
	require.NotZero(t, c.Status(time.Minute))
	require.Regexp(t, `warning +database .* answers at DG_ADDR, but none uses this database`, c.Out.String())
	running.Stop()
	for _, flag := range []string{"--addr", "--ops-addr"} {
		serve := apptest.Launch(t, x.On("serve", "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0",
			flag, in)...)
		require.Equal(t, 1, serve.Status(time.Minute))
		require.Regexp(t, in+`: .*address already in use: set DG_`, serve.Log.String())
	}
	faults := slices.Concat(faultsOfDatabases(x), faultsOfRoles(), faultsOfURLs(t, x), faultsOfSettings(x))
	for _, f := range faults {
		t.Run(f.says, func(t *testing.T) {
			if f.plant != "" {
				x.Exec(f.plant)
			}
			advice := f.check(t, x.Flags())
			if sql := sqlOfAdvice.FindStringSubmatch(advice); f.plant != "" && f.mend == "" && sql != nil {
				f.mend = sql[1]
			}
			if f.mend != "" {
				x.Exec(f.mend)
			}
			c := apptest.Launch(t, append(x.On("doctor", "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0"),
				f.fixed...)...)
			require.Zero(t, c.Status(time.Minute), "%s is repaired: %s", advice, c.Out.String())
			require.NotRegexp(t, f.says, c.Out.String(), "it is repaired")
		})
	}
}

// faultsOfRoles are excess rights of the serving role, and refused connections.
func faultsOfRoles() []fault {
	const member = `member of dg_owner, which may change the audit log: .*revoke dg_owner from dg_app`
	return []fault{
		sqlFault(serveStops, `grant dg_owner to dg_app`, member),
		sqlFault(serveStops, `alter role dg_app noinherit; grant dg_owner to dg_app`, member),
		sqlFault(serveStops, `create role steward; grant dg_owner to steward with admin option; set role steward;
			grant dg_owner to dg_app; reset role`, member), // no grant by the superuser, who revokes it
		sqlFault(serveStops, `create role clerk; grant dg_owner to clerk; grant clerk to dg_app`,
			`member of clerk, which may change the audit log`),
		sqlFault(serveStops, `grant pg_write_all_data to dg_app`, `member of pg_write_all_data`),
		sqlFault(serveStops, `alter role dg_app createrole`, `may create roles`),
		sqlFault(serveStops, `alter database dg owner to dg_app`, `alter database dg owner to dg_owner`),
		sqlFault(serveStops, `alter schema public owner to dg_app`, `alter schema public owner to pg_database_owner`),
		sqlFault(serveStops, `grant create on schema public to public`, `revoke create on schema public from public`),
		sqlFault(serveStops, `create role maker; grant create on schema public to maker; grant maker to dg_app;
			grant create on database dg to dg_app`,
			`revoke create on database dg from dg_app; revoke create on schema public from maker`),
		// Doctor's own statements would run this function as the owner.
		{plant: `grant create on schema public to dg_app; set role dg_app;
			create function public.format(text, name, bigint) returns text language sql return 'hijacked';
			reset role; revoke create on schema public from dg_app`,
			mend: `drop function public.format(text, name, bigint)`,
			says: `owns function public.format\(`, serve: serveStops},
		sqlFault(serveMigrates, `grant update (details) on audit_entries to dg_app`, `may change audit entries`),
		sqlFault(serveMigrates, `grant truncate, update on api_keys to dg_app`, `may change keys, remove keys`),
		sqlFault(serveMigrates, `grant insert (org_id) on memberships to dg_app`, `may change members`),
		sqlFault(serveMigrates, `grant insert on account_resets to dg_app`, `may reset accounts`),
		sqlFault(serveMigrates, `grant delete on plays to dg_app`, `may remove plays`),
		sqlFault(serveMigrates, `grant truncate on plays to dg_app`, `may remove plays`),
		sqlFault(serveMigrates, `grant delete on api_keys to dg_app`, `may remove keys`),
		sqlFault(serveMigrates, `grant truncate on audit_entries to dg_app`, `may empty the audit log`),
		sqlFault(serveMigrates, `grant insert on plays to dg_app`, `may add plays`),
		sqlFault(serveMigrates, `revoke insert on audit_entries from dg_app`, `may not add audit entries`),
		sqlFault(serveMigrates, `revoke all on api_key_windows from dg_app`, `may not count requests`),
		sqlFault(serveMigrates, `revoke all on sessions from dg_app`, `may not keep sessions`),
		sqlFault(serveWarns, `grant temporary on database dg to public`, `may create temporary tables`),
		sqlFault(serveWarns, `grant execute on function lo_create(oid) to public`, `may create large objects`),
		sqlFault(serveStops, `revoke connect on database dg from public`,
			`run as its owner: grant connect on database dg to dg_app`),
		sqlFault(serveStops, `alter role dg_app connection limit 0`, `alter role dg_app connection limit -1`),
		sqlFault(serveStops, `alter role dg_owner connection limit 0`, `alter role dg_owner connection limit -1`),
		sqlFault(serveStops, `alter database dg connection limit 0`, `alter database dg connection limit -1`),
		sqlFault(serveStops, `update pg_database set datallowconn = false where datname = 'dg'`,
			`alter database dg allow_connections true`),
		sqlFault(serveStops, `alter role dg_app nologin`, `alter role dg_app login`),
		{plant: `alter table organisations owner to postgres`,
			mend: `alter table organisations owner to dg_owner`, says: `does not own those of dg`, serve: serveStops},
		{plant: `insert into dg_schema_versions (version_id, is_applied) values (99, true)`,
			mend: `delete from dg_schema_versions where version_id = 99`,
			says: `newer .*than this program`, serve: serveWarns},
		sqlFault(serveWarns, `drop index plays_period`, `create index concurrently plays_period on plays`),
		sqlFault(serveWarns, `update pg_index set indisvalid = false where indexrelid = 'forks_list'::regclass`,
			`reindex index concurrently forks_list`),
		sqlFault(serveStops, `alter table plays disable trigger unseal_insert`,
			`alter table plays enable always trigger unseal_insert`),
		sqlFault(serveStops, `alter table forks disable trigger fork_change`,
			`alter table forks enable always trigger fork_change`),
		sqlFault(serveStops, `alter table players enable trigger player_version`,
			`alter table players enable always trigger player_version`),
		sqlFault(serveStops, `do $$ begin execute (select string_agg(format('alter table players disable trigger %I', tgname), ';')
			from pg_trigger where tgisinternal and tgrelid = 'players'::regclass); end $$`, `erased players keep their plays`),
		sqlFault(serveStops, `alter table plays drop constraint plays_org_id_player_fkey`,
			`add constraint plays_org_id_player_fkey`),
		sqlFault(serveStops, `drop trigger audit_entry_stamp on audit_entries`,
			`create trigger audit_entry_stamp before insert`),
	}
}

// dg doctor's advice restores the triggers exactly, and repairs the data that they maintain.
func TestAdviceRestoresTriggers(t *testing.T) {
	t.Parallel()
	x := apptest.NewExternal(t)
	x.Succeeds("migrate")
	const triggers = `(select string_agg(pg_get_triggerdef(oid) || tgenabled::text, '\n' order by tgname)
		from pg_trigger where not tgisinternal)`
	x.Exec(`create table former as select ` + triggers + ` as triggers`)
	x.Exec(`do $$ declare t record; begin
		for t in select tgname, tgrelid::regclass as relation from pg_trigger where not tgisinternal loop
			execute format('drop trigger %I on %s', t.tgname, t.relation);
		end loop; end $$`)
	doctor := apptest.Launch(t, x.On("doctor")...)
	require.NotZero(t, doctor.Status(time.Minute))
	said := doctor.Out.String()
	for _, advice := range sqlOfAdvice.FindAllStringSubmatch(said, -1) {
		x.Exec(advice[1])
	}
	require.Equal(t, 1, x.Count(`former where triggers = `+triggers), said)
	repair, isLast := strings.CutSuffix(regexp.MustCompile(`left it stale: (.+)`).FindStringSubmatch(said)[1],
		"; dg segments rebuild")
	require.True(t, isLast, said)
	x.Exec(`drop table former; ` + repair)
	x.Succeeds("segments", "rebuild")
	for _, kept := range []string{"organisations", "player_ordinals", "sessions", "account_resets", "recovery_codes"} {
		require.Contains(t, repair, " "+kept)
	}
}

// faultsOfURLs are URLs that reach no PostgreSQL server, or that PostgreSQL refuses.
func faultsOfURLs(t *testing.T, x *apptest.External) (faults []fault) {
	other, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = other.Close() })
	go func() {
		for {
			conn, err := other.Accept()
			if err != nil {
				return
			}
			_ = conn.Close()
		}
	}()
	for url, says := range map[string]string{
		"postgres://dg_app:hunter2@127.0.0.1:1/dg":                 `refused: start PostgreSQL there`,
		"postgres://dg_app:hunter2@nowhere.invalid/dg":             `correct the host of the URL`,
		"postgres://dg_app:hunter2@/dg?host=/nowhere":              `correct the folder of its socket`,
		"postgres://dg_app:hunter2@" + other.Addr().String() + "/": `what answers there is not PostgreSQL`,
		x.As(url.User("nobody")):                                   `"nobody" does not exist.*correct the role`,
		x.URL + "&pgbouncer=true":                                  `"pgbouncer".*remove the parameter`,
		x.URL + "&schema=public":                                   `"schema".*remove the parameter`,
		x.URL + "&gssencmode=disable":                              `"gssencmode".*remove the parameter`,
		x.URL + "&work_mem=much":                                   `"work_mem": "much".*correct the value`,
		"postgres://dg_app:hunter2@127.0.0.1/dg?sslmode=maybe":     `sslmode is invalid`,
		x.URL + "&connect_timeout=soon":                            `invalid connect_timeout`,
	} {
		faults = append(faults, fault{args: set("--database-url", url), says: says, serve: serveStops})
	}
	return faults
}

func set(settings ...string) []string { return settings }

func sqlFault(serve outcome, sql, says string) fault {
	return fault{serve: serve, plant: sql, says: says}
}

func flagFault(serve outcome, says string, args ...string) fault {
	return fault{serve: serve, says: says, args: args}
}

func variable(serve outcome, says, set string) fault {
	return fault{serve: serve, says: says, env: []string{set}}
}

func faultsOfDatabases(x *apptest.External) []fault {
	at := func(url, name string) string { return strings.Replace(url, "/dg?", "/"+name+"?", 1) }
	both := func(name string) []string {
		return set("--database-url", at(x.URL, name), "--migrate-database-url", at(x.OwnerURL, name))
	}
	stranger := set("--migrate-database-url", x.As(url.User("stranger")))
	return []fault{
		sqlFault(serveMigrates, `revoke select on plays from dg_app`, `may not read plays`),
		sqlFault(serveMigrates, `grant delete on audit_entries to dg_app`, `may remove audit entries`),
		{plant: `grant delete on audit_entries to public`, mend: `revoke delete on audit_entries from public`,
			says: `may remove audit entries`, serve: serveStops},
		{plant: `create table goose_db_version ()`, mend: `drop table goose_db_version`,
			says: `this database is of an earlier build of dg`, serve: serveStops},
		{plant: `alter role dg_owner nologin`, mend: `alter role dg_owner login`,
			says: `DG_MIGRATE_DATABASE_URL: .*"dg_owner" is not permitted`, serve: serveStops},
		{plant: `create role stranger login`, args: stranger,
			says: `the role that migrates may not create tables`, serve: serveStops},
		{plant: `grant create on schema public to stranger`, args: stranger,
			says: `or does not own those of dg`, serve: serveStops},
		{plant: `revoke usage on schema public from dg_app, public`,
			mend: `grant usage on schema public to dg_app, public`, says: `may not use the schema public`, serve: serveWarns},
		{plant: `create database polish owner dg_owner template template0
			locale_provider icu icu_locale 'pl' encoding 'UTF8'`, args: both("polish"), says: `has the collation pl: rename it`, serve: serveWarns},
		{plant: `create database latin owner dg_owner template template0 locale 'C' encoding 'LATIN1'`,
			args: both("latin"), says: `has the encoding LATIN1: rename it`, serve: serveStops},
		{plant: `create database other owner dg_owner`, args: set("--migrate-database-url",
			at(x.OwnerURL, "other")), says: `DG_MIGRATE_DATABASE_URL leads to database other`, serve: serveStops},
		flagFault(serveStops, `refuses the connection.*database "gone" does not exist`, "--database-url",
			at(x.URL, "gone")),
	}
}

func faultsOfSettings(x *apptest.External) []fault {
	const unreachable = "postgres://dg_app:hunter2@127.0.0.1:1/dg"
	const twoAts = "postgres://dg_app:p@$$hunter2@127.0.0.1:1/dg"
	key := set("--secret-key", firstSecretKey)
	return []fault{
		flagFault(serveStops, `the serving role is a superuser`, "--database-url", x.As(url.User("postgres"))),
		flagFault(serveStops, `the serving role owns \d+ tables`, "--database-url", x.OwnerURL),
		flagFault(serveWarns, `one role migrates and serves`, "--database-url", x.OwnerURL, "--migrate-database-url",
			""),
		flagFault(serveStops, `may not create tables`, "--migrate-database-url", x.URL),
		flagFault(serveStops, `the role that migrates may not create tables`, "--migrate-database-url", ""),
		flagFault(serveStops, `DG_DATABASE_URL: the database does not answer`, "--database-url", unreachable),
		flagFault(serveStops, `DG_MIGRATE_DATABASE_URL: the database does not answer`, "--migrate-database-url",
			unreachable),
		flagFault(serveStops, `DG_DATABASE_URL: the database URL cannot be read`, "--database-url", twoAts),
		flagFault(serveStops, `replica 1: the database URL cannot be read`, "--database-replica-urls", twoAts),
		flagFault(serveWarns, `two-step secrets are stored in clear`, "--base-url", "https://dg.example",
			"--trusted-proxies", "10.0.0.1/32"),
		variable(serveWarns, `DG_TRUSTED_PROXY is not a setting`, "DG_TRUSTED_PROXY=10.0.0.1/32"),
		variable(serveStops, `DG_SHUTDOWN_DELAY is 40s: set it to 0s to 30s`, "DG_SHUTDOWN_DELAY=40s"),
		variable(serveStops, `DG_BASE_URL is not scheme, host and port`, "DG_BASE_URL=http://dg.example"),
		flagFault(serveStops, `set DG_BASE_URL to its public https address`, "--addr", "0.0.0.0:0"),
		variable(serveStops, `any client can name any address`, "DG_TRUSTED_PROXIES=0.0.0.0/0"),
		variable(serveStops, `"10.0.0.1" is not a network: write .*10.0.0.1/32`, "DG_TRUSTED_PROXIES=10.0.0.1"),
		variable(serveStops, `is not a list of at most 8 URLs`, "DG_DATABASE_REPLICA_URLS=standby"),
		variable(serveStops, `must be one of .*"transaction","prepared"`, "DG_DATABASE_POOLER=session"),
		variable(serveStops, `DG_SECRET_KEY`, "DG_SECRET_KEY=short"),
		variable(serveStops, `DG_SECRET_KEY_FILE: open /nowhere: no such file`, "DG_SECRET_KEY_FILE=/nowhere"),
		flagFault(serveStops, `--config: open /nowhere: no such file`, "--config", "/nowhere"),
		variable(serveStops, `must be one of "debug","info","warn","error"`, "DG_LOG_LEVEL=loud"),
		variable(serveStops, `OTEL_TRACES_EXPORTER is "zipkin": set it to otlp or none`,
			"OTEL_TRACES_EXPORTER=zipkin"),
		variable(serveStops, `DG_POOL_REQUESTS is 0: set it to 4 or more`, "DG_POOL_REQUESTS=0"),
		flagFault(serveStops, `cannot listen on DG_ADDR 192.0.2.1:8080`, "--addr", "192.0.2.1:8080", "--base-url",
			"https://dg.example"),
		flagFault(serveStops, `cannot listen on DG_OPS_ADDR 127.0.0.1:8099: .*address already in use`, "--addr",
			"127.0.0.1:8099", "--ops-addr", "127.0.0.1:8099"),
		// This start records the key, which all later commands need.
		{args: set("--base-url", "https://dg.example", "--secret-key", firstSecretKey),
			says: `no proxy is trusted`, fixed: key, serve: serveWarns},
		{says: `encrypted with another key: set DG_SECRET_KEY to that key`, fixed: key, serve: serveStops},
		{args: set("--secret-key", secondSecretKey), fixed: key,
			says: `encrypted with another key: set DG_SECRET_KEY to that key`, serve: serveStops},
	}
}

// backup.md: dg doctor and dg serve report faults of the embedded server's folder and programs.
// They create nothing.
func TestDoctorAndServeFindFaultsOfTheFolder(t *testing.T) {
	t.Parallel()
	base := apptest.NewFolder(t)
	require.NoError(t, os.MkdirAll(base, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(base, "file"), nil, 0o600))
	for _, f := range []fault{
		flagFault(serveStops, `an earlier build \(file\)`, "--data-dir", base),
		{args: set("--data-dir", base+"/new"), env: set("PG_BIN=" + base),
			says: `dg needs PostgreSQL 15 or later`, serve: serveStops},
	} {
		f.check(t, nil)
		require.NoDirExists(t, base+"/new")
	}
	// Without a database, dg doctor suggests --config, because a service may have other settings.
	c := apptest.Launch(t, "doctor", "--data-dir", base+"/new")
	require.NotZero(t, c.Status(time.Minute))
	require.Regexp(t, `ok +folder\nfailure +database +there is no database in .*/new, .* --config`, c.Out.String())
	require.NoDirExists(t, base+"/new")

	broken := apptest.NewFolder(t)
	apptest.ServeOn(t, broken).Stop()
	conf, err := filepath.Glob(broken + "/*/postgresql.conf")
	require.NoError(t, err)
	require.Len(t, conf, 1)
	require.NoError(t, os.WriteFile(conf[0], []byte("no setting\n"), 0o600))
	c = apptest.Launch(t, "doctor", "--data-dir", broken)
	require.NotZero(t, c.Status(time.Minute))
	require.Regexp(t, `(?s)^ok +settings\n.*\nfailure +database .*parameter "no"`, c.Out.String())
}
