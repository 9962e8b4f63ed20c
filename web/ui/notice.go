package ui

import (
	"encoding/base64"
	"encoding/json"
	"time"

	"github.com/gofiber/fiber/v2"
)

// Notice is a message above a screen's heading: Name and Strong in bold, then Before and At. Fields
// other than Strong may be empty.
type Notice struct {
	Kind string `json:"-"` // "warn", "bad" or ""
	// whether the notice confirms the last action, so that screen readers announce it
	Confirmation         bool `json:"-"`
	Name, Strong, Before string
	At                   *time.Time
	Action, ActionPath   string `json:"-"` // text and target of a link beside the text, or ""
}

// flashCookie holds a confirmation, because any link could forge a query parameter. The prefix
// __Host- keeps sibling domains from setting the cookie.
const flashCookie = "__Host-dg-notice"

// Flash shows n once, on the next screen that this browser opens by GET within a minute.
func Flash(c *fiber.Ctx, n Notice) {
	text, _ := json.Marshal(n) // marshalling cannot fail for strings and a recent time
	cookie := hostCookie(flashCookie, base64.RawURLEncoding.EncodeToString(text))
	cookie.SessionOnly = false
	cookie.MaxAge = 60
	c.Cookie(cookie)
}

// showFlash puts the cookie's notice first, and clears the cookie. It does so only on a GET,
// because the response to a POST is usually a redirect, whose target shows the notice.
func showFlash(c *fiber.Ctx, l *Layout) {
	text := c.Cookies(flashCookie)
	if text == "" || c.Method() != fiber.MethodGet {
		return
	}
	ClearCookie(c, flashCookie)
	var n Notice
	if decoded, err := base64.RawURLEncoding.DecodeString(text); err == nil &&
		json.Unmarshal(decoded, &n) == nil && n.Strong != "" {
		n.Confirmation = true
		l.Notices = append([]Notice{n}, l.Notices...)
	}
}
