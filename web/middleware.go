package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/identity"
	"dg/platform/apperr"
	"dg/platform/httpserver"
	"dg/platform/limit"
	"dg/platform/netaddr"
	"dg/web/ui"
)

// handle answers errors with pages, and a missing session with the sign-in page.
func (h *Handler) handle(c *fiber.Ctx) error {
	return httpserver.Handle(c, h.ErrorPage, func(c *fiber.Ctx) error {
		err := c.Next()
		if !errors.Is(err, identity.ErrNoSession) {
			return err
		}
		// After a POST the sign-in continues at the form's page, which has the same path.
		return c.Redirect(ui.WithNext("/sign-in", screenPath(c)), fiber.StatusSeeOther)
	})
}

// prepare sets headers and the context, and holds a slot of limit.Requests until the handler returns
// or begins to wait for another limiter.
func (h *Handler) prepare(surface limit.Surface) fiber.Handler {
	return func(c *fiber.Ctx) error {
		h.setHeaders(c)
		ctx := identity.WithRequest(c.UserContext(), apikeys.AuditRequest(c, c.Path()))
		return h.requests.Run(ctx, surface, c.Cookies(ui.SessionCookie), httpserver.ClientNetwork(c),
			func(ctx context.Context) error {
				c.SetUserContext(ctx)
				defer h.rememberTenant(c)
				return c.Next()
			})
	}
}

// rememberTenant assigns the session's next requests to the queue of its tenant, even after a
// denied request. After a sign-in, the tenant is the person.
func (h *Handler) rememberTenant(c *fiber.Ctx) {
	if session := ui.BegunSession(c); session.Token != "" {
		h.requests.Remember(session.Token, session.Person.ID)
		return
	}
	if p := ui.PrincipalOf(c); p != nil {
		tenant := cmp.Or(p.Organisation.ID, p.Person.ID)
		if len(p.Memberships) > 0 && p.Organisation.ID == "" {
			tenant = p.Memberships[0].Organisation.ID
		}
		h.requests.Remember(p.Token, tenant)
	}
}

const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
	"connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

func (h *Handler) setHeaders(c *fiber.Ctx) {
	// after the sign-out, the Back button must not show a page from the cache
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Set(fiber.HeaderContentSecurityPolicy, contentSecurityPolicy)
	c.Set(fiber.HeaderXFrameOptions, "DENY") // protects browsers that ignore frame-ancestors
	// no-referrer would make browsers send "Origin: null" with forms
	c.Set(fiber.HeaderReferrerPolicy, "same-origin")
	if c.Path() == "/account/reset" {
		c.Set(fiber.HeaderReferrerPolicy, "strict-origin") // keeps the token out of Referers in proxy logs
	}
	c.Set("Cross-Origin-Opener-Policy", "same-origin")
	u, err := url.Parse(h.BaseURL)
	if err == nil && u.Scheme == "https" && !netaddr.IsLoopback(u.Hostname()) { // other programs share localhost
		c.Set(fiber.HeaderStrictTransportSecurity, "max-age=31536000; includeSubDomains")
	}
}

var (
	errCrossOrigin = apperr.New(apperr.AccessDenied,
		"This form was sent from another site, or an extension of your browser hides that it was sent from here. "+
			"Nothing was changed. Open the page here and send it again.")
	errCrossSiteDownload = apperr.New(apperr.AccessDenied,
		"Downloads start from a page of this site. This link came from somewhere else, so nothing was downloaded.")
)

// rejectCrossOrigin applies http.CrossOriginProtection. It also refuses downloads that no page of
// this site starts, and a POST without Sec-Fetch-Site and Origin: browsers send one of them.
func rejectCrossOrigin(c *fiber.Ctx) error {
	site := c.Get("Sec-Fetch-Site")
	origin := c.Get(fiber.HeaderOrigin)
	request := &http.Request{
		Method: c.Method(),
		Host:   string(c.Request().Header.Host()),
		Header: http.Header{"Sec-Fetch-Site": {site}, "Origin": {origin}},
	}
	unknownOrigin := c.Method() == fiber.MethodPost && site == "" && origin == ""
	switch {
	case isCrossSiteDownload(c):
		return errCrossSiteDownload
	case unknownOrigin || http.NewCrossOriginProtection().Check(request) != nil:
		return errCrossOrigin
	}
	return c.Next()
}

// isCrossSiteDownload reports whether a download starts outside this site: its audit entry would
// name a deceived person. Browsers without Sec-Fetch-Site, such as iOS before 16.4, send a Referer.
func isCrossSiteDownload(c *fiber.Ctx) bool {
	if downloadScreenPath(c) == "" {
		return false
	}
	if site := c.Get("Sec-Fetch-Site"); site != "" {
		return site != "same-origin"
	}
	referer, err := url.Parse(c.Get(fiber.HeaderReferer))
	return err != nil || referer.Host == "" || referer.Host != string(c.Request().Header.Host())
}

// screenPath returns the local path of the requested screen, or of the screen that offers the
// requested file. API keys in the path are redacted.
func screenPath(c *fiber.Ctx) string {
	return cmp.Or(downloadScreenPath(c), ui.LocalPath(apikeys.Redact(c.OriginalURL())))
}

// downloadScreenPath returns the local path, with the query, of the screen that offers the requested
// file, or "". API keys in the path are redacted.
func downloadScreenPath(c *fiber.Ctx) string {
	path := strings.TrimSuffix(strings.TrimSuffix(c.Path(), "/plays.csv"), ".csv")
	if path == c.Path() {
		return ""
	}
	if query := c.Context().URI().QueryString(); len(query) > 0 {
		path += "?" + string(query)
	}
	return ui.LocalPath(apikeys.Redact(path))
}
