package httpserver

import (
	"bytes"
	"context"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"dg/platform/httpserver/body"
)

// JSONOptions says how a JSON response is sent. Its zero value is no tag.
type JSONOptions struct {
	ETag string
	// Gzipped returns Gzip(body) where the caller keeps it.
	Gzipped func() []byte
}

// SendJSON responds with a JSON body, compressed if the client accepts it. HEAD gets the headers.
// The body is not copied and must not change. Above body.BlockSize it is sent in blocks, each with
// its own write deadline; a caller that makes it for one request holds a lease for it
// (AttachLease).
func SendJSON(c *fiber.Ctx, whole []byte, o JSONOptions) error {
	ctx := c.Context()
	whole = encode(c, whole, o.Gzipped)
	o.setHeaders(c)
	if len(whole) <= body.BlockSize || ctx.IsHead() {
		ctx.Response.SetBodyRaw(whole)
		return nil
	}
	rec := recordOf(ctx)
	rec.lease.Keep(int64(len(whole)))
	b, err := rec.openPieces(ctx, body.Whole(whole))
	if err == nil {
		rec.send(ctx, b, len(whole))
	}
	return err
}

// SendJSONPieces is SendJSON for GET that makes the body while it sends it, in chunks of one block.
// For HTTP/1.0 it calls pieces twice, once for the length. The lease keeps a block and held bytes.
func SendJSONPieces(c *fiber.Ctx, pieces func() body.Pieces, held int64) error {
	ctx := c.Context()
	rec := recordOf(ctx)
	b, err := rec.openPieces(ctx, pieces())
	if err != nil {
		return err
	}
	if first, whole := b.First(); whole {
		first = bytes.Clone(first)
		_ = b.CloseWithError(nil)
		return SendJSON(c, first, JSONOptions{})
	}
	compress := gzipAccepted(&ctx.Request.Header)
	size := -1
	if !ctx.Request.Header.IsHTTP11() {
		if size, err = body.Size(pieces(), compress); err != nil {
			_ = b.CloseWithError(err)
			return err
		}
	}
	if compress {
		c.Set(fiber.HeaderContentEncoding, "gzip")
		b.Compress()
	}
	JSONOptions{}.setHeaders(c)
	rec.lease.Keep(held + body.BufferSize)
	rec.send(ctx, b, size)
	return nil
}

// openPieces returns a body of pieces, with its first block.
func (rec *requestRecord) openPieces(ctx *fasthttp.RequestCtx, p body.Pieces) (*body.Body, error) {
	b := body.New(rec.bodyOptions(ctx))
	return b, b.Open(func(context.Context) (body.Source, error) { return p, nil })
}

// SendJSONHead responds to HEAD where the body is not made: with the headers that do not depend on
// it, without a length.
func SendJSONHead(c *fiber.Ctx) error {
	JSONOptions{}.setHeaders(c)
	h := &c.Context().Response.Header
	h.SetContentLength(-1) // fasthttp would send 0
	h.Del(fiber.HeaderTransferEncoding)
	return nil
}

func (o JSONOptions) setHeaders(c *fiber.Ctx) {
	h := &c.Context().Response.Header
	if o.ETag != "" {
		h.Set(fiber.HeaderETag, o.ETag)
	}
	h.Set(fiber.HeaderCacheControl, cachePrivate)
	h.Set(fiber.HeaderVary, varyOn)
	h.SetContentType(contentJSON)
	c.Status(fiber.StatusOK)
}
