package postgres_test

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"dg/platform/postgres"
	"dg/platform/postgres/tenant"
	"dg/platform/testkit"
	"dg/platform/testkit/pgtest"
	"dg/platform/testkit/tb"
)

const (
	superuser   = "postgres"
	ownerRole   = "dg_owner"
	servingRole = "dg_app"
)

// newDatabase creates an empty database. It returns the URLs of the serving role and the owner.
func newDatabase(t *testing.T) (serving, owner string) {
	t.Parallel()
	db := pgtest.NewEmpty(t)
	return db.URL, db.OwnerURL
}

func openDB(t *testing.T, options postgres.Options) *postgres.DB {
	serving, _ := newDatabase(t)
	return pgtest.Open(t, serving, options)
}

type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func readSettings(t *testing.T, q querier, column string, names iter.Seq[string]) (settings map[string]string) {
	require.NoError(t, q.QueryRow(t.Context(), `select json_object_agg(name,
		`+column+`) from pg_settings where name = any($1)`, slices.Collect(names)).Scan(&settings))
	return settings
}

// A URL cannot turn off timeouts, change the isolation level or set other values that dg sets.
func TestSessionSettingsOverrideTheURL(t *testing.T) {
	serving, _ := newDatabase(t)
	hostileURL := serving + "&timezone=Asia/Tokyo&client_encoding=LATIN1&default_transaction_isolation=serializable" +
		"&statement_timeout=0&jit=on&search_path=app&standard_conforming_strings=off"
	db := pgtest.Open(t, hostileURL, postgres.Options{Name: "reads", LockTimeout: 3 * time.Second})
	want := map[string]string{
		"application_name": "reads", "TimeZone": "UTC", "client_encoding": "UTF8", "jit": "off", "lock_timeout": "3s",
		"search_path": "public", "default_transaction_isolation": "read committed",
		"idle_in_transaction_session_timeout": "10s", "statement_timeout": "30s", // defaults of dg
	}
	require.Equal(t, want, readSettings(t, db.Pool, "current_setting(name)", maps.Keys(want)))
	importPool := pgtest.Open(t, serving, postgres.Options{StatementTimeout: -1}).Pool
	require.Equal(t, "0", readSettings(t, importPool, "setting", maps.Keys(want))["statement_timeout"])
	// over a Unix socket the current TCP settings read as 0, but reset_val has the requested values
	want = map[string]string{"tcp_keepalives_idle": "15", "tcp_keepalives_interval": "5", "tcp_keepalives_count": "3",
		"tcp_user_timeout": "30000", "client_connection_check_interval": "5000"}
	require.Equal(t, want, readSettings(t, db.Pool, "reset_val", maps.Keys(want)))
}

// pgx and gorm return instants in UTC. By default pgx would return them in the machine's time zone.
func TestTimesAreReadAsUTC(t *testing.T) {
	db := openDB(t, postgres.Options{})
	var byPgx, byGorm time.Time
	require.NoError(t, db.Pool.QueryRow(t.Context(), `select '2026-03-01 09:30+02'::timestamptz`).Scan(&byPgx))
	require.NoError(t, db.Gorm.Scopes(onNoTable).Raw(`select '2026-03-01 09:30+02'::timestamptz`).Scan(&byGorm).Error)
	want := time.Date(2026, 3, 1, 7, 30, 0, 0, time.UTC)
	require.Equal(t, []time.Time{want, want}, []time.Time{byPgx, byGorm})
}

var onNoTable = tenant.Across("on no organisation's table")

