package httpserver

import (
	"bytes"
	"regexp"

	"github.com/gofiber/fiber/v2"
	"github.com/klauspost/compress/gzip"
	"github.com/valyala/fasthttp"
)

// minGzip is the size below which gzip saves no packet.
const minGzip = 1400

// encode returns the body in the coding that the client asks for and sets the header.
func encode(c *fiber.Ctx, plain []byte) []byte {
	if len(plain) < minGzip || !gzipAccepted(&c.Context().Request.Header) {
		return plain
	}
	c.Set(fiber.HeaderContentEncoding, "gzip")
	return Gzip(plain)
}

// Gzip compresses a body at once.
func Gzip(body []byte) []byte {
	buf := bytes.NewBuffer(make([]byte, 0, len(body)/3+64))
	w := gzipWriters.Get().(*gzip.Writer)
	defer gzipWriters.Put(w)
	w.Reset(buf)
	_, _ = w.Write(body) // a bytes.Buffer never fails
	_ = w.Close()
	return buf.Bytes()
}

// acceptedGzip finds gzip with a weight above zero. Fiber's AcceptsEncodings ignores weights.
var acceptedGzip = regexp.MustCompile(
	`(?i)(?:^|,)\s*(?:x-)?gzip\s*(?:;\s*q=(?:1(?:\.0*)?|0?\.\d*[1-9]\d*)\s*)?(?:,|$)`)

// gzipAccepted reports whether the client accepts gzip by its name.
func gzipAccepted(h *fasthttp.RequestHeader) bool {
	return acceptedGzip.Match(bytes.Join(h.PeekAll(fiber.HeaderAcceptEncoding), []byte(",")))
}
