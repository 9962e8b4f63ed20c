package httpserver

import (
	"cmp"

	"github.com/gofiber/fiber/v2"
)

// JSONOptions says how a JSON answer is sent. Its zero value is 200, private, no tag.
type JSONOptions struct {
	Status       int
	ETag         string
	CacheControl string
	// Gzipped gives Gzip(body) where the caller keeps it; it saves compressing the same body at each request.
	Gzipped func() []byte
}

// SendJSON answers with a JSON body, compressed when the client asks and it pays. The body must not change any more:
// it is not copied, so one that is kept can be sent to many at once. HEAD gets the same headers and no body. A body of more
// than StreamThreshold may take its reader minutes: whoever makes one for a single request holds a lease for it (AttachLease).
func SendJSON(c *fiber.Ctx, body []byte, o JSONOptions) error {
	ctx := c.Context()
	h := &ctx.Response.Header
	if len(body) >= minGzip && gzipAccepted(&ctx.Request.Header) {
		if o.Gzipped != nil {
			body = o.Gzipped()
		} else {
			body = Gzip(body)
		}
		h.Set(fiber.HeaderContentEncoding, "gzip")
	}
	o.setHeaders(c)

	x := exchangeOf(ctx)
	if len(body) > StreamThreshold && !ctx.IsHead() && x.srv.base != nil {
		sendPaced(c, x, body)
		return nil
	}
	ctx.Response.SetBodyRaw(body)
	return nil
}

// SendJSONHead answers HEAD where the body is not made: with the headers that do not depend on it, and without a length.
func SendJSONHead(c *fiber.Ctx, o JSONOptions) error {
	o.setHeaders(c)
	h := &c.Context().Response.Header
	h.SetContentLength(-1) // or fasthttp would say 0
	h.Del(fiber.HeaderTransferEncoding)
	return nil
}

func (o JSONOptions) setHeaders(c *fiber.Ctx) {
	h := &c.Context().Response.Header
	if o.ETag != "" {
		h.Set(fiber.HeaderETag, o.ETag)
	}
	h.Set(fiber.HeaderCacheControl, cmp.Or(o.CacheControl, cachePrivate))
	h.Set(fiber.HeaderVary, varyOn)
	h.SetContentType(contentJSON)
	c.Status(cmp.Or(o.Status, fiber.StatusOK))
}
