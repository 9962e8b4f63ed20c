package httpserver

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"dg/platform/apperr"
	"dg/platform/testkit/tb"
)

type fakeSource struct {
	unread   []byte                 // bytes that Next has not returned
	afterEnd func() ([]byte, error) // what Next returns after the last block; nil: io.EOF
	closed   chan closeCall
}

type closeCall struct {
	sent int64
	err  error
}

func newFakeSource(body []byte, afterEnd func() ([]byte, error)) *fakeSource {
	return &fakeSource{unread: body, afterEnd: afterEnd, closed: make(chan closeCall, 2)}
}

func (s *fakeSource) Next() ([]byte, error) {
	if len(s.unread) == 0 {
		if s.afterEnd == nil {
			return nil, io.EOF
		}
		return s.afterEnd()
	}
	n := min(BlockSize, len(s.unread))
	block := s.unread[:n]
	s.unread = s.unread[n:]
	return block, nil
}

func (s *fakeSource) Close(sent int64, err error) { s.closed <- closeCall{sent, err} }

func (s *fakeSource) requireClosed(t *testing.T, want error) closeCall {
	call := receive(t, s.closed, "the source to be closed")
	require.ErrorIs(t, call.err, want)
	require.Empty(t, s.closed, "closed twice")
	return call
}

// randomText returns text that gzip compresses to about half its size.
func randomText(n int) []byte {
	body := make([]byte, n)
	r := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range body {
		body[i] = "0123456789abcdef\n"[r.IntN(17)]
	}
	return body
}

func serveSource(t *testing.T, o Options, source *fakeSource) *testServer {
	return startServer(t, o, func(app *fiber.App) {
		app.Get("/x", func(c *fiber.Ctx) error {
			header := map[string]string{"Content-Type": "text/csv; charset=utf-8", "Content-Disposition": "attachment"}
			if c.Method() == fiber.MethodHead {
				return StreamHead(c, header)
			}
			return Stream(c, source, header)
		})
	})
}

// A file of any size arrives complete, plain and compressed. Its source is closed once.
func TestWholeFileArrives(t *testing.T) {
	for _, size := range []int{0, 1, 64<<10 - 1, 64 << 10, 64<<10 + 1, 1 << 20} {
		for _, encoding := range []string{"", "gzip"} {
			t.Run(fmt.Sprint(encoding, size), func(t *testing.T) {
				source := newFakeSource(randomText(size), nil)
				response := serveSource(t, Options{}, source).get(t, "/x", "Accept-Encoding", encoding)
				require.NoError(t, response.err)
				require.Equal(t, 200, response.StatusCode)
				require.True(t, bytes.Equal(randomText(size), response.decompressedBody(t)), "it is not the file")
				response.requireHeaders(t, map[string]string{
					"Content-Encoding": encoding, "Cache-Control": "no-store, no-transform",
					"Vary": "Authorization, Accept-Encoding", "Content-Disposition": "attachment"})
				require.NotEmpty(t, response.Header.Get("X-Request-Id"))
				require.Equal(t, int64(len(response.body)), source.requireClosed(t, nil).sent)
			})
		}
	}
}

// An error or panic before the first block results in an error response instead of a file.
func TestEarlyErrorIsAnErrorResponse(t *testing.T) {
	denied := apperr.New(apperr.Validation, "Give a shorter period.")
	source := newFakeSource(nil, func() ([]byte, error) { return nil, denied })
	response := serveSource(t, Options{}, source).get(t, "/x", "Accept-Encoding", "gzip")
	response.requireError(t, 400)
	require.Empty(t, response.Header.Get("Content-Disposition")+response.Header.Get("Content-Encoding"))
	source.requireClosed(t, denied)
	panics := newFakeSource(nil, func() ([]byte, error) { panic("internals") })
	response = serveSource(t, Options{}, panics).get(t, "/x")
	response.requireError(t, 500)
	require.NotContains(t, response.body, "internals")
}

// A source is closed if middleware replaces its response with an error.
func TestUnsentFileIsClosed(t *testing.T) {
	source := newFakeSource(randomText(200_000), nil)
	server := startServer(t, Options{}, func(app *fiber.App) {
		app.Use(func(c *fiber.Ctx) error {
			_ = c.Next()
			return apperr.New(apperr.Unavailable, "The audit could not be written.")
		})
		app.Get("/x", func(c *fiber.Ctx) error { return Stream(c, source, nil) })
	})
	server.get(t, "/x").requireError(t, 503)
	source.requireClosed(t, ErrClientGone)
}

