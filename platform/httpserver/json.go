package httpserver

import (
	"io"

	"github.com/gofiber/fiber/v2"
)

// JSONOptions describe a JSON response. The zero value has no ETag.
type JSONOptions struct {
	ETag string
	// Sent is called once: when a body in blocks was sent or aborted, and immediately for any
	// other body. It may be nil.
	Sent func()
}

// SendJSON responds with a JSON body. A long one is compressed if the client accepts gzip. HEAD
// gets the headers. The body is not copied and must not change. Above BlockSize it is sent in
// blocks.
func SendJSON(c *fiber.Ctx, body []byte, o JSONOptions) error {
	ctx := c.Context()
	body = encode(c, body)
	o.setHeaders(c)
	if len(body) > BlockSize && !ctx.IsHead() {
		newStream(c, &bodySource{rest: body, sent: o.Sent}).send(ctx, len(body))
		return nil
	}
	ctx.Response.SetBodyRaw(body)
	if o.Sent != nil {
		o.Sent()
	}
	return nil
}

type bodySource struct {
	rest []byte
	sent func()
}

func (w *bodySource) Next() ([]byte, error) {
	if len(w.rest) == 0 {
		return nil, io.EOF
	}
	n := min(BlockSize, len(w.rest))
	block := w.rest[:n]
	w.rest = w.rest[n:]
	return block, nil
}

func (w *bodySource) Close(int64, error) {
	if w.sent != nil {
		w.sent()
	}
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
