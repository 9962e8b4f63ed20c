package account

import (
	"errors"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/identity"
	"dg/platform/apperr"
	"dg/web/ui"
)

type signInView struct {
	ui.Layout
	Action           string // the form's target, with the parameter next
	Email            string
	WrongCredentials bool       // whether the password or the code was wrong
	Locked           *time.Time // end of the lockout, or nil

	SessionEnded bool
	CookieLost   bool // whether the browser dropped the cookie of the new session

	Account       string // the id of the person who enters the code
	Recovery      bool   // whether the form asks for a recovery code instead of a code of the app
	OtherCodePath string // path of the form for the other kind of code
}

// SignInForm handles GET /sign-in.
func (h *Handler) SignInForm(c *fiber.Ctx) error {
	_, err := h.RequireSignIn(c)
	begun := c.Query(begunParam) != ""
	switch {
	case err == nil:
		return c.Redirect(ui.NextOf(c), fiber.StatusSeeOther)
	case begun && errors.Is(err, ui.ErrCodeDue):
		return c.Redirect(ui.WithNext("/sign-in/code", ui.NextOf(c)), fiber.StatusSeeOther)
	case !errors.Is(err, identity.ErrNoSession):
		return err
	}
	cookie := c.Cookies(ui.SessionCookie) != ""
	return h.renderSignIn(c, fiber.StatusOK, signInView{
		CookieLost:   begun && !cookie,
		SessionEnded: cookie && !errors.Is(err, ui.ErrCodeDue),
	})
}

func (h *Handler) renderSignIn(c *fiber.Ctx, status int, view signInView) error {
	view.Layout = ui.NewLayout(nil, ui.TitleOf("Sign in", status), ui.AreaNone)
	view.Action = ui.WithNext("/sign-in", ui.NextOf(c))
	return h.Render(c, status, "sign-in", &view)
}

// SignIn handles POST /sign-in.
func (h *Handler) SignIn(c *fiber.Ctx) error {
	email := ui.FormValue(c, "email")
	session, err := h.Identity.SignIn(c.UserContext(), email, ui.FormValue(c, "password"),
		c.Cookies(ui.SessionCookie))
	if end := ui.LockoutEnd(c, err); end != nil {
		return h.renderSignIn(c, fiber.StatusTooManyRequests, signInView{Email: email, Locked: end})
	}
	if errors.Is(err, identity.ErrWrongPassword) {
		return h.renderSignIn(c, fiber.StatusUnauthorized, signInView{Email: email, WrongCredentials: true})
	}
	if err != nil {
		return err
	}
	ui.SetSession(c, session)
	location := ui.WithParam(ui.WithNext("/sign-in", ui.NextOf(c)), begunParam, "1")
	return c.Redirect(location, fiber.StatusSeeOther)
}

// begunParam marks the redirect after a correct password: SignInForm then detects a lost cookie.
const begunParam = "begun"

// SignOut handles POST /sign-out. A form that was opened by another account ends no session: 403.
func (h *Handler) SignOut(c *fiber.Ctx) error {
	if _, err := h.RequireSignIn(c); apperr.Is(err, apperr.AccessDenied) {
		return err
	}
	if err := h.Identity.SignOut(c.UserContext(), c.Cookies(ui.SessionCookie)); err != nil {
		return err
	}
	return respondSignedOut(c)
}

func respondSignedOut(c *fiber.Ctx) error {
	ui.ClearCookie(c, ui.SessionCookie)
	ui.Flash(c, ui.Notice{Strong: "You have signed out."})
	return c.Redirect("/sign-in", fiber.StatusSeeOther)
}
