package web

import (
	"strings"

	"github.com/gofiber/fiber/v2"
)

// contentPolicy allows what the screens are made of: files of this site, and nothing inline.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// setHeaders sets what every page has, an error page too.
func (h *Handler) setHeaders(c *fiber.Ctx) {
	// What one reader may see, the next one on the same machine may not, nor the same one after a sign-out.
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Set(fiber.HeaderContentSecurityPolicy, contentPolicy)
	c.Set(fiber.HeaderXFrameOptions, "DENY") // for browsers that do not know frame-ancestors
	// No referrer at all would take the Origin from forms, which rejectCrossOrigin reads.
	c.Set(fiber.HeaderReferrerPolicy, "same-origin")
	c.Set("Cross-Origin-Opener-Policy", "same-origin")
	if strings.HasPrefix(h.base, "https:") {
		c.Set(fiber.HeaderStrictTransportSecurity, "max-age=31536000; includeSubDomains")
	}
}

func (h *Handler) headers(c *fiber.Ctx) error {
	h.setHeaders(c)
	return c.Next()
}
