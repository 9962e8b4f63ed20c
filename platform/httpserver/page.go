package httpserver

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/gofiber/fiber/v2"
)

// SendPage responds with HTML, compressed when the browser asks.
func SendPage(c *fiber.Ctx, status int, html []byte) error {
	c.Status(status)
	c.Set(fiber.HeaderVary, fiber.HeaderAcceptEncoding)
	c.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
	c.Context().Response.SetBodyRaw(encode(c, html))
	return nil
}

// File is a static file: a stylesheet, a script, a picture.
type File struct {
	Body, Gzipped []byte
	MediaType     string
	CacheControl  string
	Version       string // changes whenever Body does
}

// NewFile compresses a file. Its Cache-Control makes clients revalidate it with each use.
func NewFile(body []byte, mediaType string) File {
	sum := sha256.Sum256(body)
	return File{body, Gzip(body), mediaType, "no-cache", hex.EncodeToString(sum[:6])}
}

// SendFile responds with a file, or with 304 if its ETag matches.
func SendFile(c *fiber.Ctx, f File) error {
	etag := ETag(c, f.Version)
	c.Set(fiber.HeaderCacheControl, f.CacheControl)
	c.Set(fiber.HeaderVary, fiber.HeaderAcceptEncoding)
	c.Set(fiber.HeaderETag, etag)
	if NotModified(c, etag) {
		c.Status(fiber.StatusNotModified)
		return nil
	}
	c.Set(fiber.HeaderContentType, f.MediaType)
	body := f.Body
	if gzipAccepted(&c.Context().Request.Header) {
		c.Set(fiber.HeaderContentEncoding, "gzip")
		body = f.Gzipped
	}
	c.Context().Response.SetBodyRaw(body)
	return nil
}
