package httpserver

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"dg/platform/httpserver/body"
)

// endlessSource yields rows without end, at the speed of the client.
type endlessSource struct{ *fakeSource }

func (s endlessSource) AppendNext(buf []byte) ([]byte, error) {
	return append(buf, someNoise...), nil
}

// someNoise is longer than gzip's window, so that its repetition does not compress.
var someNoise = noise(64 << 10)

// begin asks for a stream and reads its headers and first bytes.
func (b *testServer) begin(t *testing.T, path string, header ...string) net.Conn {
	t.Helper()
	c := b.dial(t)
	_, _ = io.WriteString(c,
		"GET "+path+" HTTP/1.1\r\nHost: x\r\n"+strings.Join(append(header, ""), "\r\n")+"\r\n")
	_, err := io.ReadFull(c, make([]byte, 1000))
	require.NoError(t, err)
	return c
}

// rowsForever serves an endless stream under /x.
func rowsForever(t *testing.T, o Options, so StreamOptions) (*testServer, *fakeSource) {
	s := newFakeSource(nil, nil)
	return serve(t, o, streamRoute(so, func(ctx context.Context) (body.Source, error) {
		s.ctx = ctx
		return endlessSource{s}, nil
	})), s
}

func TestDisconnectIsNoticed(t *testing.T) {
	t.Parallel()
	for name, yields := range map[string]int{
		"before the first row": 0, "after the first block": 64 << 10, "while rows flow": -1,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := newFakeSource(noise(max(0, yields)), blocked)
			opened := make(chan struct{})
			b := serve(t, Options{},
				streamRoute(StreamOptions{Gzip: true}, func(ctx context.Context) (body.Source, error) {
					fake.ctx = ctx
					close(opened)
					if yields < 0 {
						return endlessSource{fake}, nil
					}
					return fake, nil
				}))
			c := b.dial(t)
			_, _ = io.WriteString(c, "GET /x"+host+"\r\n")
			within10s(t, opened, "the source to be opened")
			c.Close()
			fake.wantEnding(t, body.ErrClientGone)
		})
	}
}

// A cancelled query may yield no more rows without an error. The file must not look complete.
func TestCancelledQueryIsNotTheEndOfTheFile(t *testing.T) {
	for _, size := range []int{10, 64 << 10} {
		ctx, cancel := context.WithCancel(t.Context())
		s := newFakeSource(noise(size), func(ctx context.Context) error {
			cancel()
			<-ctx.Done()
			return io.EOF
		})
		a := streams(t, StreamOptions{Context: ctx}, s).get(t, "/x")
		if size < body.BlockSize {
			a.wantError(t, 503)
		} else {
			require.ErrorIs(t, a.err, syscall.ECONNRESET)
		}
		s.wantEnding(t, context.Canceled)
	}
}

func TestPanicInCloseIsLogged(t *testing.T) {
	closed := make(chan struct{}, 2)
	b := serve(t, Options{}, streamRoute(StreamOptions{Finished: func(int64, error) {
		closed <- struct{}{}
		panic("in Finished")
	}}, func(ctx context.Context) (body.Source, error) {
		return panicky{endlessSource{&fakeSource{ctx: ctx}}}, nil
	}))
	b.begin(t, "/x").Close()
	within10s(t, closed, "Finished")
	eventually(t, "two panics in the log", func() bool {
		return strings.Count(b.logs.String(), `"panic in `) == 2
	})
}

type panicky struct{ endlessSource }

func (panicky) Close(error) { panic("in Close") }

var errRows = errors.New("the rows broke")