// No error shows the password of the URL, even if the URL is malformed.
func TestNoErrorShowsThePassword(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"postgres://dg:topsecret@localhost:port/dg", "postgres://dg:top%secret@localhost/dg",
		"postgres://dg:topsecret/x@localhost/dg", "postgres://dg:topsecret@localhost:1/dg?sslmode=perhaps",
		"host=localhost password=topsecret sslmode=perhaps", "postgres://dg:topsecret@localhost:1/dg",
		"postgres://dg:topsecret@[::1/dg", "postgres://dg:Superp@$$secret@localhost:1/dg",
		"postgres://dg:p@secret/x@localhost:1/dg", "postgres://localhost:1/secret@localhost/dg",
		"postgres://dg:p@secret?x=1@localhost:1/dg", "postgres://dg:p?x@secret@localhost:1/dg",
		"postgres://dg:p/x?y@secret@localhost:1/dg", "topsecret",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		_, openErr := postgres.Open(ctx, url, postgres.Options{})
		cancel()
		_, roleErr := postgres.RoleOf(url) // nil if the URL parses: RoleOf does not connect
		migrateErr := postgres.Migrate(t.Context(), url, testSchema, "x", nil)
		require.Error(t, openErr, url)
		require.Error(t, migrateErr, url)
		require.NotContains(t, fmt.Sprintf("%+v %+v %+v", openErr, roleErr, migrateErr), "secret")
	}
}

// If the server ends the connection within a result, pgx and gorm return an unavailable error.
func TestTerminatedConnectionIsUnavailable(t *testing.T) {
	db := openDB(t, postgres.Options{MaxConns: 1})
	const terminateSQL = `select n, case when n = 5000 then pg_terminate_backend(pg_backend_pid()) end
		from generate_series(1, 10000) n`
	rows, _ := db.Pool.Query(t.Context(), terminateSQL)
	for rows.Next() {
	}
	require.True(t, postgres.IsUnavailable(rows.Err()), "%v", rows.Err())
	require.NoError(t, db.Pool.Ping(t.Context()))
	err := db.Gorm.Scopes(onNoTable).Raw(terminateSQL).Scan(&[]map[string]any{}).Error
	require.True(t, postgres.IsUnavailable(err), "%v", err)
	batch := &pgx.Batch{}
	batch.Queue(`select 1`)
	batch.Queue(terminateSQL)
	err = db.Pool.SendBatch(t.Context(), batch).Close()
	require.True(t, postgres.IsUnavailable(err), "%v", err)
}

// A position covers visible, unflushed commits, whatever the reader's synchronous_commit, and has the timeline.
func TestPositionCoversUnflushedCommits(t *testing.T) {
	url, _ := newDatabase(t)
	for _, reader := range []string{"on", "off"} {
		require.NoError(t, tb.Exec(t, url+"&synchronous_commit=off", `create temporary table t ()`))
		before := tb.Query[uint64](t, url, `select (pg_current_wal_insert_lsn() - '0/0')::bigint`)
		position := tb.Query[postgres.Position](t, url+"&synchronous_commit="+reader, `select `+postgres.PositionExpression)
		require.GreaterOrEqual(t, position.LSN, before)
		require.Equal(t, uint32(1), position.Timeline)
	}
	require.Zero(t, tb.Query[postgres.Position](t, url, `select null::text`))
}

// A connection to a standby, which refuses writes, is closed. A new connection may reach the primary.
func TestConnectionToStandbyIsClosed(t *testing.T) {
	db := openDB(t, postgres.Options{MaxConns: 1})
	conn := tb.Must(db.Pool.Acquire(t.Context()))(t)
	defer conn.Release()
	_, err := conn.Exec(t.Context(), `begin read only; create temporary sequence s`)
	if err == nil { // read-only transactions may create temporary sequences
		_, err = conn.Exec(t.Context(), `select setval('s', 1); create table t (id int)`)
	}
	require.ErrorContains(t, err, "25006")
	require.True(t, postgres.IsUnavailable(err))
	require.True(t, conn.Conn().IsClosed())
	require.False(t, postgres.HadNoEffect(err), "a repetition on the same standby is in vain")
	_, err = conn.Exec(t.Context(), `select 1`)
	require.True(t, postgres.HadNoEffect(err), "nothing was sent: %v", err)
	_, err = postgres.Open(t.Context(), "postgres://dg@localhost:1/dg", postgres.Options{})
	require.True(t, postgres.HadNoEffect(err), "the server restarts: %v", err)
}

type fruit struct{ Name string }

func (fruit) TableName() string { return "fruit" }

