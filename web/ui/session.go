package ui

import (
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/identity"
)

// SessionCookie names the cookie of the session. Browsers send a __Host- cookie to no other host.
const SessionCookie = "__Host-dg"

// hostCookie returns a cookie without an expiry. name begins with __Host-, so that browsers require
// Secure, the path "/" and no domain.
func hostCookie(name, value string) *fiber.Cookie {
	return &fiber.Cookie{
		Name:        name,
		Value:       value,
		Path:        "/",
		Secure:      true,
		HTTPOnly:    true,
		SameSite:    fiber.CookieSameSiteLaxMode,
		SessionOnly: true,
	}
}

type sessionKey struct{}

// BegunSession returns the session that SetSession stored for this request, or the zero value.
func BegunSession(c *fiber.Ctx) identity.Session {
	session, _ := c.Locals(sessionKey{}).(identity.Session)
	return session
}

// SetSession sets the cookie in the browser, and in the current request for later reads.
func SetSession(c *fiber.Ctx, session identity.Session) {
	c.Locals(sessionKey{}, session)
	c.Cookie(hostCookie(SessionCookie, session.Token))
	c.Request().Header.SetCookie(SessionCookie, session.Token)
}

// ClearCookie deletes a cookie of hostCookie in the browser and in the current request.
func ClearCookie(c *fiber.Ctx, name string) {
	expired := hostCookie(name, "")
	expired.SessionOnly = false
	expired.MaxAge = -1
	expired.Expires = time.Unix(0, 0)
	c.Cookie(expired)
	c.Request().Header.DelCookie(name)
}
