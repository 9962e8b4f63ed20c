package httpserver

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"

	"dg/platform/fairshare"
)

// holding returns a server whose responses each hold all that a limiter grants to one organisation.
func holding(t *testing.T) (*testServer, *fairshare.Limiter, fairshare.Request) {
	t.Helper()
	large := bytes.Repeat([]byte("x"), 8<<20)
	l := fairshare.New(fairshare.Limits{MaxConcurrent: 2, Bytes: 32 << 20})
	all := fairshare.Request{OrganisationID: "a", Bytes: 16 << 20}
	hold := func(answer func(*fiber.Ctx) error) fiber.Handler {
		return func(c *fiber.Ctx) error {
			lease, err := l.Acquire(c.UserContext(), all)
			if err != nil {
				return err
			}
			AttachLease(c, lease)
			return answer(c)
		}
	}
	b := serve(t, Options{}, func(app *fiber.App) {
		app.Get("/small",
			hold(func(c *fiber.Ctx) error { return SendJSON(c, []byte("{}"), JSONOptions{}) }))
		app.Get("/large",
			hold(func(c *fiber.Ctx) error { return SendJSON(c, large, JSONOptions{}) }))
		app.Get("/fails", hold(func(*fiber.Ctx) error { return errors.New("no") }))
		app.Get("/panics", hold(func(*fiber.Ctx) error { panic("no") }))
		app.Get("/late", hold(func(c *fiber.Ctx) error {
			_ = SendJSON(c, large, JSONOptions{})
			panic("after the answer was set")
		}))
	})
	return b, l, all
}

func TestLeaseIsReleasedWithTheResponse(t *testing.T) {
	b, l, all := holding(t)
	for path, status := range map[string]int{
		"/small":  200,
		"/large":  200,
		"/fails":  500,
		"/panics": 500,
		"/late":   500,
	} {
		require.Equal(t, status, b.get(t, path).StatusCode, path)
		require.Equal(t, status, b.do(t, "HEAD", path).StatusCode, path)
		lease, err := l.Acquire(t.Context(), all)
		require.NoError(t, err, "the lease of %s", path)
		lease.Release()
	}
	require.NotContains(t, b.logs.String(), `"path":"/late","status":200`, "it was replaced")
}

// While a slow reader gets a large body, its lease holds the bytes but no slot. When the reader
// leaves, it holds nothing.
func TestLargeBodyCountsUntilItsReaderHasIt(t *testing.T) {
	b, l, all := holding(t)
	slow := b.dial(t)
	_, _ = io.WriteString(slow, "GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
	_, err := io.ReadFull(slow, make([]byte, 1000))
	require.NoError(t, err)
	rest, err := l.Acquire(t.Context(), fairshare.Request{OrganisationID: "a", Bytes: 8 << 20})
	require.NoError(t, err, "the slot is still held")
	rest.Release()
	ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	_, err = l.Acquire(ctx, all)
	require.Error(t, err, "the bytes are not held")
	_ = slow.Close()
	lease, err := l.Acquire(t.Context(), all)
	require.NoError(t, err, "the reader is gone, and the bytes are still held")
	lease.Release()
}
