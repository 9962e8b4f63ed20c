package account

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"dg/modules/identity"
	"dg/web/ui"
)

// CodeForm handles GET /sign-in/code.
func (h *Handler) CodeForm(c *fiber.Ctx) error {
	session, err := h.Identity.Session(c.UserContext(), c.Cookies(ui.SessionCookie))
	if errors.Is(err, identity.ErrNoSession) {
		return restartSignIn(c)
	}
	if err != nil {
		return err
	}
	if !session.SecondStepDue {
		return c.Redirect(ui.NextOf(c), fiber.StatusSeeOther)
	}
	return h.renderCode(c, fiber.StatusOK, signInView{Account: session.Person.ID})
}

func (h *Handler) renderCode(c *fiber.Ctx, status int, view signInView) error {
	title := "Verification code"
	if view.Recovery = c.Query("recovery") != ""; view.Recovery {
		title = "Recovery code"
	}
	view.Layout = ui.NewLayout(nil, ui.TitleOf(title, status), ui.AreaNone)
	view.Action = codePath(ui.NextOf(c), view.Recovery)
	view.OtherCodePath = codePath(ui.NextOf(c), !view.Recovery)
	return h.Render(c, status, "sign-in-code", &view)
}

func codePath(next string, recovery bool) string {
	path := ui.WithNext("/sign-in/code", next)
	if recovery {
		path = ui.WithParam(path, "recovery", "1")
	}
	return path
}

// restartSignIn handles a double submit, too: /sign-in redirects signed-in people to next.
func restartSignIn(c *fiber.Ctx) error {
	return c.Redirect(ui.WithNext("/sign-in", ui.NextOf(c)), fiber.StatusSeeOther)
}

// VerifyCode handles POST /sign-in/code. A form that another account opened counts no attempt.
func (h *Handler) VerifyCode(c *fiber.Ctx) error {
	token := c.Cookies(ui.SessionCookie)
	session, err := h.Identity.Session(c.UserContext(), token)
	account := session.Person.ID
	if opener := ui.FormValue(c, "account"); err == nil && opener != "" && opener != account {
		return restartSignIn(c)
	}
	session, err = h.Identity.VerifySecondStep(c.UserContext(), token, ui.FormValue(c, "code"))
	if end := ui.LockoutEnd(c, err); end != nil {
		return h.renderCode(c, fiber.StatusTooManyRequests, signInView{Account: account, Locked: end})
	}
	switch {
	case errors.Is(err, identity.ErrNoSession):
		return restartSignIn(c)
	case errors.Is(err, identity.ErrWrongCode):
		return h.renderCode(c, fiber.StatusUnauthorized, signInView{Account: account, WrongCredentials: true})
	case err != nil:
		return err
	}
	ui.SetSession(c, session)
	if c.Query("recovery") != "" {
		h.flashCodesLeft(c, session)
	}
	return c.Redirect(ui.NextOf(c), fiber.StatusSeeOther)
}

// flashCodesLeft shows the number of recovery codes left, unless reading the number fails.
func (h *Handler) flashCodesLeft(c *fiber.Ctx, session identity.Session) {
	if left, err := h.Identity.RecoveryCodesLeft(c.UserContext(), session.Token); err == nil {
		ui.Flash(c, ui.Notice{
			Strong: ui.Plural(int64(left), "%s recovery code left.", "%s recovery codes left."),
			Before: " Create new ones in your account.",
		})
	}
}
