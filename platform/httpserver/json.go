package httpserver

import (
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
// it is not copied, so one that is kept can be sent to many at once. HEAD gets the same headers and no body.
func SendJSON(c *fiber.Ctx, body []byte, o JSONOptions) error {
	if o.Status == 0 {
		o.Status = fiber.StatusOK
	}
	if o.CacheControl == "" {
		o.CacheControl = cachePrivate
	}
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
	if o.ETag != "" {
		h.Set(fiber.HeaderETag, o.ETag)
	}
	h.Set(fiber.HeaderCacheControl, o.CacheControl)
	h.Set(fiber.HeaderVary, varyOn)
	h.SetContentType(contentJSON)
	c.Status(o.Status)

	x := exchangeOf(ctx)
	if len(body) > pacedFrom && !ctx.IsHead() && x.srv.base != nil {
		return sendPaced(c, x, body)
	}
	ctx.Response.SetBodyRaw(body)
	return nil
}
