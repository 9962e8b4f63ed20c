package web

import (
	"cmp"
	"errors"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/identity"
	"dg/platform/httpserver"
	"dg/platform/limit"
	"dg/web/ui"
)

// handle serves a screen on any fiber.App: its failures are pages, and a session that has ended
// leads to the sign-in.
func (h *Handler) handle(c *fiber.Ctx) error {
	return httpserver.Handle(c, h.ErrorPage, func(c *fiber.Ctx) error {
		err := c.Next()
		if !errors.Is(err, identity.ErrNoSession) {
			return err
		}
		// Every form has the address of its page, which is then shown without what was sent.
		next := cmp.Or(downloadScreen(c), ui.LocalPath(c.OriginalURL()))
		return c.Redirect(h.guard.Auth.SignInPath(next), fiber.StatusSeeOther)
	})
}

// prepare sets the headers of a screen, and the request of security events in its context. A request
// with a session holds a place among those of its organisation.
func (h *Handler) prepare(c *fiber.Ctx) error {
	h.setHeaders(c)
	c.SetUserContext(identity.WithRequest(c.UserContext(), apikeys.RequestOf(c, c.Path())))
	token := c.Cookies(ui.SessionCookie)
	if token == "" { // passwords have a limit of their own
		return c.Next()
	}
	surface := limit.Screens
	if strings.HasSuffix(c.Path(), "/revoke") {
		surface = limit.Revoke
	}
	release, err := h.requests.Acquire(c.UserContext(), surface, token,
		httpserver.ClientNetwork(c))
	if err != nil {
		return err
	}
	defer release()
	ui.SetPlace(c, release)
	return c.Next()
}

// contentPolicy allows files of this site, and nothing inline.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// setHeaders sets the headers of every page, error pages included.
func (h *Handler) setHeaders(c *fiber.Ctx) {
	// no page is readable after the sign-out, or by another person
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Set(fiber.HeaderContentSecurityPolicy, contentPolicy)
	c.Set(fiber.HeaderXFrameOptions, "DENY") // for browsers without frame-ancestors
	// no-referrer would turn the Origin of forms into null
	c.Set(fiber.HeaderReferrerPolicy, "same-origin")
	c.Set("Cross-Origin-Opener-Policy", "same-origin")
	if strings.HasPrefix(h.Base, "https:") {
		c.Set(fiber.HeaderStrictTransportSecurity, "max-age=31536000; includeSubDomains")
	}
}
