package web

import (
	"bytes"
	"cmp"
	"net/mail"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/platform/httpserver"
	"dg/web/ui"
)

type errorView struct {
	ui.Layout
	httpserver.Failure
	Link     ui.Link
	Operator mail.Address
	Retries  bool // whether the page is loaded again after RetryAfter
}

// ErrorPage responds to a browser's failed request with a page. It returns false and writes nothing
// below /api/, without text/html in Accept, or with an API key: the caller then responds in JSON.
func (h *Handler) ErrorPage(c *fiber.Ctx, f httpserver.Failure) bool {
	credentials := bytes.Join(c.Request().Header.PeekAll(fiber.HeaderAuthorization), nil)
	if strings.HasPrefix(c.Path(), "/api/") ||
		!strings.Contains(c.Get(fiber.HeaderAccept), "text/html") ||
		bytes.Contains(credentials, []byte(apikeys.TokenPrefix)) {
		return false
	}
	p := ui.PrincipalOf(c) // a look-up of the session would hold no slot here
	text := errorTextOf(c, f)
	f.Message = text.message
	view := errorView{Layout: ui.NewLayout(p, text.title, ui.AreaNone), Failure: f, Operator: h.operator}
	view.Retries = f.Status == fiber.StatusServiceUnavailable && f.RetryAfter > 0 &&
		c.Method() == fiber.MethodGet
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

func linkAfter(c *fiber.Ctx, view *errorView) ui.Link {
	here := ui.LocalPath(c.OriginalURL())
	switch {
	case view.Status == fiber.StatusForbidden && isCrossSiteDownload(c):
		return ui.Link{Name: "Open the page", Path: downloadScreen(c)}
	case view.Status >= 500 && c.Method() == fiber.MethodGet:
		return ui.Link{Name: "Try again", Path: here}
	case view.User == nil && c.Cookies(ui.SessionCookie) == "":
		return ui.Link{Name: "Sign in", Path: "/sign-in"}
	case view.Status == fiber.StatusForbidden && view.User != nil && view.User.LacksTwoStep:
		return ui.Link{Name: "Set up two-step verification", Path: view.User.TwoStepFor(here)}
	}
	return view.Home()
}

type errorText struct{ title, message string }

var statusTexts = map[int]errorText{
	403: {"Access denied", ""},
	404: {"Page not found", "The address is wrong, or the page no longer exists."},
	500: {"Something went wrong", "The error has been logged. Try again, or send us the request id below."},
	503: {"Service unavailable", "Try again in a moment, or send us the request id below."},
}

// errorTextOf prefers a module's own message to the text of the status.
func errorTextOf(c *fiber.Ctx, f httpserver.Failure) errorText {
	text := statusTexts[f.Status]
	if f.Status == fiber.StatusForbidden && c.Method() != fiber.MethodGet {
		text.title = "Nothing was changed"
	}
	if text.message == "" || !f.Generic {
		text.message = f.Message
	}
	text.title = cmp.Or(text.title, "Request failed")
	return text
}
