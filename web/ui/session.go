package ui

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"dg/modules/identity"
)

// Authenticator finds the session of a request. A program with its own sign-in replaces it.
type Authenticator interface {
	// Session returns the session of the request. Errors: identity.ErrNoSession.
	Session(ctx context.Context, c *fiber.Ctx) (identity.Session, error)
	// Revalidate returns the session of the token again, for downloads that outlive their request.
	// Errors: identity.ErrNoSession.
	Revalidate(ctx context.Context, token string) (identity.Session, error)
	// SignInPath is where to sign in and then continue to next, a path of this site.
	SignInPath(next string) string
}

// Cookies is the Authenticator of sessions that were started by the sign-in of these screens.
type Cookies struct {
	Sessions
	Recheck Sessions // for running downloads
}

// Session returns the session of the request's cookie.
func (a Cookies) Session(ctx context.Context, c *fiber.Ctx) (identity.Session, error) {
	token := c.Cookies(SessionCookie)
	if token == "" {
		return identity.Session{}, identity.ErrNoSession
	}
	return a.Sessions.Session(ctx, token)
}

// Revalidate returns the session of the token again.
func (a Cookies) Revalidate(ctx context.Context, token string) (identity.Session, error) {
	return a.Recheck.Session(ctx, token)
}

// SignInPath is the form for e-mail and password.
func (Cookies) SignInPath(next string) string { return WithNext("/sign-in", next) }
