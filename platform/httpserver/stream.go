package httpserver

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/klauspost/compress/gzip"
	"github.com/valyala/fasthttp"
)

// ErrClientGone means that the client left, or stopped reading, before it had the whole body.
var ErrClientGone = errors.New("the client is gone")

const (
	// BlockSize is the target size of a chunk, in bytes. Small chunks make exports slow.
	BlockSize = 64 << 10
	// blockWriteTimeout is the write deadline of each block.
	blockWriteTimeout = 9 * time.Second
	// sendBuffer is SO_SNDBUF. Autotuning may grow the buffer to 4 MB, and a slow but steady reader
	// would then miss deadlines.
	sendBuffer = 128 << 10
	gzipLevel  = 2 // levels 3 to 7 save at most 4% more but take up to three times as long
)

// Source yields a body block by block. Only one goroutine at a time calls its methods.
type Source interface {
	// Next returns the next block: about BlockSize bytes, valid until the next call. At the end of
	// the body it returns io.EOF, unwrapped and without a block.
	Next() ([]byte, error)
	// Close is called once, after the last Next. sent counts bytes after compression. err is nil if
	// the whole body was sent, or if HTTP/1.0 or a Range header was refused. Otherwise it is
	// ErrClientGone, ErrStopped or the error of Next.
	Close(sent int64, err error)
}

// Stream responds with header and the source's blocks, compressed if the client accepts gzip. It
// returns an error of the first block, which becomes the response; a later error resets the
// connection. It always closes the source. HTTP/1.0 gets 505, because a truncated file without
// chunks looks complete. A Range header gets 400.
func Stream(c *fiber.Ctx, source Source, header map[string]string) error {
	s := newStream(c, source)
	if err := cmp.Or(checkVersion(c), checkRange(c)); err != nil {
		s.close(nil)
		return err
	}
	if err := s.read(); err != nil { // no byte was sent yet, so an error response is possible
		s.close(err)
		return err
	}
	s.compress = acceptsGzip(&c.Context().Request.Header)
	setStreamHeaders(c, header, s.compress)
	s.send(c.Context(), -1)
	return nil
}

func checkVersion(c *fiber.Ctx) error {
	if c.Context().Request.Header.IsHTTP11() {
		return nil
	}
	return fiber.ErrHTTPVersionNotSupported
}

// StreamHead responds to HEAD with the headers of Stream, or with 505.
func StreamHead(c *fiber.Ctx, header map[string]string) error {
	if err := checkVersion(c); err != nil {
		return err
	}
	setStreamHeaders(c, header, acceptsGzip(&c.Context().Request.Header))
	c.Context().Response.Header.SetContentLength(-1) // chunked, as for GET
	return nil
}

// StreamNotModified responds with 304 and the headers of Stream.
func StreamNotModified(c *fiber.Ctx, header map[string]string) error {
	setStreamHeaders(c, header, false)
	c.Status(fiber.StatusNotModified)
	return nil
}

func setStreamHeaders(c *fiber.Ctx, header map[string]string, compress bool) {
	h := &c.Context().Response.Header
	h.Set(fiber.HeaderVary, varyOn)
	// a compressing proxy could end a truncated file with a valid footer
	h.Set(fiber.HeaderCacheControl, "no-store, no-transform")
	for name, value := range header {
		h.Set(name, value)
	}
	if compress {
		h.Set(fiber.HeaderContentEncoding, "gzip")
	}
	c.Status(fiber.StatusOK)
}

// stream is a response body that fasthttp sends after the handler has returned.
type stream struct {
	source    Source
	conn      net.Conn
	tcp       socket // nil if conn is not a TCP connection
	req       *request
	compress  bool
	block     []byte // read but not yet sent
	ended     bool
	sent      int64
	sourceErr error // an error of the source, not of the connection
	complete  bool  // whether all blocks were written
}

// socket has the options of a TCP connection that streams set.
type socket interface {
	SetLinger(seconds int) error
	SetWriteBuffer(bytes int) error
}

// tcpOf returns the TCP connection, or nil. It unwraps connections that have tls.Conn's method
// NetConn, because another program's listener may use TLS.
func tcpOf(c net.Conn) socket {
	if wrapper, ok := c.(interface{ NetConn() net.Conn }); ok {
		return tcpOf(wrapper.NetConn())
	}
	tcp, _ := c.(socket)
	return tcp
}

func newStream(c *fiber.Ctx, source Source) *stream {
	conn := c.Context().Conn()
	return &stream{source: source, conn: conn, tcp: tcpOf(conn), req: requestOf(c)}
}

func (s *stream) read() error {
	err := recoverPanic(func() (err error) {
		s.block, err = s.source.Next()
		return err
	})
	if s.ended = err == io.EOF; s.ended { //nolint:errorlint // a wrapped io.EOF may be a lost connection
		return nil
	}
	return err
}

