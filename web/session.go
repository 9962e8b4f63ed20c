package web

import (
	"context"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/identity"
	"dg/platform/authz"
	"dg/platform/httpserver"
)

// Authenticator finds out who is signed in. It is where the product's own sign-in replaces this one.
type Authenticator interface {
	// Session returns the session of the request. Errors: identity.ErrNoSession.
	Session(ctx context.Context, c *fiber.Ctx) (identity.Session, error)
	// Revalidate returns the session of the token again, for downloads that outlive their request. Errors: identity.ErrNoSession.
	Revalidate(ctx context.Context, token string) (identity.Session, error)
	// SignInPath is where to sign in and then continue to next, a path of this site.
	SignInPath(next string) string
}

// cookies is the Authenticator of sessions that were started by sign_in.go.
type cookies struct {
	people  Identity
	recheck Sessions
}

func (a cookies) Session(ctx context.Context, c *fiber.Ctx) (identity.Session, error) {
	token := c.Cookies(sessionCookie)
	if token == "" {
		return identity.Session{}, identity.ErrNoSession
	}
	return a.people.Session(ctx, token)
}

func (a cookies) Revalidate(ctx context.Context, token string) (identity.Session, error) {
	return a.recheck.Session(ctx, token)
}

func (cookies) SignInPath(next string) string { return withNext("/sign-in", next) }

// withNext adds the path to continue to after the sign-in.
func withNext(path, next string) string {
	if next == "" || next == "/" {
		return path
	}
	return withParam(path, "next", next)
}

// withParam adds a parameter to a path.
func withParam(path, name, value string) string {
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	return path + separator + url.Values{name: {value}}.Encode()
}

// recheck returns a function that reports whether the principal is still signed in and holds the permission. Downloads call it
// after their request is over.
func (h *Handler) recheck(p *principal, permission authz.Permission) func(context.Context) error {
	return func(ctx context.Context) error {
		session, err := h.auth.Revalidate(ctx, p.token)
		if err != nil {
			return err
		}
		m, err := h.RecheckOrgs.Membership(ctx, session.Person.ID, p.Organisation.Slug)
		if err != nil {
			return err
		}
		now := principal{Person: session.Person, policy: h.Policy}
		now.join(m)
		return now.authorize(permission, p.Organisation.ID) // which the slug may no longer name
	}
}

const (
	// sessionCookie holds the session's token. Its prefix limits it to this host, over https or loopback only.
	sessionCookie = "__Host-dg"
	// browserCookie marks a browser that has signed in before. It is useless without the password.
	browserCookie = "__Host-dg-browser"
)

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

// rememberBrowser marks the browser as one that has signed in before. The session or change before it is committed, so a failure
// is only logged: an error page would say that it had not happened, and new recovery codes would be lost.
func (h *Handler) rememberBrowser(c *fiber.Ctx, session identity.Session) {
	token, err := h.Identity.RememberBrowser(c.UserContext(), session, c.Cookies(browserCookie))
	if err != nil {
		warn(c, "the browser could not be remembered", err)
		return
	}
	known := hostCookie(browserCookie, token)
	known.SessionOnly, known.MaxAge = false, int(identity.KnownBrowserTTL/time.Second)
	c.Cookie(known)
}

// warn logs an error that the answer hides, because what was asked for is done.
func warn(c *fiber.Ctx, message string, err error) {
	slog.Warn(message, "request_id", httpserver.RequestID(c), "error", err)
}
