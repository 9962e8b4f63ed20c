package system

import (
	"io"
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
	"dg/platform/testkit/pgtest"
	"dg/platform/testkit/tb"
)

// fault is an operator's mistake. dg doctor and dg serve report it in the same words.
type fault struct {
	plantSQL, repairSQL string   // SQL of a superuser; without repairSQL, the SQL of dg doctor's advice repairs
	args                []string // settings that cause the fault
	env                 []string
	repairArgs          []string // settings of the repair
	reportPattern       string
	serve               reaction
}

type reaction string // how dg serve reacts to a fault

const (
	serveStops    reaction = "stops" // dg doctor exits with 1
	serveWarns    reaction = "warns"
	serveMigrates reaction = "repairs" // its migration repairs the fault; dg doctor does not migrate
)

var adviceSQLPattern = regexp.MustCompile(`run as [^:]+: (.+)`)

// requireReports requires that dg doctor and dg serve report the fault. It returns the line that dg doctor prints.
func (f fault) requireReports(t *testing.T, args []string) (advice string) {
	run := func(command string) *apptest.Child {
		return apptest.LaunchWith(t, func(c *exec.Cmd) { c.Env = append(c.Env, f.env...) },
			slices.Concat([]string{command}, args, f.args)...)
	}
	doctor := run("doctor")
	status := doctor.ExitStatus(time.Minute)
	output := doctor.Out.String() + doctor.Log.String()
	require.Regexp(t, f.reportPattern, output)
	serve := run("serve")
	if f.serve == serveStops {
		require.NotZero(t, status, output)
		require.NotZero(t, serve.ExitStatus(time.Minute))
	} else {
		require.Regexp(t, `(?m)^(warning|failure)`, output)
		require.Equal(t, f.serve == serveMigrates || strings.Contains(output, "no schema yet"), status != 0, output)
		serve.AwaitServing().Stop()
	}
	if f.serve != serveMigrates {
		require.Regexp(t, f.reportPattern, serve.Log.String(), "dg serve")
	}
	require.NotContains(t, output+serve.Log.String()+serve.Out.String(), "hunter2")
	return regexp.MustCompile(`.*` + f.reportPattern + `.*`).FindString(output)
}

// dg doctor and dg serve report the same faults. dg doctor changes nothing.
func TestDoctorAndServeFindFaults(t *testing.T) {
	t.Parallel()
	pg := apptest.NewExternalServer(t)
	doctor := func(pattern string, args ...string) (status int) {
		status, out := runDoctor(pg, args...)
		require.Regexp(t, pattern, out)
		return status
	}
	require.NotZero(t, doctor(`failure +schema .* the database has no schema yet`))
	require.Zero(t, pg.CountRows(`pg_tables where schemaname = 'public'`), "doctor changes nothing")
	pg.RequireSuccess("migrate")
	listener := tb.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer listener.Close()
	addr := listener.Addr().String()
	require.NotZero(t, doctor(`failure +address +cannot listen on DG_ADDR `+addr+`: .*in use`, "--addr", addr))
	served := pg.Serve()
	servingFlags := []string{"--secret-key", firstSecretKey, "--ops-addr", served.OpsAddress, "--addr",
		strings.TrimPrefix(served.ListenURL, "http://")}
	pg.Exec(`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'dg %';
		set role dg_owner; create table other_program (); alter table other_program enable row level security; reset role`)
	require.Eventually(t, func() bool { // /readyz caches its result for a second
		_, out := runDoctor(pg, append(servingFlags, "--database-url", pg.URL+"&quote_all_identifiers=on")...)
		return regexp.MustCompile(`^(ok +\S+\n)+$`).MatchString(out)
	}, 20*time.Second, time.Millisecond, "an idle dg connects again")
	pg.Exec(`create database elsewhere owner dg_owner`)
	elsewhere := slices.Concat(servingFlags, databaseFlags(pg, "elsewhere"))
	pgtest.SetRoleDefaults(t, elsewhere[len(servingFlags)+1])
	require.NoError(t, tb.Exec(t, tb.AsRole(elsewhere[len(servingFlags)+1], "postgres"), `create table sessions ()`))
	require.NotZero(t, doctor(`(?s)warning +database .* at DG_ADDR, but none uses this database.*no schema`, elsewhere...))
	require.NotZero(t, doctor(`ok +database\n`, append(elsewhere, "--database-pooler", "transaction")...))
	served.Stop()
	for _, flag := range []string{"--addr", "--ops-addr"} {
		require.Regexp(t, addr+`: .*in use: unless a dg serve is starting there, set DG_`,
			apptest.RequireExit(t, 1, pg.WithFlags("serve", flag, addr)))
	}
	all := slices.Concat(faultsOfDatabases(pg), faultsOfRights(), faultsOfURLs(t, pg), faultsOfSettings(pg))
	for _, f := range all {
		t.Run(f.reportPattern, func(t *testing.T) {
			pg.Exec(f.plantSQL)
			advice := f.requireReports(t, pg.Flags())
			if sql := adviceSQLPattern.FindStringSubmatch(advice); f.plantSQL != "" && f.repairSQL == "" && sql != nil {
				f.repairSQL = sql[1]
			}
			pg.Exec(f.repairSQL)
			status, out := runDoctor(pg, f.repairArgs...)
			require.Zero(t, status, "%s is repaired: %s", advice, out)
			require.NotRegexp(t, f.reportPattern, out)
		})
	}
}

