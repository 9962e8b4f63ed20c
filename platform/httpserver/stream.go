package httpserver

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"dg/platform/httpserver/body"
)

// blockTimeout is how long a client may take for one block of a file.
const blockTimeout = 9 * time.Second

// Bounds of the kernel's send buffer (SO_SNDBUF). Autotuning grows it to 4 MB, and a slow but
// steady reader then misses every write deadline.
const (
	sendBuffer = 128 << 10
	// The first block of a file does not fit, so that a client that reads nothing stops the source.
	firstSendBuffer = 16 << 10
	// Thousands of clients may request an unauthenticated response and not read it.
	publicSendBuffer = 32 << 10
)

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

// Stream responds with the file that open yields. It returns errors of open and of the first 64 KB
// for WriteError; a later error resets the connection. The context given to open ends with the
// client, Options.Context, the server or the stream: run queries with it.
//
// HEAD gets the headers and opens nothing. HTTP/1.0 gets 505, because a truncated file without
// chunks looks complete. open and the source must not keep the *fiber.Ctx, which then serves
// another request.
func Stream(c *fiber.Ctx, open func(ctx context.Context) (body.Source, error), o StreamOptions) error {
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
	b, release := o.newBody(ctx)
	stopDeadline := context.AfterFunc(rec.ctx, func() { b.Cancel(context.Cause(rec.ctx)) })
	err := b.Open(open)
	stopDeadline()
	if err != nil {
		release()
		return err
	}
	if compress {
		b.Compress()
	}
	o.setHeaders(c, compress)
	rec.send(ctx, b, -1)
	return nil
}

// newBody returns the body, which ends with the server and with the client. Its end calls release.
func (o StreamOptions) newBody(ctx *fasthttp.RequestCtx) (b *body.Body, release func() bool) {
	rec := recordOf(ctx)
	parent := o.Context
	if parent == nil {
		parent = rec.srv.base
	}
	options := rec.bodyOptions(ctx)
	options.Context = rec.withSpan(parent)
	options.Timeout = cmp.Or(o.WriteTimeout, blockTimeout)
	options.FirstSendBuffer = firstSendBuffer
	options.SendBuffer = sendBuffer
	options.Done = func(sent int64, err error) {
		defer rec.bodySent(sent, err)
		release()
		if o.Finished != nil {
			o.Finished(sent, err)
		}
	}
	b = body.New(options)
	release = context.AfterFunc(rec.srv.base, func() { b.Cancel(ErrStopped) })
	go watchDisconnect(b.Context(), connOf(ctx), func() { b.Cancel(body.ErrClientGone) })
	return b, release
}

// bodyOptions are the options of a body that ends with the server.
func (rec *requestRecord) bodyOptions(ctx *fasthttp.RequestCtx) body.Options {
	o := body.Options{
		Context:    rec.srv.base,
		Conn:       ctx.Conn(),
		Timeout:    rec.srv.opts.WriteTimeout,
		SendBuffer: sendBuffer,
		Log:        rec.srv.log.With("request_id", rec.id),
		Done:       rec.bodySent,
	}
	if !rec.authenticated {
		o.SendBuffer = publicSendBuffer
	}
	return o
}

// send makes b the body of the response, of a known size or -1. The record ends with it.
func (rec *requestRecord) send(ctx *fasthttp.RequestCtx, b *body.Body, size int) {
	rec.streaming = true
	ctx.Response.SetBodyStream(b, size)
}

// bodySent ends the record, unless another response replaced the body.
func (rec *requestRecord) bodySent(sent int64, err error) {
	if rec.streaming {
		rec.end(fiber.StatusOK, sent, err)
	}
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
