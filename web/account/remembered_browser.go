package account

import (
	"log/slog"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/identity"
	"dg/platform/httpserver"
	"dg/web/ui"
)

// browserCookie marks a browser that has signed in before. It is useless without the password.
const browserCookie = "__Host-dg-browser"

// rememberBrowser marks the browser as known. The session or change is committed before, so a
// failure is only logged: an error page would deny it, and new recovery codes would be lost.
func rememberBrowser(c *fiber.Ctx, people SignIns, session identity.Session) {
	token, err := people.RememberBrowser(c.UserContext(), session, c.Cookies(browserCookie))
	if err != nil {
		slog.Warn("the browser could not be remembered", "request_id", httpserver.RequestID(c),
			"error", err)
		return
	}
	known := ui.HostCookie(browserCookie, token)
	known.SessionOnly = false
	known.MaxAge = int(identity.KnownBrowserTTL / time.Second)
	c.Cookie(known)
}
