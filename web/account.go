package web

import (
	"errors"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/identity"
)

// accountView is the person's password, two-step verification and sessions.
type accountView struct {
	layout
	CodesLeft int // recovery codes
	Regions   []option
	Sessions  []sessionRow
}

type sessionRow struct {
	ID, Browser, Address string
	StartedAt, LastUse   time.Time
	Current              bool
}

// accountLayout is the layout of an account screen.
func accountLayout(p *principal, title, screen string) layout {
	l := newLayout(p, title, areaNone)
	l.Sidebar = &sidebar{Label: "Account", Links: []link{
		{"Security", p.account(""), screen == "account"},
		{"Two-step verification", p.account("/two-step"), screen == "two-step"},
	}}
	return l
}

const otherSessionsEnded = " Your other sessions have ended."

// account answers GET /account.
func (h *accountHandler) account(c *fiber.Ctx, p *principal) error {
	ctx := c.UserContext()
	view := accountView{layout: accountLayout(p, "Account", "account"), Regions: regionOptions()}
	sessions, err := h.Accounts.Sessions(ctx, p.token)
	if err != nil {
		return err
	}
	for _, s := range sessions {
		view.Sessions = append(view.Sessions, sessionRow{
			s.ID, browserName(s.UserAgent), s.Address, s.StartedAt, s.LastUsedAt, s.Current,
		})
	}
	if view.CodesLeft, err = h.Accounts.RecoveryCodesLeft(ctx, p.token); err != nil {
		return err
	}
	return h.Render(c, fiber.StatusOK, "account", &view)
}

// changeAccount answers POST /account: it stores a region, or ends a session.
func (h *accountHandler) changeAccount(c *fiber.Ctx, p *principal) error {
	if c.Context().PostArgs().Has("region") {
		return h.setRegion(c, p)
	}
	return h.endSession(c, p)
}

// endSession ends a session of the person. To end the current one is to sign out.
func (h *accountHandler) endSession(c *fiber.Ctx, p *principal) error {
	if err := h.Accounts.EndSession(c.UserContext(), p.token, formValue(c, "session")); err != nil {
		return err
	}
	_, err := h.SignIns.Session(c.UserContext(), p.token)
	if errors.Is(err, identity.ErrNoSession) {
		return h.signedOut(c)
	}
	say(c, notice{Strong: "Session ended.", Before: " Its browser has to sign in again."})
	return c.Redirect(p.account(""), fiber.StatusSeeOther) // whatever the error: the session has ended
}

// redirectToAccount continues with the new session on the account, which says what was changed.
func (h *accountHandler) redirectToAccount(c *fiber.Ctx, p *principal, session identity.Session, done notice) error {
	say(c, done)
	setSession(c, session)
	h.rememberBrowser(c, session) // the change has made identity forget all browsers
	return c.Redirect(p.account(""), fiber.StatusSeeOther)
}