// faultsOfRights returns faults of rights and of the schema, and refused connections.
func faultsOfRights() []fault {
	const member = `member of dg_owner, which may change the audit log: give DG_DATABASE_URL .*revoke dg_owner from dg_app`
	return []fault{
		sqlFault(serveStops, `alter role dg_app noinherit; grant dg_owner to dg_app`, member),
		sqlFault(serveStops, `create role steward; grant dg_owner to steward with admin option; set role steward;
			grant dg_owner to dg_app; reset role`, member), // steward has granted it, and a superuser revokes it
		sqlFault(serveStops, `create role clerk; grant dg_owner to clerk; grant clerk to dg_app`,
			`member of clerk, which may change the audit log`),
		sqlFault(serveStops, `grant pg_write_all_data to dg_app`, `member of pg_write_all_data`),
		sqlFault(serveStops, `alter role dg_app createrole`, `may create roles.* or its creator`),
		sqlFault(serveStops, `alter database dg owner to dg_app`, `alter database dg owner to dg_owner`),
		sqlFault(serveStops, `alter schema public owner to dg_app`, `alter schema public owner to pg_database_owner`),
		sqlFault(serveStops, `grant create on schema public to public`, `revoke create on schema public from public`),
		sqlFault(serveStops, `create role maker; grant create on schema public to maker; grant maker to dg_app;
			grant create on database dg to dg_app`,
			`revoke create on database dg from dg_app; revoke create on schema public from maker`),
		// Without a safe search_path, dg doctor would call this function.
		repairedFault(serveStops, `grant create on schema public to dg_app; set role dg_app;
			create function public.format(text, name, bigint) returns text language sql return 'hijacked';
			reset role; revoke create on schema public from dg_app`,
			`drop function public.format(text, name, bigint)`, `owns function public.format\(`),
		sqlFault(serveMigrates, `grant update (details), delete on audit_entries to dg_app; grant truncate on api_keys to dg_app;
			grant insert (org_id) on memberships to dg_app; grant truncate on plays to dg_app`,
			`may change audit entries, remove audit entries, remove keys, change members, remove plays:`),
		sqlFault(serveMigrates, `grant truncate on audit_entries to dg_app; grant update, delete on api_keys to dg_app;
			grant insert on account_resets, plays to dg_app; grant delete on plays to dg_app`,
			`may empty the audit log, change keys, remove keys, reset accounts, add plays, remove plays:`),
		sqlFault(serveMigrates, `revoke insert on audit_entries from dg_app; revoke update (head) on api_key_windows from dg_app;
			revoke select on forks from dg_app; revoke execute on function lock_membership from dg_app`,
			`may not (execute function lock_membership\(uuid, uuid\)|insert audit_entries|select forks|update api_key_windows|, ){7}:`),
		sqlFault(serveWarns, `grant temporary on database dg to public`, `may create temporary tables.* or the owner`),
		sqlFault(serveWarns, `revoke temporary on database dg from public, dg_owner`, `may not create temporary tables`),
		sqlFault(serveWarns, `grant execute on function lo_create(oid) to public`, `may create large objects`),
		sqlFault(serveStops, `revoke connect on database dg from public`,
			`run as its owner: grant connect on database "dg" to "dg_app"`),
		sqlFault(serveStops, `revoke execute on function pg_control_recovery() from public`,
			`grant execute on function pg_control_recovery to public`),
		sqlFault(serveStops, `alter role dg_app connection limit 0`, `its creator: alter role "dg_app" connection limit -1`),
		repairedFault(serveWarns, `alter role dg_app connection limit 31`, `alter role dg_app connection limit 32`,
			`may open 32 connections, but the connection limit of the role admits 31: raise that, or lower .*opens 20`),
		sqlFault(serveStops, `alter database dg connection limit 0`, `alter database "dg" connection limit -1`),
		sqlFault(serveStops, `update pg_database set datallowconn = false where datname = 'dg'`,
			`its owner: alter database "dg" allow_connections true`),
		sqlFault(serveWarns, `alter role dg_owner valid until 'tomorrow'`, `password of dg_owner ends .* alter role dg_owner valid`),
		sqlFault(serveStops, `alter role dg_app nologin`, `alter role "dg_app" login`),
		sqlFault(serveStops, `do $$ begin execute (select string_agg(format('alter table %I owner to postgres', tablename),
			';') from pg_tables where schemaname = 'public'); end $$; alter function lock_membership owner to postgres`,
			`alter table plays owner to dg_owner; .*alter function lock_membership\(uuid,uuid\) owner to dg_owner`),
		sqlFault(serveStops, `alter table plays owner to postgres`, `restored them: alter table plays owner to dg_owner`),
		sqlFault(serveStops, `alter table audit_entries enable row level security; create policy a on audit_entries
			for select to dg_app using (true); alter table plays enable row level security, force row level security;
			create policy a on plays to dg_app using (true)`, `may hide or refuse rows of (audit_entries|, |plays){3}: drop`),
		sqlFault(serveStops, `do $$ begin execute (select string_agg(format('alter table %I enable row level security',
			tablename), ';') from pg_tables where schemaname = 'public'); end $$; create policy x on forks to dg_owner using (true)`,
			`refuse rows of .*as the owner of the tables: .*create policy dg_app on forks to dg_app, dg_owner using \(true\)`),
		repairedFault(serveStops, `alter database dg set session_replication_role = replica`,
			`alter database dg reset session_replication_role`, `DG_DATABASE_URL: .*role is replica\): .* RECONNECT a pooler`),
		repairedFault(serveStops, `alter role dg_owner set session_replication_role = replica`,
			`alter role dg_owner reset session_replication_role`, `role is replica\): reset it`),
		repairedFault(serveWarns, `insert into dg_schema_versions (version_id, is_applied) values (99, true)`,
			`delete from dg_schema_versions where version_id = 99`, `newer .*than this program`),
		sqlFault(serveWarns, `drop index plays_period`, `create index concurrently plays_period on plays`),
		sqlFault(serveWarns, `update pg_index set indisvalid = false where indexrelid = 'forks_list'::regclass`,
			`reindex index concurrently forks_list`),
		sqlFault(serveStops, `alter table plays disable trigger unseal_insert`,
			`alter table plays enable always trigger unseal_insert`),
		sqlFault(serveStops, `alter table players enable trigger player_version`,
			`alter table players enable always trigger player_version`),
		sqlFault(serveStops, `do $$ begin execute (select string_agg(format('alter table players disable trigger %I', tgname), ';')
			from pg_trigger where tgisinternal and tgrelid = 'players'::regclass); end $$`, `erased players keep their plays`),
	}
}

