package apikeys

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/audit"
	"dg/platform/httpserver"
)

// AuditRequest returns the request for the audit log, with the secrets of keys redacted. It copies
// strings, because fiber reuses their buffers.
func AuditRequest(c *fiber.Ctx, path string) audit.Request {
	return audit.Request{
		Method:    strings.Clone(c.Method()),
		Path:      strings.Clone(Redact(path)),
		Address:   httpserver.ClientAddr(c),
		UserAgent: strings.Clone(Redact(c.Get(fiber.HeaderUserAgent))),
		ID:        httpserver.RequestID(c),
	}
}
