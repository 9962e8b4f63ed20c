package web

import (
	"bytes"
	"cmp"
	"context"
	"net/mail"
	"net/url"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/platform/httpserver"
	"dg/platform/limit"
	"dg/web/ui"
)

type errorView struct {
	ui.Layout
	httpserver.Failure
	Link     ui.Link
	Operator mail.Address
	Reloads  bool // whether the page reloads itself after RetryAfter
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
	text := errorTextOf(c, f)
	f.Message = text.message
	view := errorView{Layout: ui.NewLayout(h.readerOf(c, f), text.title, ui.AreaNone), Failure: f, Operator: h.operator}
	view.HasCookie = c.Cookies(ui.SessionCookie) != ""
	view.Reloads = f.Status == fiber.StatusServiceUnavailable && f.RetryAfter > 0 &&
		c.Method() == fiber.MethodGet
	view.Link = nextLink(c, &view)
	page, err := h.Execute(c, "error", &view)
	if err != nil {
		panic(err) // httpserver recovers and responds in JSON
	}
	h.setHeaders(c)
	c.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
	c.Context().Response.SetBodyRaw(page)
	return true
}

// readerOf returns the request's principal, or nil. A request for an unknown path holds no slot of
// limit.Requests, so readerOf takes one to read the session.
func (h *Handler) readerOf(c *fiber.Ctx, f httpserver.Failure) *ui.Principal {
	p, token := ui.PrincipalOf(c), c.Cookies(ui.SessionCookie)
	if p == nil && token != "" && f.Status == fiber.StatusNotFound && f.Generic {
		_ = h.requests.Run(c.UserContext(), limit.Screens, token, httpserver.ClientNetwork(c),
			func(ctx context.Context) (err error) {
				c.SetUserContext(ctx)
				p, err = h.FindReader(c)
				return err
			})
	}
	return p
}

func nextLink(c *fiber.Ctx, view *errorView) ui.Link {
	switch {
	case view.Status == fiber.StatusForbidden && isCrossSiteDownload(c):
		return ui.Link{Name: "Open the page", Path: downloadScreenPath(c)}
	case view.Status >= 500 && c.Method() == fiber.MethodGet:
		return ui.Link{Name: "Try again"} // without a path, because the address may contain a secret
	case strings.HasPrefix(c.Path(), "/docs/"):
		return ui.Link{Name: "Open API docs", Path: "/docs"}
	case view.User == nil && !view.HasCookie:
		return ui.Link{Name: "Sign in", Path: "/sign-in"}
	case view.Status == fiber.StatusForbidden && view.User != nil && view.User.LacksTwoStep:
		return ui.Link{Name: "Set up two-step verification", Path: view.User.TwoStepPath(screenPath(c))}
	case view.Title == "Group not found": // for example, the group was removed
		return ui.Link{Name: "Show all players", Path: allPlayersPath(c)}
	case view.Settings() != "":
		links := ui.SettingsLayout(c, view.User, "").Sidebar.Links
		if i := slices.IndexFunc(links, func(l ui.Link) bool { return l.Current }); i >= 0 {
			return ui.Link{Name: "Open " + links[i].Name, Path: links[i].Path}
		}
	}
	return view.Home()
}

// allPlayersPath returns the path of the request's report without its group.
func allPlayersPath(c *fiber.Ctx) string {
	u, _ := url.Parse(screenPath(c)) // parses: it is a local path
	query := u.Query()
	query.Del("groupId")
	u.RawQuery = query.Encode()
	return u.String()
}

type errorText struct{ title, message string }

var statusTexts = map[int]errorText{
	403: {"Access denied", ""},
	404: {"Page not found", "The address is wrong, or the page no longer exists."},
	405: {"Page not found", "The address is wrong, or the page no longer exists."}, // such as GET /sign-out
	500: {"Something went wrong", "The error has been logged."},
	503: {"Service unavailable", "DG cannot answer right now."},
}

// errorTextOf prefers the module's own message. For a 404, the first sentence becomes the title.
func errorTextOf(c *fiber.Ctx, f httpserver.Failure) errorText {
	text := statusTexts[f.Status]
	if f.Status == fiber.StatusForbidden && c.Method() != fiber.MethodGet {
		text.title = "Nothing was changed"
	}
	if f.Status == fiber.StatusServiceUnavailable && c.Method() != fiber.MethodGet {
		text.message += " The change may have been made. Look before you send the form again."
	}
	if text.message == "" || !f.Generic {
		text.message = f.Message
		if firstSentence, others, ok := strings.Cut(f.Message, ". "); ok && f.Status == fiber.StatusNotFound {
			text = errorText{firstSentence, others}
		}
	}
	text.title = cmp.Or(text.title, "Request failed")
	return text
}
