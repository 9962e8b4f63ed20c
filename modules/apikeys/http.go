package apikeys

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/audit"
	"dg/platform/httpserver"
)

// RequestOf returns the request for the audit log, without the secrets of keys that were pasted into the path or the user
// agent. It clones every string: fiber reuses its buffers for the next request.
func RequestOf(c *fiber.Ctx, path string) audit.Request {
	return audit.Request{
		Method: strings.Clone(c.Method()), Path: strings.Clone(Redact(path)), Address: httpserver.ClientAddr(c),
		UserAgent: strings.Clone(Redact(c.Get(fiber.HeaderUserAgent))), ID: httpserver.RequestID(c),
	}
}
