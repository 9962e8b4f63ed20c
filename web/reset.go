package web

import (
	"github.com/gofiber/fiber/v2"

	"dg/modules/identity"
	"dg/platform/apperr"
)

// resetView is the form for a new password behind the link of a reset, or, once it was sent, what it has done.
type resetView struct {
	shell
	Token                 string
	Person                identity.Person
	NewError, RepeatError string
	Done                  bool
}

// askReset answers GET /account/reset. Looking at the link does not use it up: programs that preview links do so.
func (s *Site) askReset(c *fiber.Ctx) error {
	return s.showReset(c, fiber.StatusOK, resetView{Token: c.Query("token")})
}

func (s *Site) showReset(c *fiber.Ctx, status int, view resetView) error {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	var err error
	if view.Person, err = s.Identity.ResetPerson(ctx, view.Token); err != nil {
		return err
	}
	view.shell = s.shell(nil, titleOf("New password", status), areaNone)
	return s.show(c, status, "reset", &view)
}

// useReset answers POST /account/reset. Whoever was signed in in this browser signs out.
func (s *Site) useReset(c *fiber.Ctx) error {
	view := resetView{Token: formValue(c, "token")}
	password := formValue(c, "new")
	if formValue(c, "repeat") != password {
		view.RepeatError = "This is not the same as the new password. Type both again."
		return s.showReset(c, fiber.StatusUnprocessableEntity, view)
	}
	ctx, stop := bounded(c.UserContext())
	defer stop()
	err := s.Identity.UseReset(ctx, view.Token, password)
	if apperr.Is(err, apperr.Validation) {
		view.NewError = apperr.From(err).Message
		return s.showReset(c, fiber.StatusUnprocessableEntity, view)
	}
	if err != nil {
		return err
	}
	if err := s.endOwnSession(c); err != nil {
		return err
	}
	view.shell, view.Done = s.shell(nil, "Password set", areaNone), true
	return s.show(c, fiber.StatusOK, "reset", &view)
}
