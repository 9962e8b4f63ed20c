package postgres

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"
)

// cutter is a relay to the shared server that ends a connection instead of passing on one of the
// server's messages.
type cutter struct {
	dir  string       // of its socket
	left atomic.Int64 // messages until it cuts; below 0: it cuts none
	end  atomic.Pointer[func(client net.Conn, message []byte)]
}

func newCutter(t *testing.T) *cutter {
	t.Helper()
	c := &cutter{dir: t.TempDir()}
	c.left.Store(-1)
	listener, err := net.Listen("unix", filepath.Join(c.dir, ".s.PGSQL.5432"))
	require.NoError(t, err)
	relay(t, listener, func(client, database net.Conn) {
		go func() {
			_, _ = io.Copy(database, client)
			_ = database.Close()
		}()
		c.carry(client, database)
	})
	return c
}

// carry passes the server's messages on, one by one.
func (c *cutter) carry(client, database net.Conn) {
	defer func() {
		_ = client.Close()
		_ = database.Close()
	}()
	head := make([]byte, 5)
	for {
		if _, err := io.ReadFull(database, head); err != nil {
			return
		}
		message := append([]byte(nil), head...)
		message = append(message, make([]byte, binary.BigEndian.Uint32(head[1:])-4)...)
		if _, err := io.ReadFull(database, message[5:]); err != nil {
			return
		}
		if c.left.Load() >= 0 && c.left.Add(-1) < 0 {
			(*c.end.Load())(client, message)
			return
		}
		if _, err := client.Write(message); err != nil {
			return
		}
	}
}

// fatal is a FATAL error as PostgreSQL and PgBouncer send it before they close a connection.
func fatal(code string) func(net.Conn, []byte) {
	return func(client net.Conn, _ []byte) {
		message, _ := (&pgproto3.ErrorResponse{
			Severity:            "FATAL",
			SeverityUnlocalized: "FATAL",
			Code:                code,
			Message:             "x",
		}).Encode(nil)
		_, _ = client.Write(message)
	}
}

// ends are the ways in which connections end.
var ends = []struct {
	name string
	end  func(client net.Conn, message []byte)
}{
	{"closed", func(net.Conn, []byte) {}},
	{"inside a message", func(client net.Conn, message []byte) {
		_, _ = client.Write(message[:len(message)/2+1])
	}},
	{"before a message's last byte", func(client net.Conn, message []byte) {
		_, _ = client.Write(message[:len(message)-1])
	}},
	{"before a message's last 8 bytes", func(client net.Conn, message []byte) {
		_, _ = client.Write(message[:max(5, len(message)-8)])
	}},
	{"shutdown", fatal("57P01")},
	{"crash", fatal("57P02")},
	{"PgBouncer's", fatal("08P01")},
	{"an error of the system", fatal("58000")},
}

var errShort = errors.New("too few rows, and no error")

// uses are how the program uses connections. Each knows its right result.
var uses = map[string]func(ctx context.Context, db *DB) error{
	"rows": func(ctx context.Context, db *DB) error {
		rows, err := db.Pool.Query(ctx, `select n from generate_series(1, $1) n`, 5)
		if err != nil {
			return err
		}
		all, err := pgx.CollectRows(rows, pgx.RowTo[int])
		return errors.Join(err, expect(len(all), 5))
	},
	"batch": func(ctx context.Context, db *DB) error {
		conn, err := db.Pool.Acquire(ctx)
		if err != nil {
			return err
		}
		defer conn.Release()
		batch := &pgx.Batch{}
		batch.Queue("begin isolation level repeatable read read only")
		batch.Queue(`select count(*) from generate_series(1, $1)`, 5)
		results := conn.SendBatch(ctx, batch)
		defer func() { _ = results.Close() }()
		if _, err := results.Exec(); err != nil {
			return err
		}
		var n int
		if err := results.QueryRow().Scan(&n); err != nil {
			return err
		}
		if err := errors.Join(results.Close(), expect(n, 5)); err != nil {
			return err
		}
		_, err = conn.Exec(ctx, "rollback")
		return err
	},
	"batch with functions": func(ctx context.Context, db *DB) error {
		read := 0
		batch := &pgx.Batch{}
		for range 2 {
			batch.Queue(`select n from generate_series(1, $1) n`, 3).
				Query(func(rows pgx.Rows) error {
					for rows.Next() {
						read++
					}
					return rows.Err()
				})
		}
		err := db.Pool.SendBatch(ctx, batch).Close()
		if err != nil {
			return err
		}
		return expect(read, 6)
	},
	"transaction": func(ctx context.Context, db *DB) error {
		return pgx.BeginFunc(ctx, db.Pool, func(tx pgx.Tx) error {
			var n int
			return errors.Join(
				tx.QueryRow(ctx, `select count(*) from generate_series(1, $1)`, 5).Scan(&n),
				expect(n, 5),
			)
		})
	},
	"gorm": func(ctx context.Context, db *DB) error {
		return db.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
			var n []int
			err := tx.Scopes(onNoTable).Raw(`select n from generate_series(1, ?) n`, 5).Scan(&n).Error
			return errors.Join(err, expect(len(n), 5))
		})
	},
}

// expect checks a result that came without an error.
func expect(got, want int) error {
	if got != want {
		return fmt.Errorf("%d, not %d: %w", got, want, errShort)
	}
	return nil
}

// Wherever a connection ends, the error means that the database is unavailable. There is no partial
// result and no internal error.
func TestConnectionThatEndsAnywhereIsUnavailable(t *testing.T) {
	t.Parallel()
	serving, _ := newDatabase(t)
	u := parsed(t, serving)
	c := newCutter(t)
	u.RawQuery = url.Values{"host": {c.dir}}.Encode()
	c.cutsEverywhere(t, u.String())
}

// cutsEverywhere cuts every use: in a soak at every message in every way, otherwise at every fourth
// message in one way.
func (c *cutter) cutsEverywhere(t *testing.T, url string) {
	db := open(t, url, Options{MaxConns: 1})
	steps := 1
	ways := ends
	if os.Getenv("DG_SOAK") == "" {
		steps = 4
	}
	turn := 0
	for _, use := range slices.Sorted(maps.Keys(uses)) {
		for _, warm := range []bool{false, true} {
			reached := true
			for cut := turn % steps; reached; cut += steps {
				require.Less(t, cut, 100, use)
				if steps > 1 {
					ways = ends[turn%len(ends):][:1]
				}
				for _, way := range ways {
					c.end.Store(&way.end)
					reached = c.cutsAt(t, db, cut, warm,
						fmt.Sprintf("%s, %s, message %d, warm %v", use, way.name, cut, warm),
						uses[use])
				}
				turn++
			}
		}
	}
}

// cutsAt runs a use on a connection that ends at the nth message, and reports whether it got that
// far.
func (c *cutter) cutsAt(
	t *testing.T, db *DB, n int, warm bool, name string, run func(context.Context, *DB) error,
) bool {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	db.Pool.Reset()
	first := func(ctx context.Context, db *DB) error { return db.Pool.Ping(ctx) }
	if warm {
		first = run
	}
	require.NoError(t, first(ctx, db), name)
	c.left.Store(int64(n))
	err := run(ctx, db)
	reached := c.left.Swap(-1) < 0
	switch {
	case reached && err == nil: // the result was there already
	case reached && (!Unavailable(err) || ctx.Err() != nil):
		t.Errorf("%s: %T %v", name, err, err)
	case !reached:
		require.NoError(t, err, name)
	}
	return reached
}
