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

// The most connections of one Database. The server takes 800.
const (
	servingConns = 12
	ownerConns   = 2
)

// Database is a test's own database.
type Database struct {
	URL      string // as the role that serves
	OwnerURL string // as the role that owns the tables
	DB       *postgres.DB
	Owner    *postgres.DB
}

// Flags are those that make a command of dg use the database.
func (d *Database) Flags() []string {
	return []string{"--database-url", d.URL, "--migrate-database-url", d.OwnerURL}
}

// New gives t a migrated, empty database, which is dropped when t and its subtests have ended.
//
// Without PostgreSQL the test is skipped, or fails in CI. With -short it is skipped.
func New(t testing.TB) *Database {
	return copyOf(t, (*server).template)
}

// Empty is like New, without migrations.
func Empty(t testing.TB) *Database {
	return copyOf(t, func(*server, context.Context) (string, error) { return "template0", nil })
}

// prefix of the names of this process's databases, and their number.
var (
	prefix         = fmt.Sprintf("test_%d_%d_", os.Getpid(), time.Now().UnixNano())
	databaseNumber atomic.Int64
)

func copyOf(t testing.TB, template func(*server, context.Context) (string, error)) *Database {
	t.Helper()
	if testing.Short() {
		t.Skip("pgtest: needs a database: skipped with -short")
	}
	s, err := started()
	if err != nil { // without PostgreSQL tests are skipped; one that does not start fails them
		RequireProgram(t, "postgres")
		require.NoError(t, err, "start PostgreSQL")
	}
	ctx := context.Background() // a test's own context has ended when its cleanup runs
	name := fmt.Sprint(prefix, databaseNumber.Add(1))
	original, err := template(s, ctx)
	if err == nil {
		err = s.copy(ctx, name, original)
	}
	require.NoError(t, err, "make a database")
	t.Cleanup(func() { require.NoError(t, s.drop(ctx, name), "drop the database") })
	db := &Database{URL: inDatabase(s.URL(), name), OwnerURL: inDatabase(s.OwnerURL(), name)}
	db.DB = Open(t, db.URL, postgres.Options{MaxConns: servingConns})
	// On a loaded machine 100,000 rows take longer than the statement timeout.
	db.Owner = Open(t, db.OwnerURL, postgres.Options{MaxConns: ownerConns, StatementTimeout: -1})
	return db
}

// RequireProgram skips t if the installed PostgreSQL lacks the program, or fails it in CI. npm's
// package has no pg_dump.
func RequireProgram(t testing.TB, name string) {
	if _, err := embeddedpg.FindProgram(t.Context(), "", name); err != nil {
		tb.SkipOrFail(t, err)
	}
}

// Open opens a pool that is closed when t ends.
func Open(t testing.TB, url string, options postgres.Options) *postgres.DB {
	options.Name = cmp.Or(options.Name, "pgtest")
	db, err := postgres.Open(context.Background(), url, options)
	require.NoError(t, err)
	t.Cleanup(db.Close)
	return db
}

// inDatabase returns the connection URL for another database of the server.
func inDatabase(connection, name string) string {
	return tb.Changed(connection, func(u *url.URL) { u.Path = "/" + name })
}
