package httpserver

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"dg/platform/httpserver/body"
)

// rules.md, CSV: a transfer that breaks off, as when its key is revoked, ends with a TCP reset, after
// whole chunks. After a plain end inside a chunk GNU wget exits 0.
func TestBrokenTransferEndsWithAResetAfterWholeChunks(t *testing.T) {
	fails := func(context.Context) error { return errRows }
	revoked := errors.New("the key was revoked")
	for name, source := range map[string]*fakeSource{
		"the source fails": newFakeSource(noise(300_000), fails),
		"the source panics": newFakeSource(noise(300_000), func(context.Context) error {
			panic(errRows)
		}),
		"the context ends, query":   newFakeSource(noise(300_000), blocked),
		"the context ends, writing": newFakeSource(noise(4<<20), nil),
		"the server stops":          newFakeSource(noise(300_000), blocked),
	} {
		for _, accept := range []string{"identity", "gzip"} {
			t.Run(name+", "+accept, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				again := *source
				again.ended = make(chan ending, 2)
				so := StreamOptions{Context: ctx, Gzip: true, WriteTimeout: time.Minute}
				b := serve(t, Options{}, streamRoute(so, again.open))
				c := b.begin(t, "/x", "Accept-Encoding: "+accept)
				switch {
				case strings.HasSuffix(name, "query"):
					cancel(revoked)
				case strings.HasSuffix(name, "writing"):
					eventually(t, "the write to block", func() bool { return writeIsBlocked(b) })
					cancel(revoked)
				case strings.HasSuffix(name, "stops"):
					go func() { _ = b.Shutdown(t.Context()) }()
				}
				wantReset(t, c, 1000)
				if strings.HasPrefix(name, "the context ends") {
					again.wantEnding(t, revoked) // long before the write would time out
				}
			})
		}
	}
}

// wantReset reads the rest of a response in chunks, after the first bytes, and fails unless it ends
// with a reset after a whole chunk.
func wantReset(t *testing.T, c net.Conn, read int) {
	t.Helper()
	rest, err := io.ReadAll(c)
	if !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("after %d bytes the client saw %v", len(rest), err)
	}
	if !bytes.HasSuffix(rest, []byte("\r\n")) || bytes.HasSuffix(rest, []byte("0\r\n\r\n")) {
		t.Errorf("%d bytes end with %q", read+len(rest), rest[max(0, len(rest)-20):])
	}
}

// A body that is made while it is sent breaks in the same way.
func TestBrokenPiecesEndWithAReset(t *testing.T) {
	b := piecesServer(t)
	wantReset(t, b.begin(t, "/20000/15000"), 1000)
}

// What a client that stalls or is evicted had is cut off by a reset too: it may read the rest
// later.
func TestStalledTransferEndsWithAReset(t *testing.T) {
	b, s := rowsForever(t, Options{}, StreamOptions{WriteTimeout: 100 * time.Millisecond})
	c := b.begin(t, "/x")
	s.wantEnding(t, ErrClientStalled)
	if _, err := io.Copy(io.Discard, c); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the client saw %v", err)
	}
	eventually(t, "the log line", func() bool {
		return strings.Contains(b.logs.String(), "it stopped reading")
	})
}

// The reset is the socket's own from the first chunk on, for a process that is killed.
func TestConnectionOfATransferResetsOnClose(t *testing.T) {
	at := map[string]int{}
	source := newFakeSource(noise(3*body.BlockSize), nil)
	b := serve(t, Options{}, func(app *fiber.App) {
		app.Get("/x", func(c *fiber.Ctx) error {
			conn := c.Context().Conn()
			source.then = func(context.Context) error {
				at["while it is sent"] = lingerOf(t, conn)
				return io.EOF
			}
			return Stream(c, source.open, StreamOptions{})
		})
		app.Get("/next", func(c *fiber.Ctx) error {
			at["afterwards"] = lingerOf(t, c.Context().Conn())
			return nil
		})
	})
	c := b.dial(t)
	in := bufio.NewReader(c)
	for _, path := range []string{"/x", "/next"} {
		_, _ = io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n")
		response, err := http.ReadResponse(in, nil)
		require.NoError(t, err)
		if _, err := io.Copy(io.Discard, response.Body); err != nil {
			t.Fatal(err)
		}
	}
	if at["while it is sent"] != 0 || at["afterwards"] != -1 {
		t.Errorf("seconds that the socket lingers (-1: the default): %v", at)
	}
}

// lingerOf returns SO_LINGER of a connection, -1 where it is off.
func lingerOf(t *testing.T, conn net.Conn) int {
	raw, err := conn.(syscall.Conn).SyscallConn()
	require.NoError(t, err)
	seconds := -1
	err = raw.Control(func(fd uintptr) {
		linger, err := unix.GetsockoptLinger(int(fd), unix.SOL_SOCKET, unix.SO_LINGER)
		if err != nil {
			t.Error(err)
		} else if linger.Onoff != 0 {
			seconds = int(linger.Linger)
		}
	})
	require.NoError(t, err)
	return seconds
}
