package pgtest

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/embeddedpg"
	"dg/platform/postgres"
	"dg/platform/testkit/tb"
)

// Database is a test's own database.
type Database struct {
	URL      string // URL of the serving role
	OwnerURL string // URL of the role that owns the tables
	DB       *postgres.DB
	Owner    *postgres.DB
}

// Flags returns the flags with which a command of dg uses the database.
func (d *Database) Flags() []string {
	return []string{"--database-url", d.URL, "--migrate-database-url", d.OwnerURL}
}

// New gives t a migrated, empty database, which is dropped when t and its subtests have ended.
// Without PostgreSQL the test is skipped, or fails in CI. With -short it is skipped.
func New(t testing.TB) *Database { return newCopy(t, "") }

func NewEmpty(t testing.TB) *Database { return newCopy(t, "template0") }

// databasePrefix begins the names of this process's databases. databaseNumber counts them.
var (
	databasePrefix = fmt.Sprintf("test_%d_%d_", os.Getpid(), time.Now().UnixNano())
	databaseNumber atomic.Int64
)

// newCopy creates a copy of a database of the server. "" means the migrated template.
func newCopy(t testing.TB, source string) *Database {
	t.Helper()
	if testing.Short() {
		t.Skip("pgtest: needs a database: skipped with -short")
	}
	s, err := sharedServer()
	if err != nil { // a missing PostgreSQL skips the test; a server that does not start fails it
		RequireProgram(t, "postgres")
		require.NoError(t, err, "start PostgreSQL")
	}
	ctx := context.Background() // the test's own context has ended when its cleanup runs
	name := fmt.Sprint(databasePrefix, databaseNumber.Add(1))
	// With fsync off, file_copy is faster than the default strategy.
	_, err = s.admin.Exec(ctx, fmt.Sprintf(
		`create database %s template %s owner dg_owner strategy file_copy`, name,
		cmp.Or(source, s.template)))
	require.NoError(t, err, "make a database")
	t.Cleanup(func() {
		_, err := s.admin.Exec(ctx, fmt.Sprintf(`drop database %s with (force)`, name))
		require.NoError(t, err, "drop the database")
	})
	db := &Database{URL: withDatabase(s.URL(), name), OwnerURL: withDatabase(s.OwnerURL(), name)}
	db.DB = Open(t, db.URL, postgres.Options{MaxConns: 12}) // all tests share the server's 800 connections
	// On a loaded machine, a statement on 100,000 rows may exceed the statement timeout.
	db.Owner = Open(t, db.OwnerURL, postgres.Options{MaxConns: 2, StatementTimeout: -1})
	return db
}

// RequireProgram skips t if PostgreSQL lacks the program, as npm's lacks pg_dump. In CI t fails.
func RequireProgram(t testing.TB, name string) {
	if _, err := embeddedpg.FindProgram(t.Context(), "", name); err != nil {
		tb.SkipOrFail(t, err)
	}
}

func Open(t testing.TB, url string, options postgres.Options) *postgres.DB {
	options.Name = cmp.Or(options.Name, "pgtest")
	db, err := postgres.Open(context.Background(), url, options)
	require.NoError(t, err)
	t.Cleanup(db.Close)
	return db
}

func withDatabase(databaseURL, name string) string {
	return tb.ChangeURL(databaseURL, func(u *url.URL) { u.Path = "/" + name })
}
