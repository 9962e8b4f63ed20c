package web

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"dg/modules/identity"
)

// codeForm answers GET /sign-in/code.
func (h *accountHandler) codeForm(c *fiber.Ctx) error {
	session, err := h.SignIns.Session(c.UserContext(), c.Cookies(sessionCookie))
	if errors.Is(err, identity.ErrNoSession) {
		return restartSignIn(c)
	}
	if err != nil {
		return err
	}
	if !session.SecondStepDue {
		return c.Redirect(nextOf(c), fiber.StatusSeeOther)
	}
	return h.renderCode(c, fiber.StatusOK, signInView{})
}

func (h *accountHandler) renderCode(c *fiber.Ctx, status int, view signInView) error {
	title := "Verification code"
	if view.Recovery = c.Query("recovery") != ""; view.Recovery {
		title = "Recovery code"
	}
	view.layout = newLayout(nil, titleOf(title, status), areaNone)
	view.Action, view.Other = codePath(nextOf(c), view.Recovery), codePath(nextOf(c), !view.Recovery)
	return h.Render(c, status, "sign-in-code", &view)
}

// codePath is the path of the form for a code of the app, or for a recovery code.
func codePath(next string, recovery bool) string {
	path := withNext("/sign-in/code", next)
	if recovery {
		path = withParam(path, "recovery", "1")
	}
	return path
}

// restartSignIn redirects to the sign-in, which continues if the browser is signed in after all: the form was sent twice.
func restartSignIn(c *fiber.Ctx) error {
	return c.Redirect(withNext("/sign-in", nextOf(c)), fiber.StatusSeeOther)
}

// secondStep answers POST /sign-in/code.
func (h *accountHandler) secondStep(c *fiber.Ctx) error {
	session, err := h.SignIns.VerifySecondStep(c.UserContext(), c.Cookies(sessionCookie), formValue(c, "code"))
	if w := waitOf(c, err); w != nil {
		return h.renderCode(c, fiber.StatusTooManyRequests, signInView{Wait: w})
	}
	switch {
	case errors.Is(err, identity.ErrNoSession):
		return restartSignIn(c)
	case errors.Is(err, identity.ErrWrongCode):
		return h.renderCode(c, fiber.StatusUnauthorized, signInView{Wrong: true})
	case err != nil:
		return err
	}
	setSession(c, session)
	return h.finishSignIn(c, session)
}
