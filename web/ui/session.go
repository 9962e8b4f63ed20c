package ui

import (
	"context"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/identity"
)

// Cookies authenticates a request by the session cookie that the sign-in has set.
type Cookies struct {
	Sessions
	Recheck Sessions // for running downloads
}

// Session returns the session of the request's cookie. Errors: identity.ErrNoSession.
func (a Cookies) Session(ctx context.Context, c *fiber.Ctx) (identity.Session, error) {
	token := c.Cookies(SessionCookie)
	if token == "" {
		return identity.Session{}, identity.ErrNoSession
	}
	return a.Sessions.Session(ctx, token)
}

// Revalidate returns the session of the token again, for downloads that outlive their request.
// Errors: identity.ErrNoSession.
func (a Cookies) Revalidate(ctx context.Context, token string) (identity.Session, error) {
	return a.Recheck.Session(ctx, token)
}

// SignInPath is the form for e-mail and password, which continues to next, a path of this site.
func (Cookies) SignInPath(next string) string { return WithNext("/sign-in", next) }

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