// Prepared statements survive a newer program's new column (doc.go, Migrations). A new type closes the connection.
func TestStatementsOutliveANewColumn(t *testing.T) {
	owner := pgtest.New(t).Owner
	tb.Must(owner.Pool.Exec(t.Context(), `create table fruit (name text)`))(t)
	require.ErrorContains(t, owner.Gorm.WithContext(t.Context()).Connection(func(db *gorm.DB) error {
		db = db.Session(&gorm.Session{NewDB: true}) // keeps no error
		for _, change := range []string{`add colour text`, `add taste text`, `alter name type varchar`} {
			require.NoError(t, db.Find(&[]fruit{}).Error)
			tb.Must(owner.Pool.Exec(t.Context(), `alter table fruit `+change))(t)
		}
		require.True(t, postgres.IsUnavailable(db.Find(&[]fruit{}).Error))
		return db.Find(&[]fruit{}).Error
	}), "bad connection")
}

type playerGroup struct{ ID, OrgID, Name string }

func (playerGroup) TableName() string { return "player_groups" }

// A statement's tag names its caller in the server's log.
func TestStatementsBeginWithTheirTag(t *testing.T) {
	db := pgtest.New(t).Owner.Gorm.Session(&gorm.Session{DryRun: true, Context: t.Context()})
	const acme = "00000000-0000-4000-8000-00000000000a"
	scoped := func() *gorm.DB { return db.Scopes(postgres.Tag("org.groups"), tenant.Scope(acme)) }
	row := playerGroup{OrgID: acme}
	for prefix, result := range map[string]*gorm.DB{
		`/* org.groups */ SELECT "player_groups"."id",`:  scoped().Find(&[]playerGroup{}),
		`/* org.groups */ SELECT "name" FROM`:            scoped().Model(&row).Select("name").Find(&[]string{}),
		`/* org.groups */ SELECT count(*) FROM`:          scoped().Model(&row).Count(new(int64)),
		`/* org.groups */ UPDATE "player_groups" SET`:    scoped().Model(&row).Update("name", "x"),
		`/* org.groups */ DELETE FROM "player_groups"`:   scoped().Delete(&playerGroup{}),
		`/* org.groups */ INSERT INTO "player_groups" (`: scoped().Create(&row),
	} {
		require.NoError(t, result.Error)
		require.Regexp(t, "^"+regexp.QuoteMeta(prefix), result.Statement.SQL.String())
	}
}

// A wait for a lock is logged and bounded. After it, the transaction has its own lock_timeout again.
func TestLockWaitIsLoggedAndBounded(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	log := &tb.Buffer{}
	await := func(timeout time.Duration) error {
		tx := tb.Must(db.Owner.Pool.Begin(t.Context()))(t)
		defer func() { _ = tx.Rollback(t.Context()) }() // frees the connection: the pool is small
		return postgres.AwaitLock(t.Context(), log.Logger(), "import", timeout, tx)
	}
	holder := tb.Must(db.Owner.Pool.Begin(t.Context()))(t)
	require.NoError(t, postgres.AwaitLock(t.Context(), log.Logger(), "import", 0, holder))
	require.ErrorIs(t, await(0), postgres.ErrLocked)
	require.Empty(t, log.String())
	require.ErrorIs(t, await(time.Millisecond), postgres.ErrLocked)
	require.Contains(t, log.String(), "another process holds the import lock: waiting")
	waiter := tb.Must(db.Owner.Pool.Begin(t.Context()))(t)
	tb.Must(waiter.Exec(t.Context(), `set local lock_timeout = 0`))(t)
	acquired := make(chan error)
	go func() { acquired <- postgres.AwaitLock(t.Context(), log.Logger(), "import", time.Minute, waiter) }()
	waits := func() (yes bool) {
		_ = db.DB.Pool.QueryRow(t.Context(), `select true from pg_locks where not granted and locktype = 'advisory'
			and database = (select oid from pg_database where datname = current_database())`).Scan(&yes)
		return yes
	}
	require.Eventually(t, waits, time.Minute, time.Millisecond)
	require.NoError(t, holder.Rollback(t.Context()))
	require.NoError(t, <-acquired)
	var lockTimeout string
	require.NoError(t, waiter.QueryRow(t.Context(), `show lock_timeout`).Scan(&lockTimeout))
	require.Equal(t, "0", lockTimeout)
}

