package web

import (
	"bytes"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/platform/httpserver"
	"dg/web/ui"
)

// errorView is the page of an error: what happened, and one link to continue.
type errorView struct {
	ui.Layout
	httpserver.Failure
	Link ui.Link
}

// ErrorPage answers a browser's failed request with a page. Requests of the API, and those with a
// key, get the API's body.
func (h *Handler) ErrorPage(c *fiber.Ctx, f httpserver.Failure) bool {
	if strings.HasPrefix(c.Path(), "/api/") ||
		!strings.Contains(c.Get(fiber.HeaderAccept), "text/html") || hasKey(c) {
		return false
	}
	p := ui.PrincipalOf(c)
	if f.Status < 500 { // otherwise the database may be what failed
		p = h.errorPrincipal(c, p)
	}
	text := errorTextOf(c, f)
	f.Message = text.message
	view := errorView{Layout: ui.NewLayout(p, text.title, ui.AreaNone), Failure: f}
	view.Link = linkAfter(c, &view)
	page, err := h.Execute(c, "error", &view)
	if err != nil {
		panic(err) // the JSON body is sent instead
	}
	h.setHeaders(c)
	c.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
	c.Context().Response.SetBodyRaw(page)
	return true
}

// hasKey reports whether an Authorization header holds a key.
func hasKey(c *fiber.Ctx) bool {
	return slices.ContainsFunc(c.Request().Header.PeekAll(fiber.HeaderAuthorization),
		func(header []byte) bool {
			return bytes.Contains(header, []byte(apikeys.TokenPrefix))
		})
}

// errorPrincipal returns the principal of a request that reached no handler, or nil.
func (h *Handler) errorPrincipal(c *fiber.Ctx, p *ui.Principal) *ui.Principal {
	if p == nil {
		p, _ = h.guard.SignedIn(c)
	}
	if p != nil && p.Organisation.ID == "" {
		_, _ = h.guard.Memberships(c, p)
	}
	return p
}

// linkAfter returns the link of an error page.
func linkAfter(c *fiber.Ctx, view *errorView) ui.Link {
	switch {
	case view.Status == fiber.StatusForbidden && isCrossSiteDownload(c):
		return ui.Link{Name: "Open the page", Path: downloadScreen(c)}
	case view.Status == fiber.StatusForbidden && view.User != nil && view.User.LacksTwoStep:
		return ui.Link{
			Name: "Set up two-step verification",
			Path: view.User.TwoStepFor(ui.LocalPath(c.OriginalURL())),
		}
	case view.Status >= 500 && c.Method() == fiber.MethodGet:
		return ui.Link{Name: "Try again", Path: ui.LocalPath(c.OriginalURL())}
	case view.User == nil && view.Status < 500:
		return ui.Link{Name: "Sign in", Path: "/sign-in"}
	case view.Reports() != "":
		return ui.Link{Name: "Go to reports", Path: view.Reports()}
	case view.User != nil:
		return ui.Link{Name: "Go to your account", Path: view.User.Account("")}
	}
	return ui.Link{Name: "Go to the home page", Path: "/"}
}

type errorText struct{ title, message string }

// errorTextOf returns the title and message of an error page. A module's message takes precedence
// over the status's. It is worded for tools, which retry; a person tries again.
func errorTextOf(c *fiber.Ctx, f httpserver.Failure) errorText {
	text, ok := statusTexts[f.Status]
	if !ok {
		text.title = "Request failed"
	}
	switch {
	case f.Status == fiber.StatusNotFound && c.Path() == "/account/reset":
		text.title = "Link expired"
	case f.Status != fiber.StatusForbidden:
	case isCrossSiteDownload(c):
		text.title = "Nothing was downloaded"
	case c.Method() != fiber.MethodGet:
		text.title = "Nothing was changed"
	}
	if text.message == "" || !f.Generic {
		text.message = strings.Replace(f.Message, "Retry in", "Try again in", 1)
	}
	return text
}

var statusTexts = map[int]errorText{
	403: {"Access denied", ""},
	404: {"Page not found", "The address is wrong, or the page no longer exists."},
	405: {"Method not allowed", "Go back, reload the page and try again."},
	413: {"Request too large", "Shorten your text, then send it again."},
	414: {"Address too long", "Open the page again from its link."},
	431: {"Request headers too large", "Delete the cookies of this site, then sign in again."},
	500: {
		"Something went wrong",
		"The error has been logged. Try again. If it happens again, send us the request id below.",
	},
	503: {
		"Service unavailable",
		"Try again in a moment. If it happens again, send us the request id below.",
	},
}
