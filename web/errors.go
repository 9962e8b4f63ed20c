package web

import (
	"bytes"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/platform/httpserver"
)

// errorView is a page for a failure: what happened, and one way on.
type errorView struct {
	layout
	httpserver.Failure
	Way, WayPath string
}

// ErrorPage answers people's failures with a page: those of browsers, outside the API and without a key, which gets the
// contract's body everywhere.
func (h *Handler) ErrorPage(c *fiber.Ctx, f httpserver.Failure) bool {
	if strings.HasPrefix(c.Path(), "/api/") || !strings.Contains(c.Get(fiber.HeaderAccept), "text/html") ||
		hasKey(c) {
		return false
	}
	p := principalOf(c)
	if f.Status < 500 { // otherwise the database may be what failed
		p = h.errorPrincipal(c, p)
	}
	words := errorTextOf(c, f)
	f.Message = words.message
	view := errorView{layout: h.layout(p, words.title, areaNone), Failure: f}
	view.Way, view.WayPath = wayOn(c, &view)
	var page bytes.Buffer
	if err := h.templates.ExecuteTemplate(&page, "error.html", &view); err != nil {
		panic(err) // the JSON body is sent instead
	}
	h.setHeaders(c)
	c.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
	c.Context().Response.SetBodyRaw(page.Bytes())
	return true
}

// hasKey says whether any of the Authorization headers holds a key.
func hasKey(c *fiber.Ctx) bool {
	return slices.ContainsFunc(c.Request().Header.PeekAll(fiber.HeaderAuthorization), func(header []byte) bool {
		return bytes.Contains(header, []byte(apikeys.TokenPrefix))
	})
}

// errorPrincipal finds who params where no handler did. Without an answer the page does without.
func (h *Handler) errorPrincipal(c *fiber.Ctx, p *principal) *principal {
	if p == nil {
		p, _ = h.authenticate(c)
	}
	if p != nil && p.Organisation.ID == "" {
		_, _ = h.memberships(c, p)
	}
	return p
}

// wayOn is the one link of an error's page.
func wayOn(c *fiber.Ctx, view *errorView) (words, path string) {
	switch {
	case view.Status == fiber.StatusForbidden && isCrossSiteDownload(c):
		return "Open the screen", screenOf(c)
	case view.Status >= 500 && c.Method() == fiber.MethodGet:
		return "Try again", localPath(c.OriginalURL())
	case view.User == nil && view.Status < 500:
		return "Sign in", "/sign-in"
	case view.Reports() != "":
		return "Go to reports", view.Reports()
	case view.User != nil:
		return "Go to your account", "/account"
	}
	return "Go to the start", "/"
}

// errorText say what happened, and what to do. An empty message stands for the failure's own.
type errorText struct{ title, message string }

// errorTextOf are the words for a failure.
func errorTextOf(c *fiber.Ctx, f httpserver.Failure) errorText {
	words, ok := statusTexts[f.Status]
	if !ok {
		words.title = "That did not work"
	}
	switch {
	case f.Status != fiber.StatusForbidden:
	case isCrossSiteDownload(c):
		words.title = "Nothing was downloaded"
	case c.Method() != fiber.MethodGet:
		words.title = "Nothing was changed"
	}
	if words.message == "" || !f.Generic {
		words.message = f.Message
	}
	return words
}

// statusTexts are the words for a status. What a module says of its failure is better than the message here.
var statusTexts = map[int]errorText{
	403: {"This page is not open to you", ""},
	404: {"There is nothing here", "The address is wrong, or what it showed is gone."},
	405: {"This page does not work like that", "Go back and load the page again."},
	413: {"That is too much", "Shorten what you entered, then send it again."},
	414: {"This address is too long", "Follow the link to the page once more."},
	431: {"Your browser sent too much", "Delete the cookies of this site, then sign in again."},
	500: {"Something broke on our side", "It has been recorded. Try again; if it stays, send us the request id below."},
	503: {"We cannot answer right now", "Try again in a moment. If it stays, send us the request id below."},
}