// dg doctor's advice restores each key and trigger exactly, and repairs the data that they maintain.
func TestAdviceRestoresKeysAndTriggers(t *testing.T) {
	t.Parallel()
	pg := apptest.NewExternalServer(t)
	pg.RequireSuccess("migrate")
	pg.Exec(`create view objects as
		select format('drop trigger %I on %s', tgname, tgrelid::regclass) as removal,
		  pg_get_triggerdef(oid) || tgenabled::text as definition from pg_trigger where not tgisinternal
		union all select format('alter table %s drop constraint if exists %I cascade', conrelid::regclass, conname),
		  pg_get_constraintdef(oid) from pg_constraint where connamespace = 'public'::regnamespace and conparentid = 0
		  and conrelid not in (0, 'dg_schema_versions'::regclass) and contype in ('p', 'u', 'f')`)
	pg.Exec(`create table former as table objects`)
	pg.Exec(`do $$ declare o record; begin for o in table former loop execute o.removal; end loop; end $$`)
	pg.Exec(`alter table games add constraint games_pkey unique (id)`)
	pg.Exec(`insert into recovery_codes values (gen_random_uuid(), sha256('of nobody'))`)
	_, output := runDoctor(pg)
	for _, advice := range adviceSQLPattern.FindAllStringSubmatch(output, -1) {
		pg.Exec(advice[1])
	}
	require.Zero(t, pg.CountRows(`former f full join objects o using (removal, definition)
		where f.removal is null or o.removal is null`), output)
	require.Zero(t, pg.CountRows(`recovery_codes`), "an orphan, which the key would have deleted")
	repair, isLast := strings.CutSuffix(regexp.MustCompile(`left it stale: (.+)`).FindStringSubmatch(output)[1],
		"; dg segments rebuild")
	require.True(t, isLast, output)
	pg.Exec(`drop view objects; drop table former; ` + repair)
	pg.RequireSuccess("segments", "rebuild")
	for _, table := range []string{"organisations", "player_ordinals", "sessions", "account_resets", "recovery_codes"} {
		require.Contains(t, repair, " "+table)
	}
}

