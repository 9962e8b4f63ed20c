package ui

import (
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/identity"
)

// SessionCookie is the name of the cookie with the session's token. Browsers accept the prefix
// __Host- only over https or loopback, and send the cookie to no other host.
const SessionCookie = "__Host-dg"

// HostCookie returns a cookie that scripts cannot read and that ends when the browser closes. name
// begins with __Host-, so that browsers require the attributes set here.
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

// SetSession sends the browser the new session's cookie. It also sets the cookie of the current
// request, so that later reads see the new session.
func SetSession(c *fiber.Ctx, session identity.Session) {
	c.Cookie(HostCookie(SessionCookie, session.Token))
	c.Request().Header.SetCookie(SessionCookie, session.Token)
}

// ClearCookie deletes a cookie of HostCookie in the browser, and removes it from the current
// request.
func ClearCookie(c *fiber.Ctx, name string) {
	gone := HostCookie(name, "")
	gone.SessionOnly = false
	gone.MaxAge = -1
	gone.Expires = time.Unix(0, 0)
	c.Cookie(gone)
	c.Request().Header.DelCookie(name)
}
