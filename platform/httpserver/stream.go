package httpserver

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
)

// blockSize is what a stream sends in one write and one chunk: 64 KB gave 300 MB/s where 4 KB gave 116.
const blockSize = 64 << 10

// Why a stream was broken off, beside ErrStopped, the cause of StreamOptions.Context and the source's own errors.
var (
	// ErrClientGone means that the client left before it had everything.
	ErrClientGone = errors.New("the client is gone")
	// ErrClientStalled means that the client stopped reading. It is an ErrClientGone as well.
	ErrClientStalled = fmt.Errorf("%w: it stopped reading", ErrClientGone)
)

// errOldHTTP is the answer to HTTP/1.0, where a file that was cut off looks like a whole one: there are no chunks.
var errOldHTTP = &refused{Failure{
	Status: fiber.StatusHTTPVersionNotSupported, Code: failureOf(fiber.StatusHTTPVersionNotSupported).Code,
	Detail:  failureOf(fiber.StatusHTTPVersionNotSupported).Detail,
	Message: "Files are sent over HTTP/1.1 only, where a broken transfer can be noticed. Use HTTP/1.1.",
}}

// Source yields a file piece by piece. It is used by one goroutine at a time.
type Source interface {
	// Next appends at least one byte to buf and returns it. It returns io.EOF itself at the end of the file; any
	// other error, one that wraps io.EOF included, breaks the transfer.
	Next(buf []byte) ([]byte, error)
	// Close is called exactly once, after the last Next, with the context given to open already ended. err is
	// nil when the whole file was handed over, else it says what became of it: ErrClientGone (ErrClientStalled),
	// ErrStopped, the cause of StreamOptions.Context, or what Next returned.
	Close(err error)
}

// StreamOptions says how a file is sent.
type StreamOptions struct {
	// Context breaks the stream off when it ends, with context.Cause as the reason, even in the middle of a
	// write. nil means that only the server's stopping does.
	Context     context.Context
	ContentType string
	// Header is read after the first block is there, so that open may still add to it.
	Header map[string]string
	// Gzip allows compression; the client's Accept-Encoding decides.
	Gzip bool
	// WriteTimeout is how long the client may take for one block of 64 KB; the default is the server's.
	WriteTimeout time.Duration
	// Finished is called once for every source that was opened, after its Close, with the bytes sent (after
	// compression) and the same outcome.
	Finished func(bytes int64, err error)
}

// Stream answers with the file that open yields. open and the first 64 KB run before the answer starts: what fails
// until then is returned, for WriteError, and nothing was sent. What fails later breaks the transfer, so that every
// client notices. The context given to open ends when the client leaves, when Options.Context ends, when the server
// stops and when the stream is over; queries belong on it.
//
// HEAD gets the headers and opens nothing; HTTP/1.0 gets 505. open and the source must not keep the *fiber.Ctx: it
// serves another request while the file is sent.
func Stream(c *fiber.Ctx, open func(ctx context.Context) (Source, error), o StreamOptions) error {
	ctx := c.Context()
	if !ctx.Request.Header.IsHTTP11() {
		return errOldHTTP
	}
	compress := o.Gzip && gzipAccepted(&ctx.Request.Header)
	if ctx.IsHead() {
		o.setHeaders(c, compress)
		ctx.Response.Header.SetContentLength(-1) // as for GET, or fasthttp would say 0
		return nil
	}
	x := exchangeOf(ctx)
	if o.WriteTimeout <= 0 {
		o.WriteTimeout = x.srv.opts.WriteTimeout
	}
	t := newTransfer(x, ctx.Conn(), o, compress)
	if err := t.start(open); err != nil {
		return err
	}
	o.setHeaders(c, compress)
	x.streaming = true
	ctx.Response.SetBodyStream(t, -1)
	return nil
}

// setHeaders writes the headers of the file.
func (o StreamOptions) setHeaders(c *fiber.Ctx, compress bool) {
	h := &c.Context().Response.Header
	h.Set(fiber.HeaderVary, varyOn)
	for k, v := range o.Header {
		h.Set(k, v)
	}
	if compress {
		h.Set(fiber.HeaderContentEncoding, "gzip")
	}
	h.SetContentType(o.ContentType)
	// A proxy that compresses on its own could end a broken file properly.
	cache := string(h.Peek(fiber.HeaderCacheControl))
	switch {
	case cache == "":
		h.Set(fiber.HeaderCacheControl, "no-transform")
	case !strings.Contains(cache, "no-transform"):
		h.Set(fiber.HeaderCacheControl, cache+", no-transform")
	}
	c.Status(fiber.StatusOK)
}