// faultsOfURLs returns faults of URLs that reach no PostgreSQL server, or that PostgreSQL refuses.
func faultsOfURLs(t *testing.T, pg *apptest.ExternalServer) (faults []fault) {
	listener := tb.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for conn, err := listener.Accept(); err == nil; conn, err = listener.Accept() {
			_, _ = io.ReadFull(conn, make([]byte, 8))
			_, _ = io.WriteString(conn, "N") // refuses TLS
			_ = conn.Close()
		}
	}()
	listenerURL := "postgres://dg_app:hunter2@" + listener.Addr().String() + "/"
	for url, pattern := range map[string]string{
		"postgres://dg_app:hunter2@127.0.0.1:1/dg":     `refused: start PostgreSQL there`,
		"postgres://dg_app:hunter2@nowhere.invalid/dg": `correct the host of the URL`,
		"postgres://dg_app:hunter2@/dg?host=/nowhere":  `correct the folder of its socket`,
		listenerURL:                                            `what answers there is not PostgreSQL`,
		listenerURL + "?sslmode=require":                       `set ssl = on in postgresql.conf, or correct the port; a`,
		pg.URLAs(url.User("nobody")):                           `"nobody" does not exist.*correct the role`,
		pg.URL + "&pgbouncer=true":                             `"pgbouncer".*remove the parameter`,
		pg.URL + "&log_statement=none":                         `remove parameters that "dg_app" may not set`,
		pg.URL + "&work_mem=much":                              `"work_mem": "much".*correct the value`,
		"postgres://dg_app:hunter2@127.0.0.1/dg?sslmode=maybe": `sslmode is invalid`,
	} {
		faults = append(faults, flagFault(serveStops, pattern, "--database-url", url))
	}
	return faults
}

func sqlFault(serve reaction, sql, pattern string) fault {
	return fault{serve: serve, plantSQL: sql, reportPattern: pattern}
}

func repairedFault(serve reaction, plant, repair, pattern string) fault {
	return fault{serve: serve, plantSQL: plant, repairSQL: repair, reportPattern: pattern}
}

func flagFault(serve reaction, pattern string, args ...string) fault {
	return fault{serve: serve, reportPattern: pattern, args: args}
}

func variableFault(serve reaction, pattern, set string) fault {
	return fault{serve: serve, reportPattern: pattern, env: []string{set}}
}

func databaseFlags(pg *apptest.ExternalServer, name string) (flags []string) {
	replacer := strings.NewReplacer("/dg?", "/"+name+"?")
	return []string{"--database-url", replacer.Replace(pg.URL), "--migrate-database-url", replacer.Replace(pg.OwnerURL)}
}

