package web

import (
	"errors"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/audit"
	"dg/modules/identity"
)

// accountView is the person's password, two-step verification and sessions.
type accountView struct {
	layout
	Changed   changeText
	CodesLeft int // recovery codes
	Sessions  []sessionRow
}

type sessionRow struct {
	ID, Browser, Address string
	StartedAt, LastUse   time.Time
	Current              bool
}

// changeText says what the person has just changed, and its effect.
type changeText struct{ Strong, After string }

var changeTexts = map[identity.Notice]changeText{
	audit.PasswordChanged:       {"Password changed.", "Your other sessions have ended."},
	audit.TwoStepTurnedOn:       {"Two-step verification is on.", "Your other sessions have ended."},
	audit.TwoStepTurnedOff:      {"Two-step verification is off.", "Your other sessions have ended."},
	audit.RecoveryCodesReplaced: {"Recovery codes replaced.", "The old ones no longer work."},
}

// account answers GET /account.
func (h *Handler) account(c *fiber.Ctx, p *principal) error {
	ctx := c.UserContext()
	view := accountView{layout: accountLayout(p, "Account", "account")}
	sessions, err := h.Identity.Sessions(ctx, p.token)
	if err != nil {
		return err
	}
	for _, s := range sessions {
		view.Sessions = append(view.Sessions, sessionRow{
			s.ID, browserName(s.UserAgent), s.Address, s.StartedAt, s.LastUsedAt, s.Current,
		})
	}
	if view.CodesLeft, err = h.Identity.RecoveryCodesLeft(ctx, p.token); err != nil {
		return err
	}
	changed, err := h.Identity.TakeNotice(ctx, p.token) // last: it is shown once
	if err != nil {
		return err
	}
	view.Changed = changeTexts[changed]
	return h.render(c, fiber.StatusOK, "account", &view)
}

// endSession answers POST /account. To end the current session is to sign out.
func (h *Handler) endSession(c *fiber.Ctx, p *principal) error {
	if err := h.Identity.EndSession(c.UserContext(), p.token, formValue(c, "session")); err != nil {
		return err
	}
	_, err := h.Identity.Session(c.UserContext(), p.token)
	if errors.Is(err, identity.ErrNoSession) {
		clearSession(c)
		return err
	}
	return c.Redirect("/account", fiber.StatusSeeOther) // whatever the error: the session has ended
}

// redirectToAccount continues with the new session on the account, which says what was changed.
func (h *Handler) redirectToAccount(c *fiber.Ctx, session identity.Session) error {
	setSession(c, session)
	h.rememberBrowser(c, session) // the change has made identity forget all browsers
	return c.Redirect("/account", fiber.StatusSeeOther)
}
