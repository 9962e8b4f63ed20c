package httpserver

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// ETag returns the strong tag of the response. A version must change whenever the body may change.
// The accepted coding is part of the tag, because a strong tag promises the same bytes.
func ETag(c *fiber.Ctx, version ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(version, "\n")))
	tag := base64.RawURLEncoding.EncodeToString(sum[:16])
	if gzipAccepted(&c.Context().Request.Header) {
		tag += "-gzip"
	}
	return `"` + tag + `"`
}

// NotModified reports whether the client already has the response with this tag, which is unique, so
// that the list is not parsed. Call it when the resource is known to exist: "*" matches any that does.
func NotModified(c *fiber.Ctx, etag string) bool {
	sent := c.Context().Request.Header.PeekAll(fiber.HeaderIfNoneMatch)
	return slices.ContainsFunc(sent, func(line []byte) bool {
		return string(bytes.TrimSpace(line)) == "*" || bytes.Contains(line, []byte(etag))
	})
}

// SendNotModified responds with 304 and, as RFC 9110 requires, the headers of the 200.
func SendNotModified(c *fiber.Ctx, etag string) error {
	h := &c.Context().Response.Header
	h.Set(fiber.HeaderETag, etag)
	h.Set(fiber.HeaderCacheControl, cachePrivate)
	h.Set(fiber.HeaderVary, varyOn)
	c.Status(fiber.StatusNotModified)
	return nil
}
