package httpserver

import (
	"io"

	"github.com/gofiber/fiber/v2"
)

// SendJSON responds with a JSON body, which must not change afterwards, and with etag unless that
// is "". It compresses a long body if the client accepts gzip, and sends one above BlockSize in
// blocks, or answers 400 to a Range header. It calls sent, if not nil, once: when a body in blocks
// was sent or aborted, or immediately for any other body.
func SendJSON(c *fiber.Ctx, body []byte, etag string, sent func()) error {
	ctx := c.Context()
	body = encode(c, body)
	blocks := len(body) > BlockSize && !ctx.IsHead()
	if err := checkRange(c); blocks && err != nil {
		if sent != nil {
			sent()
		}
		return err
	}
	setJSONHeaders(c, etag)
	if blocks {
		newStream(c, &bodySource{rest: body, sent: sent}).send(ctx, len(body))
		return nil
	}
	ctx.Response.SetBodyRaw(body)
	if sent != nil {
		sent()
	}
	return nil
}

// JSONHead responds to HEAD with the headers of SendJSON that do not depend on the body.
func JSONHead(c *fiber.Ctx, etag string) error {
	setJSONHeaders(c, etag)
	c.Context().Response.Header.SetContentLength(-1)
	return nil
}

func setJSONHeaders(c *fiber.Ctx, etag string) {
	h := &c.Context().Response.Header
	if etag != "" {
		h.Set(fiber.HeaderETag, etag)
	}
	h.Set(fiber.HeaderCacheControl, cachePrivate)
	h.Set(fiber.HeaderVary, varyOn)
	h.SetContentType(contentJSON)
	c.Status(fiber.StatusOK)
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