// rules.md, CSV: a transfer that breaks off, as when its key is revoked, ends with a TCP reset,
// after whole chunks. After a plain end inside a chunk GNU wget exits 0.
func TestBrokenTransferEndsWithAResetAfterWholeChunks(t *testing.T) {
	fails := func(err error) func(context.Context) error {
		return func(context.Context) error { return err }
	}
	panics := func(context.Context) error { panic("no") }
	revoked := errors.New("the key was revoked")
	for name, c := range map[string]struct {
		size  int
		then  func(context.Context) error
		ended error // what the source is told; nil: another error
	}{
		"the source fails":          {300_000, fails(errRows), errRows},
		"it fails after one block":  {body.BlockSize, fails(errRows), errRows},
		"it fails with an EOF":      {300_000, fails(fmt.Errorf("%w: %w", errRows, io.EOF)), errRows},
		"it panics":                 {300_000, panics, nil},
		"it yields nothing":         {300_000, fails(nil), nil},
		"the context ends, query":   {300_000, blocked, revoked},
		"the context ends, writing": {4 << 20, nil, revoked},
		"the server stops":          {300_000, blocked, ErrStopped},
	} {
		for _, accept := range []string{"identity", "gzip"} {
			t.Run(name+", "+accept, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				source := newFakeSource(noise(c.size), c.then)
				so := StreamOptions{Context: ctx, Gzip: true, WriteTimeout: time.Minute}
				b := serve(t, Options{}, streamRoute(so, source.open))
				conn := b.begin(t, "/x", "Accept-Encoding: "+accept)
				switch {
				case c.then == nil:
					eventually(t, "the write to block", writeIsBlocked)
					cancel(revoked)
				case errors.Is(c.ended, revoked):
					cancel(revoked)
				case errors.Is(c.ended, ErrStopped):
					go func() { _ = b.Shutdown(t.Context()) }()
				}
				wantReset(t, conn)
				e := within10s(t, source.ended, "the source to be closed")
				require.Error(t, e.err)
				require.NotErrorIs(t, e.err, body.ErrClientGone)
				if c.ended != nil {
					require.ErrorIs(t, e.err, c.ended)
				}
			})
		}
	}
}

// wantReset reads the rest of a response in chunks and fails unless it ends with a reset after a
// whole chunk.
func wantReset(t *testing.T, c net.Conn) {
	t.Helper()
	rest, err := io.ReadAll(c)
	require.ErrorIs(t, err, syscall.ECONNRESET, "after %d bytes", len(rest))
	end := string(rest[max(0, len(rest)-20):])
	require.True(t, strings.HasSuffix(end, "\r\n") && !strings.HasSuffix(end, "0\r\n\r\n"), "%q", end)
}

// A body that is made while it is sent breaks off in the same way.
func TestBrokenPiecesEndWithAReset(t *testing.T) {
	wantReset(t, piecesServer(t).begin(t, "/20000/15000"))
}

// For a client that reads nothing the source yields one block. The transfer ends with a reset,
// because the client may read on later.
func TestStalledTransferEndsWithAReset(t *testing.T) {
	source := newFakeSource(noise(1<<20), nil)
	b := serve(t, Options{}, streamRoute(StreamOptions{WriteTimeout: 100 * time.Millisecond}, source.open))
	c := b.dial(t)
	require.NoError(t, c.(*net.TCPConn).SetReadBuffer(4<<10))
	_, _ = io.WriteString(c, "GET /x"+host+"\r\n")
	source.wantEnding(t, body.ErrClientStalled)
	require.LessOrEqual(t, 1<<20-len(source.rest), body.BlockSize+source.step)
	_, err := io.Copy(io.Discard, c)
	require.ErrorIs(t, err, syscall.ECONNRESET)
	eventually(t, "the log line", func() bool {
		return strings.Contains(b.logs.String(), "it stopped reading")
	})
}

// The send buffer is bounded, or a slow but steady client would miss every deadline. The socket
// resets on close from the first chunk on, also if the process is killed.
func TestSocketOfATransfer(t *testing.T) {
	options := func(conn net.Conn) (linger *unix.Linger, buffer int) {
		raw, _ := conn.(syscall.Conn).SyscallConn()
		_ = raw.Control(func(fd uintptr) {
			linger, _ = unix.GetsockoptLinger(int(fd), unix.SOL_SOCKET, unix.SO_LINGER)
			buffer, _ = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_SNDBUF)
		})
		return linger, buffer
	}
	b := serve(t, Options{}, func(app *fiber.App) {
		app.Get("/x", func(c *fiber.Ctx) error {
			conn := c.Context().Conn()
			source := newFakeSource(noise(3*body.BlockSize), func(context.Context) error {
				linger, buffer := options(conn)
				assert.Equal(t, unix.Linger{Onoff: 1}, *linger)
				assert.Equal(t, 2*sendBuffer, buffer, "the kernel doubles it for its own needs")
				return io.EOF
			})
			return Stream(c, source.open, StreamOptions{})
		})
		app.Get("/next", func(c *fiber.Ctx) error {
			linger, _ := options(c.Context().Conn())
			assert.Zero(t, linger.Onoff)
			return nil
		})
	})
	c := b.dial(t)
	in := bufio.NewReader(c)
	for _, path := range []string{"/x", "/next"} {
		_, _ = io.WriteString(c, "GET "+path+host+"\r\n")
		readStatus(t, in, 200)
	}
}
