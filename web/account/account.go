package account

import (
	"errors"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/identity"
	"dg/web/ui"
)

// accountView is the person's password, two-step verification and sessions.
type accountView struct {
	ui.Layout
	CodesLeft int // recovery codes
	Sessions  []sessionRow
}

type sessionRow struct {
	ID, Browser, Address string
	StartedAt, LastUse   time.Time
	Current              bool
}

// accountLayout is the layout of an account screen.
func accountLayout(p *ui.Principal, title string) ui.Layout {
	return ui.NewLayout(p, title, ui.AreaNone)
}

const otherSessionsEnded = " Your other sessions have ended."

// Account answers GET /account.
func (h *Handler) Account(c *fiber.Ctx, p *ui.Principal) error {
	ctx := c.UserContext()
	view := accountView{Layout: accountLayout(p, "Account")}
	if p.IsMember() { // who is led here from the reports
		view.Notices = append(view.Notices, ui.Notice{
			Strong: "Only owners and admins can open reports and settings.",
			Before: " To get access, ask an owner to change your role.",
		})
	}
	sessions, err := h.Sessions.ActiveSessions(ctx, p.Token)
	if err != nil {
		return err
	}
	for _, s := range sessions {
		view.Sessions = append(view.Sessions, sessionRow{
			s.ID, browserName(s.UserAgent), s.Address, s.StartedAt, s.LastUsedAt, s.Current,
		})
	}
	if view.CodesLeft, err = h.TwoStep.RecoveryCodesLeft(ctx, p.Token); err != nil {
		return err
	}
	return h.Render(c, fiber.StatusOK, "account", &view)
}

// EndSession answers POST /account. Ending the current session signs out.
func (h *Handler) EndSession(c *fiber.Ctx, p *ui.Principal) error {
	if err := h.Sessions.EndSession(c.UserContext(), p.Token,
		ui.FormValue(c, "session")); err != nil {
		return err
	}
	_, err := h.Sessions.Session(c.UserContext(), p.Token)
	if errors.Is(err, identity.ErrNoSession) {
		return signedOut(c)
	}
	ui.Say(c, ui.Notice{Strong: "Session ended.", Before: " Its browser has to sign in again."})
	// whatever the error: the session has ended
	return c.Redirect(p.Account(""), fiber.StatusSeeOther)
}

// redirectToAccount continues on the account with the new session and the confirmation of the
// change.
func (h *Handler) redirectToAccount(
	c *fiber.Ctx, p *ui.Principal, session identity.Session, done ui.Notice,
) error {
	ui.Say(c, done)
	ui.SetSession(c, session)
	return c.Redirect(p.Account(""), fiber.StatusSeeOther)
}
