package web

import (
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/identity"
)

// sessionCookie holds the session's token. Its prefix limits it to this host, over https or loopback only.
const sessionCookie = "__Host-dg"

// hostCookie is a cookie that ends with the browser's session.
func hostCookie(name, value string) *fiber.Cookie {
	return &fiber.Cookie{
		Name: name, Value: value, Path: "/", Secure: true, HTTPOnly: true, SameSite: fiber.CookieSameSiteLaxMode, SessionOnly: true,
	}
}

// setSession replaces the session of this browser, and of this request.
func setSession(c *fiber.Ctx, session identity.Session) {
	c.Cookie(hostCookie(sessionCookie, session.Token))
	c.Request().Header.SetCookie(sessionCookie, session.Token)
}

// clearSession removes the session from this browser, and from this request.
func clearSession(c *fiber.Ctx) {
	clearCookie(c, sessionCookie)
}

// clearCookie removes a cookie from this browser, and from this request.
func clearCookie(c *fiber.Ctx, name string) {
	gone := hostCookie(name, "")
	gone.SessionOnly, gone.MaxAge, gone.Expires = false, -1, time.Unix(0, 0)
	c.Cookie(gone)
	c.Request().Header.DelCookie(name)
}
