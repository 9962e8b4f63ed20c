package postgres

import (
	"context"
	"dg/platform/postgres/tenant"
	"dg/platform/testkit/logbook"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"gorm.io/gorm"

	"github.com/stretchr/testify/require"
)

func open(t testing.TB, url string, opts Options) *DB {
	t.Helper()
	db, err := Open(t.Context(), url, opts)
	require.NoError(t, err)
	t.Cleanup(db.Close)
	return db
}

func setting(t *testing.T, pool *pgxpool.Pool, name string) string {
	t.Helper()
	var value string
	require.NoError(t, pool.QueryRow(t.Context(), `select current_setting($1)`, name).Scan(&value))
	return value
}

func TestSessionSettingsOverrideTheURL(t *testing.T) {
	t.Parallel()
	e := sharedServer(t)
	hostile := e.URL() +
		"&timezone=Asia/Tokyo&client_encoding=LATIN1&default_transaction_isolation=serializable" +
		"&statement_timeout=0&jit=on"
	db := open(t, hostile, Options{
		Name:                     "reads",
		LockTimeout:              3 * time.Second,
		IdleInTransactionTimeout: -1,
	})
	for name, want := range map[string]string{
		"application_name":                    "reads",
		"timezone":                            "UTC",
		"client_encoding":                     "UTF8",
		"default_transaction_isolation":       "read committed",
		"jit":                                 "off",
		"statement_timeout":                   "30s", // the default
		"lock_timeout":                        "3s",
		"idle_in_transaction_session_timeout": "0", // asked for
	} {
		if got := setting(t, db.Pool, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// A vanished client's session is noticed by the server: the bounds are the session's whatever the
// server's configuration is. Over a Unix socket those of TCP read as 0, and their reset values as
// what was asked for.
func TestSessionDetectsAVanishedClient(t *testing.T) {
	t.Parallel()
	db := open(t, sharedServer(t).URL(), Options{})
	for name, want := range map[string]string{
		"tcp_keepalives_idle":              "15",
		"tcp_keepalives_interval":          "5",
		"tcp_keepalives_count":             "3",
		"tcp_user_timeout":                 "30000",
		"client_connection_check_interval": "5000",
	} {
		var got string
		require.NoError(t,
			db.Pool.QueryRow(t.Context(), `select reset_val from pg_settings where name = $1`,
				name).
				Scan(&got))
		if got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

// Reports and the sealer read PostgreSQL's binary format.
func TestURLForTextResultsIsRefused(t *testing.T) {
	t.Parallel()
	for mode, taken := range map[string]bool{
		"exec":            false,
		"simple_protocol": false,
		"cache_statement": true,
		"cache_describe":  true,
		"describe_exec":   true,
	} {
		db, err := Open(t.Context(), sharedServer(t).URL()+"&default_query_exec_mode="+mode,
			Options{})
		if taken != (err == nil) {
			t.Errorf("%s: %v", mode, err)
		}
		if err == nil {
			db.Close()
		} else if !strings.Contains(err.Error(), "default_query_exec_mode") {
			t.Errorf("%s: %v", mode, err)
		}
	}
}

func TestTimesAreReadAsUTC(t *testing.T) {
	t.Parallel()
	db := open(t, sharedServer(t).URL(), Options{})
	var direct, byGorm time.Time
	require.NoError(t,
		db.Pool.QueryRow(t.Context(), `select '2026-03-01 09:30+02'::timestamptz`).Scan(&direct))
	require.NoError(t,
		db.Gorm.Scopes(onNoTable).Raw(`select '2026-03-01 09:30+02'::timestamptz`).Scan(&byGorm).
			Error)
	for name, got := range map[string]time.Time{"pgx": direct, "gorm": byGorm} {
		if got.Location() != time.UTC || got.Hour() != 7 {
			t.Errorf("%s reads %v", name, got)
		}
	}
}

// onNoTable is the scope of texts on no table of an organisation.
var onNoTable = tenant.Across("on no organisation's table")

func TestGormAndPgxShareOnePool(t *testing.T) {
	t.Parallel()
	db := open(t, sharedServer(t).URL(), Options{MaxConns: 1})
	tx := db.Gorm.Begin()
	require.NoError(t, tx.Error)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err := db.Pool.Ping(ctx)
	if !Unavailable(err) {
		t.Errorf("a pool without a free connection: %v", err)
	}
	require.NoError(t, tx.Rollback().Error)
	require.NoError(t, db.Pool.Ping(t.Context()))
}

func TestTimeoutsAreUnavailable(t *testing.T) {
	t.Parallel()
	db := open(t, sharedServer(t).URL(), Options{
		StatementTimeout: 50 * time.Millisecond,
		LockTimeout:      20 * time.Millisecond,
	})
	_, err := db.Pool.Exec(t.Context(), `select pg_sleep(20)`)
	mentions(t, err, "57014")
	if !Unavailable(err) {
		t.Error("a statement that ran out of time is no 503")
	}
	holder, err := db.Pool.Begin(t.Context())
	require.NoError(t, err)
	defer holder.Rollback(context.Background())
	_, err = holder.Exec(t.Context(), `select pg_advisory_xact_lock(815)`)
	require.NoError(t, err)
	err = db.Gorm.Scopes(onNoTable).Exec(`select pg_advisory_xact_lock(815)`).Error
	mentions(t, err, "55P03")
	if !Unavailable(err) {
		t.Error("a lock that was not to be had is no 503")
	}
}

func TestGormTranslatesErrors(t *testing.T) {
	t.Parallel()
	_, owner := newDatabase(t)
	db := open(t, owner, Options{})
	require.NoError(t,
		db.Gorm.Scopes(onNoTable).Exec(`create table things (id int primary key)`).Error)
	require.NoError(t, db.Gorm.Scopes(onNoTable).Exec(`insert into things values (1)`).Error)
	if err := db.Gorm.Scopes(onNoTable).Exec(`insert into things values (1)`).
		Error; !errors.Is(err, gorm.ErrDuplicatedKey) {
		t.Errorf("%v", err)
	}
}

func TestLogHoldsNoValues(t *testing.T) {
	t.Parallel()
	_, owner := newDatabase(t)
	var book logbook.Book
	db := open(t, owner, Options{Logger: book.Logger()})
	g := db.Gorm.Scopes(onNoTable).Session(&gorm.Session{})
	type thing struct {
		ID   string `gorm:"type:uuid"`
		Name string
	}
	require.NoError(t,
		g.Exec(`create table things (id uuid primary key, name text, size int)`).Error)
	if err := g.Where("name = ?", "topsecret").First(&thing{}).
		Error; !errors.Is(err, gorm.ErrRecordNotFound) {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	_ = g.WithContext(cancelled).Exec(`select 'topsecret'`)
	if got := book.String(); got != "" {
		t.Errorf("logged what is no fault: %s", got)
	}
	// PostgreSQL refuses the value
	_ = g.Debug().Create(&thing{ID: "topsecret", Name: "topsecret"})
	// pgx refuses the value
	_ = g.Exec(`update things set size = ?`, struct{ V string }{"topsecret"})
	_ = g.Exec(`/* things.slow */ select pg_sleep(1.01), ?::text`, "topsecret") // slow
	_ = g.Exec(`select * from nowhere where name = ?`, "topsecret")
	got := book.String()
	if strings.Contains(got, "topsecret") {
		t.Errorf("the log holds a value: %s", got)
	}
	for _, want := range []string{
		"things.slow", "slow statement", "42P01", "statement failed", "22P02",
		`INSERT INTO \"things\"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the log does not say %q: %s", want, got)
		}
	}
}

func TestNoErrorShowsThePassword(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		"postgres://dg:topsecret@localhost:port/dg",
		"postgres://dg:top%secret@localhost/dg",
		"postgres://dg:topsecret/x@localhost/dg",
		"postgres://dg:topsecret@localhost:1/dg?sslmode=perhaps",
		"host=localhost password=topsecret sslmode=perhaps",
		"postgres://dg:topsecret@localhost:1/dg",
		"postgres://dg:topsecret@[::1/dg",
		"topsecret",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		_, err := Open(ctx, bad, Options{})
		cancel()
		_, roleErr := RoleOf(bad)
		for _, err := range []error{
			err, errors.Join(roleErr, errors.New("")), Migrate(t.Context(), bad, schema, "x", nil),
		} {
			if err == nil {
				t.Errorf("%s: no error", bad)
			} else if text := fmt.Sprintf("%v %+v", err, err); strings.Contains(text, "secret") {
				t.Errorf("%s: %v", bad, err)
			}
		}
	}
}

func TestMissingServerIsUnavailable(t *testing.T) {
	t.Parallel()
	_, err := Open(t.Context(), "postgres://dg_app@/dg?"+url.Values{"host": {t.TempDir()}}.Encode(),
		Options{})
	mentions(t, err, "does not answer")
	if !Unavailable(err) {
		t.Errorf("not unavailable: %v", err)
	}
}

// A caller that leaves while it waits is no failure of the database.
func TestCancelledConnectIsNotUnavailable(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "dg-silent-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	silent, err := net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432"))
	require.NoError(t, err)
	defer silent.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		if conn, err := silent.Accept(); err == nil {
			defer conn.Close()
			cancel()
			<-t.Context().Done()
		}
	}()
	_, err = Open(ctx, "postgres://dg_app@/dg?"+url.Values{"host": {dir}}.Encode(), Options{})
	if !errors.Is(err, context.Canceled) || Unavailable(err) {
		t.Errorf("unavailable: %v", err)
	}
}
