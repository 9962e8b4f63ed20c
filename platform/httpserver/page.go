package httpserver

import (
	"github.com/gofiber/fiber/v2"
)

// SendPage answers with a page for people, compressed when the browser asks.
func SendPage(c *fiber.Ctx, status int, html []byte) error {
	c.Status(status)
	return sendCoded(c, File{Body: html, MediaType: fiber.MIMETextHTMLCharsetUTF8})
}

// File is a stylesheet, a script or a picture that the program holds.
type File struct {
	Body, Gzipped []byte
	MediaType     string
	CacheControl  string
	Version       string // of Body: another one whenever it differs
}

// SendFile answers with a file, or with 304 where the browser has it already.
func SendFile(c *fiber.Ctx, f File) error {
	etag := ETag(c, f.Version)
	c.Set(fiber.HeaderCacheControl, f.CacheControl)
	c.Set(fiber.HeaderVary, fiber.HeaderAcceptEncoding)
	c.Set(fiber.HeaderETag, etag)
	if NotModified(c, etag) {
		c.Status(fiber.StatusNotModified)
		return nil
	}
	return sendCoded(c, f)
}

// sendCoded sends a body in the coding that the client asks for.
func sendCoded(c *fiber.Ctx, f File) error {
	body := f.Body
	if len(body) >= minGzip && gzipAccepted(&c.Context().Request.Header) {
		if body = f.Gzipped; body == nil {
			body = Gzip(f.Body)
		}
		c.Set(fiber.HeaderContentEncoding, "gzip")
	}
	c.Set(fiber.HeaderVary, fiber.HeaderAcceptEncoding)
	c.Set(fiber.HeaderContentType, f.MediaType)
	c.Context().Response.SetBodyRaw(body)
	return nil
}