func faultsOfDatabases(pg *apptest.ExternalServer) []fault {
	stranger := []string{"--migrate-database-url", pg.URLAs(url.User("stranger"))}
	return []fault{
		sqlFault(serveStops, `grant delete on audit_entries to public; grant update (score) on plays to public;
			grant select on games to public`, // as other programs may need
			`may remove audit entries, change plays: .*revoke all on (audit_entries|plays|, ){3} from public`),
		sqlFault(serveWarns, `alter table plays set unlogged; alter table group_members set unlogged; alter table players set unlogged`,
			`a crash of PostgreSQL empties .* alter table plays set logged`),
		repairedFault(serveStops, `alter table games rename to forgotten`, `alter table forgotten rename to games`,
			`(relation "games" does not|lacks games: give)`),
		repairedFault(serveStops, `alter schema public owner to postgres; revoke usage on schema public from dg_app, public`,
			`alter schema public owner to pg_database_owner; grant usage on schema public to public`,
			`run as a superuser .*: grant usage on schema public to dg_app`),
		repairedFault(serveStops, `create table goose_db_version ()`, `drop table goose_db_version`,
			`this database is of an earlier build of dg`),
		repairedFault(serveStops, `alter role dg_owner nologin`, `alter role dg_owner login`,
			`DG_MIGRATE_DATABASE_URL: .*"dg_owner" is not permitted`),
		{plantSQL: `create role stranger login`, args: stranger,
			reportPattern: `the role that migrates may not create tables`, serve: serveStops},
		{plantSQL: `grant create on schema public to stranger`, args: stranger,
			reportPattern: `or does not own those of dg`, serve: serveStops},
		repairedFault(serveWarns, `revoke usage on schema public from dg_app, public`,
			`grant usage on schema public to dg_app, public`, `may not use the schema public`),
		{plantSQL: `revoke execute on function pg_walfile_name(pg_lsn) from public`, // as on Aurora
			args: []string{"--database-replica-urls", pg.URL}, serve: serveStops,
			reportPattern: `leave DG_DATABASE_REPLICA_URLS empty: .*grant execute on function pg_walfile_name to public`},
		{plantSQL: `create database polish owner dg_owner template template0
			locale_provider icu icu_locale 'pl' encoding 'UTF8'`, args: databaseFlags(pg, "polish"),
			reportPattern: `has the collation pl: rename it`, serve: serveWarns},
		{plantSQL: `create database latin owner dg_owner template template0 locale 'C' encoding 'LATIN1'`,
			args: databaseFlags(pg, "latin"), reportPattern: `has the encoding LATIN1: rename it`, serve: serveStops},
		{plantSQL: `create database other owner dg_owner`, args: databaseFlags(pg, "other")[2:],
			reportPattern: `DG_MIGRATE_DATABASE_URL leads to database other`, serve: serveStops},
		flagFault(serveStops, `refuses the connection.*database "gone" does not exist`, databaseFlags(pg, "gone")[:2]...),
	}
}

