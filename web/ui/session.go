package ui

import (
	"context"

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