// HTTP/1.0 gets 505, a Range header gets 400, and HEAD gets only headers: no block is read for them.
func TestResponseWithoutABodyReadsNoBlock(t *testing.T) {
	source := newFakeSource(randomText(10), nil)
	server := serveSource(t, Options{}, source)
	response := server.send(t, http.MethodHead, "/x", "Accept-Encoding", "gzip")
	require.Equal(t, 200, response.StatusCode)
	response.requireHeaders(t, map[string]string{"Content-Type": "text/csv; charset=utf-8", "Content-Encoding": "gzip",
		"Content-Length": ""})
	c := server.dial(t)
	_, _ = io.WriteString(c, "HEAD /x"+versionAndHost+"\r\nHEAD /x"+versionAndHost+"Connection: close\r\n\r\n")
	responses, _ := io.ReadAll(c)
	require.Regexp(t, `^(HTTP/1\.1 200 OK\r\n([A-Z][^\r\n]*\r\n)+\r\n){2}$`, string(responses))
	require.Equal(t, 505, server.sendRaw(t, "HEAD /x HTTP/1.0\r\n\r\n").StatusCode)
	server.sendRaw(t, "GET /x HTTP/1.0\r\n\r\n").requireError(t, 505)
	source.requireClosed(t, nil)
	server.get(t, "/x", "Range", "bytes=9-").requireError(t, 400)
	source.requireClosed(t, nil)
	require.Len(t, source.unread, 10)
}

var errBrokenRows = errors.New("the rows broke")

func (s *testServer) beginStream(t *testing.T, path string, headerLines ...string) net.Conn {
	c := s.dial(t)
	lines := append([]string{"GET " + path + " HTTP/1.1", "Host: x"}, headerLines...)
	_, _ = io.WriteString(c, strings.Join(lines, "\r\n")+"\r\n\r\n")
	tb.Must(io.ReadFull(c, make([]byte, 1000)))(t)
	return c
}

// openapi.yaml, exportForkPlaysCsv: a late failure resets the connection. After a FIN in a chunk, wget would exit 0.
func TestBrokenTransferEndsWithAReset(t *testing.T) {
	for name, afterEnd := range map[string]func() ([]byte, error){
		"the source fails":     func() ([]byte, error) { return nil, errBrokenRows },
		"it fails with an EOF": func() ([]byte, error) { return nil, fmt.Errorf("%w: %w", errBrokenRows, io.EOF) },
		"it panics":            func() ([]byte, error) { panic("no") },
	} {
		for _, accept := range []string{"identity", "gzip"} {
			t.Run(name+", "+accept, func(t *testing.T) {
				source := newFakeSource(randomText(300_000), afterEnd)
				server := serveSource(t, Options{}, source)
				conn := server.beginStream(t, "/x", "Accept-Encoding: "+accept)
				remainder, err := io.ReadAll(conn)
				require.ErrorIs(t, err, syscall.ECONNRESET, "after %d bytes", len(remainder))
				require.False(t, bytes.HasSuffix(remainder, []byte("0\r\n\r\n")), "it looks complete")
				call := receive(t, source.closed, "the source to be closed")
				require.Error(t, call.err)
				require.NotErrorIs(t, call.err, ErrClientGone)
				eventually(t, "the log", func() bool { return strings.Contains(server.logs.String(), `"broken":"`) })
			})
		}
	}
}

// The first block is sent before the next one is read, compressed or not. The source is closed when the client leaves.
func TestFirstBlockIsSentAtOnceAndDisconnectIsNoticed(t *testing.T) {
	for _, accept := range []string{"identity", "gzip"} {
		firstBlockArrived := make(chan struct{})
		source := newFakeSource(randomText(4000), func() ([]byte, error) {
			<-firstBlockArrived
			return nil, io.EOF
		})
		serveSource(t, Options{}, source).beginStream(t, "/x", "Accept-Encoding: "+accept)
		close(firstBlockArrived)
		source.requireClosed(t, nil)
	}
	source := newFakeSource(nil, func() ([]byte, error) { return randomText(BlockSize), nil })
	serveSource(t, Options{}, source).beginStream(t, "/x").Close()
	source.requireClosed(t, ErrClientGone)
}

