package web

import (
	"errors"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/identity"
	"dg/platform/apperr"
)

func (s *Site) mountAccount(router routes) {
	router.Get("/account", s.person(s.account))
	router.Post("/account", s.person(s.endSession))
	router.Get("/account/password", s.person(s.askNewPassword))
	router.Post("/account/password", s.person(s.changePassword))
	router.Get("/account/two-step", s.person(s.askTwoStep))
	router.Post("/account/two-step", s.person(s.changeTwoStep))
}

// accountView is the reader's own sign-in.
type accountView struct {
	shell
	Done     string // what was just changed, in words, or ""
	Sessions []sessionRow
}

type sessionRow struct {
	ID, Browser, Address string
	StartedAt, LastUse   time.Time
	Current              bool
}

// changes are what the screen says after a change, by the word in its address.
var changes = map[string]string{
	"password":     "Password changed.",
	"two-step-on":  "Two-step is on.",
	"two-step-off": "Two-step is off.",
}

// account answers GET /account.
func (s *Site) account(c *fiber.Ctx, v *visit) error {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	view := accountView{shell: s.accountShell(v, "Your sign-in", "account"), Done: changes[c.Query("changed")]}
	open, err := s.Identity.Sessions(ctx, v.token)
	if err != nil {
		return err
	}
	for _, o := range open {
		view.Sessions = append(view.Sessions, sessionRow{
			o.ID, browserName(o.Client.UserAgent), o.Client.Address, o.StartedAt, o.LastUsedAt, o.Current,
		})
	}
	return s.show(c, fiber.StatusOK, "account", &view)
}

// endSession answers POST /account. Who ends the own session has signed out.
func (s *Site) endSession(c *fiber.Ctx, v *visit) error {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	if err := s.Identity.EndSession(ctx, v.token, posted(c, "session")); err != nil {
		return err
	}
	_, err := s.Identity.Session(ctx, v.token)
	if errors.Is(err, identity.ErrNoSession) {
		return s.signedOut(c)
	}
	if err != nil {
		return err
	}
	return c.Redirect("/account", fiber.StatusSeeOther)
}

// changed goes on as the session, and back to the account, which says what was changed.
func (s *Site) changed(c *fiber.Ctx, session identity.Session, what string) error {
	goOnAs(c, session)
	return c.Redirect("/account?changed="+what, fiber.StatusSeeOther)
}

// passwordView is the form for a new password. Its errors are sentences, by field.
type passwordView struct {
	shell
	CurrentError, NewError, RepeatError string
	Wait                                *wait
}

// askNewPassword answers GET /account/password.
func (s *Site) askNewPassword(c *fiber.Ctx, v *visit) error {
	return s.showPassword(c, v, fiber.StatusOK, passwordView{})
}

func (s *Site) showPassword(c *fiber.Ctx, v *visit, status int, view passwordView) error {
	view.shell = s.accountShell(v, titleOf("Change password", status), "account")
	return s.show(c, status, "password", &view)
}

// titleOf is the title of a screen that may have come back with errors.
func titleOf(title string, status int) string {
	if status == fiber.StatusOK {
		return title
	}
	return "Error: " + title
}

// changePassword answers POST /account/password.
func (s *Site) changePassword(c *fiber.Ctx, v *visit) error {
	wrong := func(view passwordView) error { return s.showPassword(c, v, fiber.StatusUnprocessableEntity, view) }
	replacement := posted(c, "new")
	if posted(c, "repeat") != replacement {
		return wrong(passwordView{RepeatError: "This is not the same as the new password. Type both again."})
	}
	ctx, stop := bounded(c.UserContext())
	defer stop()
	session, err := s.Identity.ChangePassword(ctx, v.token, posted(c, "current"), replacement)
	if w := waitOf(c, err); w != nil {
		return s.showPassword(c, v, fiber.StatusTooManyRequests, passwordView{Wait: w})
	}
	switch {
	case errors.Is(err, identity.ErrWrongPassword):
		return wrong(passwordView{CurrentError: "This is not your password. Type it again."})
	case apperr.Is(err, apperr.Validation):
		return wrong(passwordView{NewError: apperr.From(err).Message})
	case err != nil:
		return s.orSignIn(c, err)
	}
	return s.changed(c, session, "password")
}

// orSignIn leads to the sign-in where the session ended while the request was on its way, and otherwise returns err.
func (s *Site) orSignIn(c *fiber.Ctx, err error) error {
	if errors.Is(err, identity.ErrNoSession) {
		return c.Redirect(s.visitors.SignIn(""), fiber.StatusSeeOther)
	}
	return err
}

// enrolView is two-step verification being set up, or, where there is no offer, turned off.
type enrolView struct {
	shell
	Secret string // in groups of four
	QR     *qrCode
	Issuer string
	Wrong  bool
	Wait   *wait
}

// askTwoStep answers GET /account/two-step.
func (s *Site) askTwoStep(c *fiber.Ctx, v *visit) error {
	return s.showTwoStep(c, v, fiber.StatusOK, enrolView{})
}

func (s *Site) showTwoStep(c *fiber.Ctx, v *visit, status int, view enrolView) error {
	if v.Person.TwoStep {
		view.shell = s.accountShell(v, titleOf("Turn off two-step", status), "two-step")
		return s.show(c, status, "enrol-off", &view)
	}
	ctx, stop := bounded(c.UserContext())
	defer stop()
	offer, err := s.Identity.BeginTwoStep(ctx, v.token)
	if err != nil {
		return s.orSignIn(c, err)
	}
	view.shell = s.accountShell(v, titleOf("Set up two-step", status), "two-step")
	view.Secret, view.QR, view.Issuer = inFours(offer.Secret), newQRCode(offer.URL), identity.Issuer
	return s.show(c, status, "enrol", &view)
}

// changeTwoStep answers POST /account/two-step: it turns two-step verification on or off, with a code.
func (s *Site) changeTwoStep(c *fiber.Ctx, v *visit) error {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	what, change := "two-step-on", s.Identity.ConfirmTwoStep
	if posted(c, "do") == "off" {
		what, change = "two-step-off", s.Identity.TurnOffTwoStep
	}
	session, err := change(ctx, v.token, posted(c, "code"))
	if w := waitOf(c, err); w != nil {
		return s.showTwoStep(c, v, fiber.StatusTooManyRequests, enrolView{Wait: w})
	}
	switch {
	case errors.Is(err, identity.ErrWrongCode):
		return s.showTwoStep(c, v, fiber.StatusUnprocessableEntity, enrolView{Wrong: true})
	case errors.Is(err, identity.ErrTwoStepOn), errors.Is(err, identity.ErrTwoStepOff):
		return c.Redirect("/account/two-step", fiber.StatusSeeOther) // changed elsewhere meanwhile: look again
	case err != nil:
		return s.orSignIn(c, err)
	}
	return s.changed(c, session, what)
}

// inFours is a secret as it is easiest to type.
func inFours(secret string) string {
	var b strings.Builder
	for i, r := range secret {
		if i > 0 && i%4 == 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return b.String()
}
