package ui

import (
	"encoding/base64"
	"encoding/json"
	"time"

	"github.com/gofiber/fiber/v2"
)

// Notice is a message above a screen's heading: Name (of a key) and Strong in bold, then Before and
// the time At, if any.
type Notice struct {
	Kind string `json:"-"` // "warn", "bad" or ""
	// whether it confirms what the person has just done
	Done                 bool `json:"-"`
	Name, Strong, Before string
	At                   *time.Time
	Action, ActionPath   string `json:"-"` // a link beside it, or ""
}

// flashCookie holds the confirmation of a change for the next page. The prefix __Host- keeps other
// sites from writing it; any link could put it into an address.
const flashCookie = "__Host-dg-notice"

// Flash makes the next page of this browser confirm a change, once.
func Flash(c *fiber.Ctx, n Notice) {
	text, _ := json.Marshal(n) // never fails: texts and a time
	next := HostCookie(flashCookie, base64.RawURLEncoding.EncodeToString(text))
	next.SessionOnly = false
	next.MaxAge = 60
	c.Cookie(next)
}

// showFlash shows and clears the notice of the cookie, if there is one. A form with errors leaves
// it to the next page.
func showFlash(c *fiber.Ctx, confirm func(Notice)) {
	text := c.Cookies(flashCookie)
	if text == "" || c.Method() != fiber.MethodGet {
		return
	}
	ClearCookie(c, flashCookie)
	var n Notice
	if said, err := base64.RawURLEncoding.DecodeString(text); err == nil &&
		json.Unmarshal(said, &n) == nil && n.Strong != "" {
		n.Done = true
		confirm(n)
	}
}

// confirm puts the notice above the others.
func (l *Layout) confirm(n Notice) { l.Notices = append([]Notice{n}, l.Notices...) }
