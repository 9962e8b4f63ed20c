package httpserver

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// ETag returns the strong tag of the response. One of the versions changes whenever the body may.
// The accepted coding is part of the tag, because a strong tag promises the same bytes.
func ETag(c *fiber.Ctx, version ...string) string {
	sum := sha256.New()
	for _, v := range version {
		// With its length, so that ("ab", "c") and ("a", "bc") differ.
		sum.Write(binary.AppendUvarint(nil, uint64(len(v))))
		sum.Write([]byte(v))
	}
	tag := base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:16])
	if gzipAccepted(&c.Context().Request.Header) {
		tag += "-gzip"
	}
	return `"` + tag + `"`
}

// NotModified reports whether the client already has the response with this tag. Call it after
// every check and when the resource is known to exist: "*" matches any that does.
func NotModified(c *fiber.Ctx, etag string) bool {
	if m := c.Method(); m != fiber.MethodGet && m != fiber.MethodHead {
		return false
	}
	for _, line := range c.Context().Request.Header.PeekAll(fiber.HeaderIfNoneMatch) {
		if listHasTag(string(bytes.TrimSpace(line)), etag) {
			return true
		}
	}
	return false
}

// SendNotModified responds with 304 and the headers that the 200 would have.
func SendNotModified(c *fiber.Ctx, etag string) error {
	h := &c.Context().Response.Header
	h.Set(fiber.HeaderETag, etag)
	h.Set(fiber.HeaderCacheControl, cachePrivate)
	h.Set(fiber.HeaderVary, varyOn)
	c.Status(fiber.StatusNotModified)
	return nil
}

// listHasTag compares weakly (RFC 9110, section 13.1.2). Tags may hold commas, so the list is read
// tag by tag.
func listHasTag(list, etag string) bool {
	if list == "*" {
		return true
	}
	want := strings.TrimPrefix(etag, "W/")
	for {
		list = strings.TrimLeft(list, " \t,")
		list = strings.TrimPrefix(list, "W/")
		if !strings.HasPrefix(list, `"`) {
			return false
		}
		end := strings.IndexByte(list[1:], '"')
		if end < 0 {
			return false
		}
		if list[:end+2] == want {
			return true
		}
		list = list[end+2:]
	}
}
