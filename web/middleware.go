package web

import (
	"cmp"
	"errors"
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/identity"
	"dg/platform/apperr"
	"dg/platform/httpserver"
	"dg/platform/limit"
	"dg/web/ui"
)

// handle serves a screen on any fiber.App. Errors become pages. identity.ErrNoSession redirects to
// the sign-in, which continues at the requested page.
func (h *Handler) handle(c *fiber.Ctx) error {
	return httpserver.Handle(c, h.ErrorPage, func(c *fiber.Ctx) error {
		err := c.Next()
		if !errors.Is(err, identity.ErrNoSession) {
			return err
		}
		// After the sign-in a form is shown empty: it posts to the address of its page.
		next := cmp.Or(downloadScreen(c), ui.LocalPath(c.OriginalURL()))
		return c.Redirect(ui.WithNext("/sign-in", next), fiber.StatusSeeOther)
	})
}

// prepare sets the headers of a screen, and the context's request for audit entries and limits by
// network. A request with a session cookie holds a slot of limit.Requests until it ends or calls
// ui.ReleaseSlot.
func (h *Handler) prepare(c *fiber.Ctx) error {
	h.setHeaders(c)
	c.SetUserContext(identity.WithRequest(c.UserContext(), apikeys.RequestOf(c, c.Path())))
	token := c.Cookies(ui.SessionCookie)
	if token == "" { // package identity limits sign-ins itself
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
	ui.SetSlot(c, release)
	return c.Next()
}

// contentPolicy allows scripts, styles, images and requests of this site only, and nothing inline.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// setHeaders sets the headers of every page, error pages included.
func (h *Handler) setHeaders(c *fiber.Ctx) {
	// keeps pages out of caches, where they could be read after the sign-out
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Set(fiber.HeaderContentSecurityPolicy, contentPolicy)
	c.Set(fiber.HeaderXFrameOptions, "DENY") // for browsers without frame-ancestors
	// no-referrer would turn the Origin of forms into null
	c.Set(fiber.HeaderReferrerPolicy, "same-origin")
	c.Set("Cross-Origin-Opener-Policy", "same-origin")
	if strings.HasPrefix(h.BaseURL, "https:") {
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

// rejectCrossOrigin refuses forms and downloads that another site made the browser send. Forms
// follow the standard library's rule on Sec-Fetch-Site and Origin. A form with neither header is
// refused too, because every current browser sends one.
func rejectCrossOrigin(c *fiber.Ctx) error {
	site := c.Get("Sec-Fetch-Site")
	origin := c.Get(fiber.HeaderOrigin)
	request := &http.Request{
		Method: c.Method(),
		Host:   string(c.Request().Header.Host()),
		Header: http.Header{"Sec-Fetch-Site": {site}, "Origin": {origin}},
	}
	unnamed := c.Method() == fiber.MethodPost && site == "" && origin == ""
	switch {
	case isCrossSiteDownload(c):
		return errCrossSiteDownload
	case unnamed || http.NewCrossOriginProtection().Check(request) != nil:
		return errCrossOrigin
	}
	return c.Next()
}

// isCrossSiteDownload reports whether the request is a download that no page of this site started.
// A download is a GET that records an audit entry in the person's name. Links in mails and typed
// addresses are therefore refused too.
func isCrossSiteDownload(c *fiber.Ctx) bool {
	return downloadScreen(c) != "" && c.Get("Sec-Fetch-Site") != "same-origin"
}

// downloadScreen returns the address of the screen that offers the requested download, with its
// query, or "" if no download is requested. The sign-in and the error page lead to the screen,
// because a download has to start there.
func downloadScreen(c *fiber.Ctx) string {
	path := strings.TrimSuffix(strings.TrimSuffix(c.Path(), "/plays.csv"), ".csv")
	if path == c.Path() {
		return ""
	}
	if query := c.Context().URI().QueryString(); len(query) > 0 {
		path += "?" + string(query)
	}
	return ui.LocalPath(path)
}