// startBouncer starts PgBouncer. viaBouncer turns a direct URL into one through PgBouncer.
func startBouncer(t *testing.T, lines ...string) (viaBouncer func(string) string, serving, owner string) {
	db := pgtest.NewEmpty(t)
	return pgtest.StartBouncer(t, db.URL, lines...), db.URL, db.OwnerURL
}

// With the settings of roles.sh, sessions behind a transaction pooler have the limits of direct sessions.
func TestBoundsHoldThroughPooler(t *testing.T) {
	t.Parallel()
	viaBouncer, direct, _ := startBouncer(t)
	pgtest.SetRoleDefaults(t, direct)
	modes := []string{"transaction", "prepared"}
	if !pgtest.BouncerKeepsStatements(t) {
		modes = modes[:1]
	}
	for _, mode := range modes {
		db := pgtest.Open(t, postgres.ThroughPooler(viaBouncer(direct), mode),
			postgres.Options{Name: "dg reads", MaxConns: 8})
		holder := tb.Must(db.Pool.Begin(t.Context()))(t) // forces the next statement into another session
		want := readSettings(t, pgtest.Open(t, direct, postgres.Options{}).Pool, "setting", slices.Values([]string{
			"TimeZone", "jit", "search_path", "default_transaction_isolation", "statement_timeout", "lock_timeout",
			"idle_in_transaction_session_timeout", "client_connection_check_interval"}))
		for name, q := range map[string]querier{"a pool": db.Pool, "a transaction": holder} {
			require.Equal(t, want, readSettings(t, q, "setting", maps.Keys(want)), name)
		}
		testkit.Concurrently(4, func(int) {
			for i := range 50 {
				var got int
				var prepared bool
				assert.NoError(t, db.Pool.QueryRow(t.Context(),
					`select $1::int + 1, exists (select from pg_prepared_statements)`, i).Scan(&got, &prepared))
				assert.Equal(t, i+1, got)
				assert.Equal(t, mode == "prepared", prepared)
			}
		})
		tb.Must(holder.Exec(t.Context(), `select pg_advisory_xact_lock(99)`))(t)
		require.ErrorContains(t, tb.ErrorOf(db.Pool.Exec(t.Context(), `select pg_advisory_xact_lock(99)`)), "55P03")
		require.NoError(t, holder.Rollback(t.Context()))
	}
}

// Open refuses a pooler that drops dg's settings. Migrate refuses every pooler. The error names the setting to change.
func TestPoolerThatDropsSettingsIsRefused(t *testing.T) {
	t.Parallel()
	refusing, direct, owner := startBouncer(t)
	dropping, _, _ := startBouncer(t, pgtest.BouncerIgnoresSettings)
	urlWithoutDefaults := pgtest.NewEmpty(t).URL
	var sessionErr *postgres.SessionError
	for url, fix := range map[string]string{
		dropping(urlWithoutDefaults):                                        "DG_DATABASE_POOLER",
		postgres.ThroughPooler(refusing(urlWithoutDefaults), "transaction"): "roles.sh",
		postgres.ThroughPooler(refusing(urlWithoutDefaults), "prepared"):    "roles.sh",
	} {
		require.ErrorAs(t, tb.ErrorOf(postgres.Open(t.Context(), url, postgres.Options{MaxConns: 1})), &sessionErr)
		require.Contains(t, sessionErr.Fix, fix)
		require.Contains(t, sessionErr.Problem, "idle_in_transaction_session_timeout is 0")
	}
	_, err := postgres.Open(t.Context(), refusing(direct), postgres.Options{MaxConns: 1})
	require.ErrorContains(t, err, "unsupported startup parameter")
	pgtest.SetRoleDefaults(t, direct)
	// a URL may name a pooler mode and still lead to PostgreSQL itself
	pgtest.Open(t, postgres.ThroughPooler(direct, "transaction"), postgres.Options{MaxConns: 1})
	if tb.Query[bool](t, direct, `select current_setting('server_version_num')::int >= 170000`) {
		url := postgres.ThroughPooler(direct+"&transaction_timeout=9s", "prepared")
		_, err = postgres.Open(t.Context(), url, postgres.Options{})
		require.ErrorContains(t, err, "transaction_timeout is 9000")
	}
	for _, url := range []string{postgres.ThroughPooler(refusing(owner), "transaction"), dropping(owner)} {
		require.ErrorAs(t, postgres.Migrate(t.Context(), url, testSchema, servingRole, nil), &sessionErr)
		require.Contains(t, sessionErr.Fix, "DG_MIGRATE_DATABASE_URL")
	}
}