// A write deadline resets a stalled transfer: a client that reads on later gets an error, not a truncated file.
func TestStalledTransferEndsWithAReset(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for the deadline of a block")
	}
	t.Parallel()
	source := newFakeSource(nil, func() ([]byte, error) { return randomText(BlockSize), nil })
	server := serveSource(t, Options{}, source)
	c := server.dial(t)
	require.NoError(t, c.(*net.TCPConn).SetReadBuffer(4<<10))
	_, _ = io.WriteString(c, "GET /x"+versionAndHost+"\r\n")
	select {
	case call := <-source.closed:
		require.ErrorIs(t, call.err, ErrClientGone)
	case <-t.Context().Done():
	}
	require.ErrorIs(t, tb.ErrorOf(io.Copy(io.Discard, c)), syscall.ECONNRESET)
}

// A transfer has a small send buffer and, until it is complete, SO_LINGER 0: if dg is killed, a reset ends it.
func TestTransferBoundsItsBufferAndResetsOnClose(t *testing.T) {
	socketOptions := func(conn net.Conn) (linger *unix.Linger, buffer int) {
		raw, _ := conn.(syscall.Conn).SyscallConn()
		_ = raw.Control(func(fd uintptr) {
			linger, _ = unix.GetsockoptLinger(int(fd), unix.SOL_SOCKET, unix.SO_LINGER)
			buffer, _ = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_SNDBUF)
		})
		return linger, buffer
	}
	server := startServer(t, Options{}, func(app *fiber.App) {
		app.Get("/x", func(c *fiber.Ctx) error {
			conn := c.Context().Conn()
			return Stream(c, newFakeSource(randomText(3*BlockSize), func() ([]byte, error) {
				linger, buffer := socketOptions(conn)
				assert.Equal(t, unix.Linger{Onoff: 1}, *linger)
				assert.Equal(t, 2*sendBuffer, buffer, "the kernel doubles it for its own needs")
				return nil, io.EOF
			}), nil)
		})
		app.Get("/next", func(c *fiber.Ctx) error {
			linger, _ := socketOptions(c.Context().Conn())
			assert.Zero(t, linger.Onoff)
			return nil
		})
	})
	for range 2 {
		require.Equal(t, 200, server.get(t, "/x").StatusCode)
		require.Equal(t, 200, server.get(t, "/next").StatusCode)
	}
}

// A panic in Source.Close is logged and does not affect the response.
func TestPanicInCloseIsLogged(t *testing.T) {
	source := newFakeSource(nil, nil)
	close(source.closed)
	server := serveSource(t, Options{}, source)
	require.Equal(t, 200, server.get(t, "/x").StatusCode)
	eventually(t, "the log", func() bool { return strings.Contains(server.logs.String(), "a source was not closed") })
}

// A broken transfer also ends with a reset if another program serves dg over wrappers: tcpOf finds the TCP connection.
func TestResetReachesTheSocketBelowWrappers(t *testing.T) {
	tcp := &net.TCPConn{}
	require.Same(t, tcp, tcpOf(tls.Server(tls.Server(tcp, nil), nil)))
	require.Same(t, tcp, tcpOf(tcp))
}

type deadlineConn struct {
	net.Conn
	deadline time.Time
}

func (c *deadlineConn) SetWriteDeadline(at time.Time) error { c.deadline = at; return nil }

// rules.md, Headers: a long JSON is complete once its end has left fasthttp's buffer, a file with its last chunk. Then
// the connection has no deadline in another program: fasthttp clears none without a WriteTimeout.
func TestTransferIsCompleteWithItsLastChunk(t *testing.T) {
	closed, _ := net.Pipe()
	closed.Close()
	conn := &deadlineConn{}
	s := &stream{source: newFakeSource(nil, nil), conn: conn, block: []byte("end"),
		req: &request{serverCtx: t.Context(), srv: newServer(Options{}.withDefaults())}}
	_, err := s.WriteTo(bufio.NewWriter(closed))
	require.ErrorIs(t, s.outcome(err), ErrClientGone)
	require.NoError(t, tb.ErrorOf(s.WriteTo(io.Discard)))
	require.ErrorIs(t, s.outcome(syscall.ECONNRESET), ErrClientGone)
	require.NotZero(t, conn.deadline)
	require.NoError(t, s.CloseWithError(nil))
	require.Zero(t, conn.deadline)
}
