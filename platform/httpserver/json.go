package httpserver

import (
	"github.com/gofiber/fiber/v2"
)

// JSONOptions says how a JSON response is sent. Its zero value is no tag.
type JSONOptions struct {
	ETag string
	// Gzipped returns Gzip(body) where the caller keeps it.
	Gzipped func() []byte
}

// SendJSON responds with a JSON body, compressed when the client asks and it pays. HEAD gets the
// same headers and no body. The body is not copied and must not change any more: one that is kept
// can be sent to many clients at once. A body above StreamThreshold may take its reader minutes: a
// caller that makes one for a single request holds a lease for it (AttachLease).
func SendJSON(c *fiber.Ctx, body []byte, o JSONOptions) error {
	ctx := c.Context()
	body = encode(c, body, o.Gzipped)
	o.setHeaders(c)
	if len(body) > StreamThreshold && !ctx.IsHead() {
		sendBlocks(c, blocksOf(body), len(body), int64(len(body)), nil)
		return nil
	}
	ctx.Response.SetBodyRaw(body)
	return nil
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
