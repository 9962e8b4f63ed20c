package ui

import (
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/identity"
)

// SessionCookie holds the session's token. Its prefix limits it to this host, over https or
// loopback only.
const SessionCookie = "__Host-dg"

// HostCookie returns a session cookie: it ends when the browser closes.
func HostCookie(name, value string) *fiber.Cookie {
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

// SetSession replaces the session of this browser, and of this request.
func SetSession(c *fiber.Ctx, session identity.Session) {
	c.Cookie(HostCookie(SessionCookie, session.Token))
	c.Request().Header.SetCookie(SessionCookie, session.Token)
}

// ClearCookie removes a cookie from this browser, and from this request.
func ClearCookie(c *fiber.Ctx, name string) {
	gone := HostCookie(name, "")
	gone.SessionOnly = false
	gone.MaxAge = -1
	gone.Expires = time.Unix(0, 0)
	c.Cookie(gone)
	c.Request().Header.DelCookie(name)
}