func faultsOfSettings(pg *apptest.ExternalServer) []fault {
	const closed, twoAts = "postgres://dg_app:hunter2@127.0.0.1:1/dg", "postgres://dg_app:p@$$hunter2@127.0.0.1:1/dg"
	const baseURLFlag = "--base-url=https://dg.example"
	key := []string{"--secret-key", firstSecretKey}
	return []fault{
		flagFault(serveStops, `the serving role is a superuser`, "--database-url", pg.URLAs(url.User("postgres"))),
		flagFault(serveStops, `the serving role owns \d+ tables`, "--database-url", pg.OwnerURL),
		flagFault(serveWarns, `one role migrates and serves`, "--database-url", pg.OwnerURL, "--migrate-database-url="),
		{serve: serveStops, plantSQL: `revoke select on forks from dg_owner`, reportPattern: `may not select forks: run as the owner`,
			args: []string{"--database-url", pg.OwnerURL, "--migrate-database-url="}},
		flagFault(serveStops, `may not create tables`, "--migrate-database-url", pg.URL),
		flagFault(serveStops, `the role that migrates may not create tables`, "--migrate-database-url", ""),
		flagFault(serveStops, `DG_DATABASE_URL: .*_attrs admits .*pg_promote`, "--database-url", pg.URL+"&target_session_attrs=standby"),
		flagFault(serveStops, `DG_MIGRATE_DATABASE_URL: the database does not answer`, "--migrate-database-url", closed),
		flagFault(serveStops, `DG_DATABASE_URL: the database URL cannot be read`, "--database-url", twoAts),
		flagFault(serveStops, `replica 1: the database URL cannot be read`, "--database-replica-urls", twoAts),
		flagFault(serveWarns, `two-step secrets are stored in clear`, baseURLFlag, "--trusted-proxies", "10.0.0.1/32"),
		variableFault(serveWarns, `DG_TRUSTED_PROXY is not a setting`, "DG_TRUSTED_PROXY=10.0.0.1/32"),
		variableFault(serveStops, `DG_SHUTDOWN_DELAY is 40s: set it to 0s to 30s`, "DG_SHUTDOWN_DELAY=40s"),
		variableFault(serveStops, `"10.0.0.1" is not a network: write .*10.0.0.1/32`, "DG_TRUSTED_PROXIES=10.0.0.1"),
		variableFault(serveStops, `"::ffff:10.0.0.1/128" is not a network`, "DG_TRUSTED_PROXIES=10.0.0.1/32, ::ffff:10.0.0.1/128"),
		variableFault(serveStops, `must be one of .*"transaction","prepared"`, "DG_DATABASE_POOLER=session"),
		flagFault(serveStops, `--config: open /nowhere: no such file`, "--config", "/nowhere"),
		variableFault(serveStops, `OTEL_TRACES_EXPORTER is "zipkin": set it to otlp or none`, "OTEL_TRACES_EXPORTER=zipkin"),
		flagFault(serveStops, `cannot listen on DG_ADDR 192.0.2.1:8080`, "--addr", "192.0.2.1:8080", baseURLFlag),
		flagFault(serveStops, `cannot listen on DG_OPS_ADDR 127.0.0.1:8099: .*address already in use`, "--addr",
			"127.0.0.1:8099", "--ops-addr", "127.0.0.1:8099"),
		// This start records the key, which all later commands need.
		{args: append(key, baseURLFlag), reportPattern: `no proxy is trusted`, repairArgs: key, serve: serveWarns},
		{reportPattern: `encrypted with another key: set DG_SECRET_KEY to that key`, repairArgs: key, serve: serveStops},
		{args: []string{"--secret-key", secondSecretKey}, repairArgs: key,
			reportPattern: `encrypted with another key: set DG_SECRET_KEY to that key`, serve: serveStops},
	}
}

// dg doctor and dg serve report faults of the embedded server's folder and programs, and create nothing.
func TestDoctorAndServeFindFaultsOfTheFolder(t *testing.T) {
	t.Parallel()
	base := apptest.NewFolder(t)
	require.NoError(t, os.MkdirAll(base, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(base, "file"), nil, 0o600))
	for _, f := range []fault{
		flagFault(serveStops, `an earlier build \(file\)`, "--data-dir", base),
		{args: []string{"--data-dir", base + "/new"}, env: []string{"PG_BIN=" + base},
			reportPattern: `dg needs PostgreSQL 15 or later`, serve: serveStops},
	} {
		f.requireReports(t, nil)
		require.NoDirExists(t, base+"/new")
	}
	// Without a database, dg doctor suggests --config, because a service may have other settings.
	require.Regexp(t, `ok +folder\nfailure +database +there is no database in .*/new, .* --config`,
		apptest.RequireRefusal(t, "", base+"/new", "doctor"))
	require.NoDirExists(t, base+"/new")
	brokenDir := apptest.NewFolder(t)
	apptest.ServeOn(t, brokenDir).Stop()
	conf := tb.Must(filepath.Glob(brokenDir + "/*/postgresql.conf"))(t)
	require.Len(t, conf, 1)
	require.NoError(t, os.WriteFile(conf[0], []byte("no setting\n"), 0o600))
	require.Regexp(t, `(?s)^ok +settings\n.*\nfailure +database .*parameter "no"`,
		apptest.RequireRefusal(t, "", brokenDir, "doctor"))
}