func (s *stream) send(ctx *fasthttp.RequestCtx, size int) {
	s.req.streaming = true
	ctx.Response.SetBodyStream(s, size)
}

// SupportsBodyWriteTo makes fasthttp call WriteTo, not Read.
func (*stream) SupportsBodyWriteTo() bool { return true }

// Read must not return io.EOF, which would make a truncated chunked body look complete.
func (*stream) Read([]byte) (int, error) {
	return 0, errors.New("httpserver: a stream is sent with WriteTo")
}

func (s *stream) WriteTo(out io.Writer) (int64, error) {
	defer context.AfterFunc(s.req.serverCtx, func() { _ = s.conn.SetWriteDeadline(time.Now()) })()
	if s.tcp != nil { // errors are ignored: on a closed connection the first write fails too
		_ = s.tcp.SetLinger(0) // makes any close a reset, also the close by the kernel when dg dies
		_ = s.tcp.SetWriteBuffer(sendBuffer)
	}
	writer := &blockWriter{s, out}
	err := s.copyOrCompress(writer)
	if err == nil {
		err = writer.extendDeadline() // leaves time for the final chunk
	}
	if buffer, ok := out.(*bufio.Writer); ok && err == nil { // it still holds the end of a body of known length
		err = buffer.Flush()
	}
	s.complete = err == nil
	return s.sent, err
}

// copyTo writes all blocks to w. It flushes the first block, so that the response begins at once.
func (s *stream) copyTo(w io.Writer, flush func() error) error {
	for isFirst := true; !s.ended; isFirst = false {
		if _, err := w.Write(s.block); err != nil {
			return fmt.Errorf("send a block: %w", err)
		}
		if isFirst {
			if err := flush(); err != nil {
				return err
			}
		}
		if s.sourceErr = s.read(); s.sourceErr != nil {
			return fmt.Errorf("read the source: %w", s.sourceErr)
		}
	}
	return nil
}

var gzipWriters = sync.Pool{New: func() any { return newGzipWriter(gzipLevel) }}

// copyOrCompress calls copyTo, through gzip if s.compress is set. A truncated file gets no footer.
func (s *stream) copyOrCompress(w io.Writer) error {
	if !s.compress {
		return s.copyTo(w, func() error { return nil })
	}
	blocks := bufio.NewWriterSize(w, BlockSize)
	zipped := gzipWriters.Get().(*gzip.Writer)
	defer gzipWriters.Put(zipped)
	zipped.Reset(blocks)
	if err := s.copyTo(zipped, func() error { return errors.Join(zipped.Flush(), blocks.Flush()) }); err != nil {
		return err
	}
	return errors.Join(zipped.Close(), blocks.Flush())
}

// blockWriter sets a new write deadline for each block: the whole transfer has none.
type blockWriter struct {
	stream *stream
	out    io.Writer
}

func (w *blockWriter) Write(block []byte) (int, error) {
	if err := w.extendDeadline(); err != nil {
		return 0, err
	}
	n, err := w.out.Write(block)
	w.stream.sent += int64(n)
	return n, err
}

// extendDeadline fails once the server stops: the new deadline may have replaced that of WriteTo.
func (w *blockWriter) extendDeadline() error {
	err := w.stream.conn.SetWriteDeadline(time.Now().Add(blockWriteTimeout))
	return errors.Join(err, context.Cause(w.stream.req.serverCtx))
}

// fasthttp calls CloseWithError once. Unlike io.Closer's Close, it receives the write error.
func (s *stream) CloseWithError(writeErr error) error {
	err := s.outcome(writeErr)
	if err == nil && s.tcp != nil { // an error means that the connection is gone
		_ = s.tcp.SetLinger(-1)
	}
	if err == nil && s.req.srv.app == nil { // without a WriteTimeout, fasthttp keeps the deadline
		_ = s.conn.SetWriteDeadline(time.Time{})
	}
	s.close(err)
	if s.req.streaming { // otherwise another response replaced the body
		s.req.end(fiber.StatusOK, s.sent, err)
	}
	return err
}

func (s *stream) outcome(writeErr error) error {
	switch {
	case s.sourceErr != nil:
		return s.sourceErr
	case s.complete && writeErr == nil:
		return nil
	case context.Cause(s.req.serverCtx) != nil:
		return context.Cause(s.req.serverCtx)
	case writeErr == nil:
		return ErrClientGone // fasthttp closed the stream before its end
	}
	return fmt.Errorf("%w: %w", ErrClientGone, writeErr)
}

func (s *stream) close(err error) {
	panicErr := recoverPanic(func() error {
		s.source.Close(s.sent, err)
		return nil
	})
	if panicErr != nil {
		s.req.log().Error("a source was not closed", "request_id", s.req.id, "error", panicErr.Error())
	}
}