// A session pooler works without the pooler parameter if the role has the settings.
func TestPoolerInSessionModeWorks(t *testing.T) {
	t.Parallel()
	viaBouncer, direct, _ := startBouncer(t, pgtest.BouncerIgnoresSettings, "pool_mode = session")
	pgtest.SetRoleDefaults(t, direct)
	require.NoError(t, pgtest.Open(t, viaBouncer(direct), postgres.Options{MaxConns: 2}).Pool.Ping(t.Context()))
}

// standbySQL makes the server look like a standby to sessions whose search_path begins with standby.
const standbySQL = `create schema standby;
	create table standby.replayed as select 'FFFFFF/0'::pg_lsn as lsn;
	create function standby.pg_is_in_recovery() returns boolean return true;
	create function standby.pg_last_wal_receive_lsn() returns pg_lsn return 'FFFFFF/0'::pg_lsn;
	create function standby.pg_last_wal_replay_lsn() returns pg_lsn return (select lsn from standby.replayed)`

// A replica that lags is left out, unless the primary was too busy to flush the needed records.
func TestBusyPrimaryKeepsTheReplicaInUse(t *testing.T) {
	_, url := newDatabase(t)
	require.NoError(t, tb.Exec(t, url, standbySQL))
	primary := pgtest.Open(t, url, postgres.Options{MaxConns: 1})
	replicas := tb.Must(postgres.OpenReplicas(t.Context(), []string{url}, primary, postgres.Options{}))(t)
	replica := replicas[0]
	require.True(t, replica.LeftOut(), "before the first check")
	replica.DB.Close()
	config := tb.Must(pgxpool.ParseConfig(url))(t)
	config.ConnConfig.RuntimeParams["search_path"] = "standby, pg_catalog"
	pool := tb.Must(pgxpool.NewWithConfig(t.Context(), config))(t)
	t.Cleanup(pool.Close)
	replica.DB = &postgres.DB{Pool: pool}
	primary.UseReplicas(replicas, primary)

	setReplayed := func(lsn string) {
		require.NoError(t, tb.Exec(t, url, `update standby.replayed set lsn = '`+lsn+`'`))
	}
	requireNotAcquired := func() {
		conn := primary.AcquireReplica(t.Context(), postgres.Position{Timeline: 1, LSN: 2})
		if conn != nil {
			conn.Release() // pool.Close waits for it
		}
		require.Nil(t, conn)
	}
	attempts := 20
	for leftOut := true; leftOut; leftOut = replica.LeftOut() { // on a busy machine the replica itself may be too slow
		require.Positive(t, attempts)
		attempts--
		setReplayed("FFFFFF/0")
		waitUntilUsed(t, replica, primary)
		setReplayed("0/1")
		conn := tb.Must(primary.Pool.Acquire(t.Context()))(t)
		requireNotAcquired()
		conn.Release()
	}
	for ; !replica.LeftOut(); attempts-- { // on a busy machine the primary may be too slow
		require.Positive(t, attempts)
		requireNotAcquired()
	}
}

func waitUntilUsed(t *testing.T, replica *postgres.Replica, primary *postgres.DB) {
	watchCtx, cancel := context.WithCancel(t.Context())
	var watcher sync.WaitGroup
	watcher.Go(func() { primary.WatchReplicas(watchCtx) })
	require.Eventually(t, func() bool { return !replica.LeftOut() }, 10*time.Second, time.Millisecond)
	cancel()
	watcher.Wait()
}
