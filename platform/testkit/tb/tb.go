// Package tb has test helpers. It imports no package of dg, so that pgtest and every test may use it.
package tb

import (
	"bytes"
	"context"
	"log/slog"
	"net/url"
	"os"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// SkipOrFail ends a test that lacks a program: the test is skipped, or fails if CI is set.
func SkipOrFail(t testing.TB, err error) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("a program that the tests need is missing, and CI is set: %v", err)
	}
	t.Skipf("SKIPPED, NOTHING WAS TESTED: %v", err)
}

// Must takes the results of a call, and returns a function that fails the test for an error and returns the value:
// session := tb.Must(people.SignIn(ctx, email, password, ""))(t).
func Must[T any](value T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		require.NoError(t, err)
		return value
	}
}

// Must2 is Must for a call with two values.
func Must2[T, U any](first T, second U, err error) func(t testing.TB) (T, U) {
	return func(t testing.TB) (T, U) {
		t.Helper()
		require.NoError(t, err)
		return first, second
	}
}

// ErrorOf returns a call's error without its value: require.ErrorIs(t, tb.ErrorOf(people.Session(ctx, "")), want).
func ErrorOf[T any](_ T, err error) error { return err }

func ErrorOf2[T, U any](_ T, _ U, err error) error { return err }

// ChangeURL returns a database's URL after a change, such as of the role.
func ChangeURL(databaseURL string, change func(*url.URL)) string {
	u, err := url.Parse(databaseURL)
	if err != nil {
		panic(err) // the URL is a constant of a test
	}
	change(u)
	return u.String()
}

func AsRole(databaseURL, role string) string {
	return ChangeURL(databaseURL, func(u *url.URL) { u.User = url.User(role) })
}

// OnSocket returns the URL of the database through the socket in the folder.
func OnSocket(databaseURL, folder, port string) string {
	return ChangeURL(databaseURL, func(u *url.URL) {
		query := u.Query()
		query.Set("host", folder)
		query.Set("port", port)
		u.Host = ""
		u.RawQuery = query.Encode()
	})
}

func Query[T any](t testing.TB, url, sql string, args ...any) (value T) {
	conn, err := pgx.Connect(context.Background(), url)
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	require.NoError(t, conn.QueryRow(context.Background(), sql, args...).Scan(&value))
	return value
}

// Exec runs statements in the database of a URL and returns their error.
func Exec(t testing.TB, url, sql string) error {
	conn, err := pgx.Connect(context.Background(), url)
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	_, err = conn.Exec(context.Background(), sql)
	return err
}

// Buffer is a buffer that a test may read while the program writes to it. Its zero value is empty.
type Buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func (b *Buffer) Logger() *slog.Logger { return slog.New(slog.NewTextHandler(b, nil)) }
