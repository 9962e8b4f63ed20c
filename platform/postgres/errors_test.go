package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/puddle/v2"
	"gorm.io/gorm"
)

func TestUnavailable(t *testing.T) {
	t.Parallel()
	code := func(code string) error { return &pgconn.PgError{Code: code} }
	for _, c := range []struct {
		name string
		err  error
		want bool
	}{
		{"no error", nil, false},
		{
			"connection refused", &net.OpError{
				Op:  "dial",
				Err: os.NewSyscallError("connect", syscall.ECONNREFUSED),
			}, true,
		},
		{"connection reset", fmt.Errorf("write failed: %w", syscall.ECONNRESET), true},
		{"broken pipe", fmt.Errorf("write failed: %w", syscall.EPIPE), true},
		{"server gone in the middle", fmt.Errorf("receive message: %w", io.ErrUnexpectedEOF), true},
		{"connection closed", pgconn.ErrConnClosed, true},
		{"pool closed", puddle.ErrClosedPool, true},
		{"no free connection in time", context.DeadlineExceeded, true},
		{"network timeout", &net.DNSError{IsTimeout: true}, true},
		{"could not connect", fmt.Errorf("open: %w", &pgconn.ConnectError{}), true},
		{"administrator's shutdown", code("57P01"), true},
		{"crash shutdown", code("57P02"), true},
		{"starting", code("57P03"), true},
		{"statement timeout", code("57014"), true},
		{"lock timeout", code("55P03"), true},
		{"idle in transaction", code("25P03"), true},
		{"too many connections", code("53300"), true},
		{"disk full", code("53100"), true},
		{"connection failure", code("08006"), true},
		{"no such database", code("3D000"), true},
		{"password wrong", code("28P01"), true},
		{"I/O error of the server", code("58030"), true},
		{
			"error of the pooler's in half a row",
			errors.New("reports: days: DataRow body is invalid "), true,
		},
		{
			"in half a message's head",
			errors.New("invalid body length: expected at most 1073741822, but got 1178686525"),
			true,
		},
		{"in the place of a message", errors.New("unknown message type: x"), true},
		{"the time ended before the commit", sql.ErrTxDone, true},
		{"wrapped", fmt.Errorf("keys: %w", code("57P01")), true},
		{"the client left", context.Canceled, false},
		{"the client left while connecting", fmt.Errorf("x: %w", context.Canceled), false},
		{"unique violation", fmt.Errorf("%w: %w", gorm.ErrDuplicatedKey, code("23505")), false},
		{"bad value", code("22P02"), false},
		{"syntax", code("42601"), false},
		{"deadlock", code("40P01"), false},
		{"conflict with a standby's recovery", code("40001"), true},
		{"read-only transaction", code("25006"), true},
		{
			"unlogged table on a standby", &pgconn.PgError{
				Code:    "0A000",
				Routine: "get_relation_info",
			}, true,
		},
		{"feature not supported", code("0A000"), false},
		{"object in use", code("55006"), false},
		{"no rows", pgx.ErrNoRows, false},
		{"no record", gorm.ErrRecordNotFound, false},
		{"anything else", errors.New("x"), false},
		{"a file that is not there", os.ErrNotExist, false},
	} {
		if got := Unavailable(c.err); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestRedact(t *testing.T) {
	t.Parallel()
	plain := errors.New("relation does not exist")
	if Redact(nil) != nil || Redact(plain) != plain {
		t.Error("an error without a secret is changed")
	}
	for text, want := range map[string]string{
		"dial postgres://dg:p@ss/word@host/db: refused":        "dial postgres://dg:***@host/db: refused",
		"postgresql://dg:x@h/a and postgres://dg@h":            "postgresql://dg:***@h/a and postgres://dg@h",
		"bad: host=h password=topsecret user=dg":               "bad: host=h password=*** user=dg",
		"bad: password = 'top secret' user=dg":                 "bad: password = *** user=dg",
		"https://host/?sslmode=x&PASSWORD=topsecret&user=dg  ": "https://host/?sslmode=x&PASSWORD=***&user=dg  ",
	} {
		err := errors.New(text)
		got := Redact(fmt.Errorf("%w", err))
		if got.Error() != want {
			t.Errorf("%q became %q", text, got)
		}
		if errors.Is(got, err) {
			t.Error("the original is still inside")
		}
	}
	if err := Redact(
		fmt.Errorf("x: %w", pgconn.NewParseConfigError("postgres://dg:secret@h", "secret", nil)),
	); err != errBadURL {
		t.Error(err)
	}
}
