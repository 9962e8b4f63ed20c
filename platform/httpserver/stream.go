package httpserver

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
)

// blockSize is the size of a write and a chunk: exports ran at 300 MB/s with 64 KB and at 116 MB/s
// with 4 KB.
const blockSize = 64 << 10

// blockTimeout is how long a client may take for one block.
const blockTimeout = 9 * time.Second

// Causes of a broken stream, besides ErrStopped, the cause of StreamOptions.Context and the
// source's own errors.
var (
	// ErrClientGone means that the client left before it had the whole file.
	ErrClientGone = errors.New("the client is gone")
	// ErrClientStalled means that the client stopped reading. It is an ErrClientGone as well.
	ErrClientStalled = fmt.Errorf("%w: it stopped reading", ErrClientGone)
)

// Source yields a file piece by piece. It is used by one goroutine at a time.
type Source interface {
	// Next appends at least one byte to buf and returns it. It returns io.EOF itself at the end of
	// the file; any other error, one that wraps io.EOF included, breaks the response off.
	Next(buf []byte) ([]byte, error)
	// Close is called exactly once, after the last Next, when the context given to open has ended.
	// err is nil when the whole file was sent, else ErrClientGone (ErrClientStalled), ErrStopped,
	// the cause of StreamOptions.Context, or what Next returned.
	Close(err error)
}

// StreamOptions says how a file is sent.
type StreamOptions struct {
	// Context breaks the stream off when it ends, with context.Cause as the reason, even in the
	// middle of a write. nil means that only the end of the server does.
	Context     context.Context
	ContentType string
	// Header is read once the first block is filled: open may still add to it.
	Header map[string]string
	// Gzip allows compression; the client's Accept-Encoding decides.
	Gzip bool
	// WriteTimeout is how long the client may take for one block of 64 KB; the default is the
	// server's.
	WriteTimeout time.Duration
	// Finished is called once for every opened source, after its Close, with the bytes sent (after
	// compression) and the error that Close got.
	Finished func(bytes int64, err error)
}

// Stream responds with the file that open yields. open and the first 64 KB run before the response
// starts; Stream returns their error for WriteError. A later error resets the connection (PHP's
// file_get_contents ignores resets). The context given to open ends with the client,
// Options.Context, the server or the stream: run queries with it.
//
// HEAD gets the headers and opens nothing. HTTP/1.0 gets 505, because a truncated file without
// chunks looks complete. open and the source must not keep the *fiber.Ctx: it serves another
// request while the file is sent.
func Stream(c *fiber.Ctx, open func(ctx context.Context) (Source, error), o StreamOptions) error {
	ctx := c.Context()
	if !ctx.Request.Header.IsHTTP11() {
		return fiber.NewError(fiber.StatusHTTPVersionNotSupported)
	}
	compress := o.Gzip && gzipAccepted(&ctx.Request.Header)
	if ctx.IsHead() {
		o.setHeaders(c, compress)
		ctx.Response.Header.SetContentLength(-1) // as for GET; fasthttp would send 0
		return nil
	}
	rec := recordOf(ctx)
	if o.WriteTimeout <= 0 {
		o.WriteTimeout = blockTimeout
	}
	b := newStreamBody(rec, ctx.Conn(), o, compress)
	late := context.AfterFunc(rec.ctx, func() { b.cancel(context.Cause(rec.ctx)) })
	err := b.start(open)
	late()
	if err != nil {
		return err
	}
	o.setHeaders(c, compress)
	rec.streaming = true
	ctx.Response.SetBodyStream(b, -1)
	return nil
}

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
	// A proxy that compresses could end a broken file properly.
	cache := string(h.Peek(fiber.HeaderCacheControl))
	switch {
	case cache == "":
		h.Set(fiber.HeaderCacheControl, "no-transform")
	case !strings.Contains(cache, "no-transform"):
		h.Set(fiber.HeaderCacheControl, cache+", no-transform")
	}
	c.Status(fiber.StatusOK)
}
