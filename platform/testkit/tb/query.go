package tb

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// Query reads one value from the database of a URL.
func Query[T any](t testing.TB, url, sql string, args ...any) (value T) {
	conn := connect(t, url)
	defer func() { _ = conn.Close(context.Background()) }()
	require.NoError(t, conn.QueryRow(context.Background(), sql, args...).Scan(&value))
	return value
}

// Exec runs statements in the database of a URL and returns their error.
func Exec(t testing.TB, url, sql string) error {
	conn := connect(t, url)
	defer func() { _ = conn.Close(context.Background()) }()
	_, err := conn.Exec(context.Background(), sql)
	return err
}

func connect(t testing.TB, url string) *pgx.Conn {
	conn, err := pgx.Connect(context.Background(), url)
	require.NoError(t, err)
	return conn
}
