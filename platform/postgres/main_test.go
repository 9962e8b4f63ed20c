package postgres

import (
	"context"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"dg/platform/embeddedpg"
	"dg/platform/testkit/tb"
)

// The roles of the embedded server.
const (
	superuser   = "postgres"
	ownerRole   = "dg_owner"
	servingRole = "dg_app"
)

func TestMain(m *testing.M) {
	if flag.Parse(); testing.Short() {
		fmt.Println("skipped with -short: these tests start PostgreSQL")
		return
	}
	code := m.Run()
	if sharedDir != "" {
		if server, err := sharedOnce(); err == nil {
			_ = server.Stop(context.Background())
		}
		_ = os.RemoveAll(sharedDir)
	}
	os.Exit(code)
}

var (
	sharedDir  string
	sharedOnce = sync.OnceValues(func() (*embeddedpg.Server, error) {
		parent := os.TempDir()
		if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
			parent = "/dev/shm"
		}
		dir, err := os.MkdirTemp(parent, "dg-postgres-test-")
		if err != nil {
			return nil, err
		}
		sharedDir = dir
		if err := os.Chmod(dir, 0o755); err != nil { // PostgreSQL's user passes through
			return nil, err
		}
		return embeddedpg.Start(context.Background(), filepath.Join(dir, "d"),
			embeddedpg.Options{
				Create:   true,
				Settings: map[string]string{"fsync": "off", "shared_buffers": "16MB"},
			})
	})
)

// sharedServer is one server for all tests of the package.
func sharedServer(t testing.TB) *embeddedpg.Server {
	t.Helper()
	server, err := sharedOnce()
	if err != nil && strings.Contains(err.Error(), "dg needs PostgreSQL") {
		tb.Missing(t, err)
	}
	require.NoError(t, err)
	return server
}

// databases numbers what newDatabase makes.
var databases atomic.Int64

// newDatabase makes an empty database on the shared server. It returns the URLs of the serving role
// and of the owner.
func newDatabase(t *testing.T) (serving, owner string) {
	t.Helper()
	name := fmt.Sprint("test", databases.Add(1))
	server := parsed(t, sharedServer(t).URL())
	server.Path = "/" + superuser
	admin := asRole(t, server.String(), superuser)
	require.NoError(t,
		execute(t, admin, fmt.Sprintf(`create database %s owner %s template template0`, name, ownerRole)))
	t.Cleanup(func() {
		require.NoError(t, execute(t, admin, fmt.Sprintf(`drop database %s with (force)`, name)))
	})
	server.Path = "/" + name
	return asRole(t, server.String(), servingRole), asRole(t, server.String(), ownerRole)
}

func parsed(t *testing.T, connection string) *url.URL {
	t.Helper()
	u, err := url.Parse(connection)
	require.NoError(t, err)
	return u
}

// query reads one value.
func query[T any](t *testing.T, url, sql string, args ...any) T {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	require.NoError(t, err)
	defer conn.Close(context.Background())
	var value T
	require.NoError(t, conn.QueryRow(context.Background(), sql, args...).Scan(&value))
	return value
}

// execute runs statements and returns their error.
func execute(t *testing.T, url, sql string) error {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	require.NoError(t, err)
	defer conn.Close(context.Background())
	_, err = conn.Exec(context.Background(), sql)
	return err
}

// asRole is the connection URL for another role.
func asRole(t *testing.T, connection, role string) string {
	t.Helper()
	u := parsed(t, connection)
	u.User = url.User(role)
	return u.String()
}

// mentions fails unless the error contains every one of the words.
func mentions(t *testing.T, err error, words ...string) {
	t.Helper()
	for _, word := range words {
		require.ErrorContains(t, err, word)
	}
}
