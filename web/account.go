package web

import (
	"errors"
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
	router.Get("/account/recovery-codes", s.person(s.askNewRecoveryCodes))
	router.Post("/account/recovery-codes", s.person(s.replaceRecoveryCodes))
}

// accountView is the reader's own sign-in.
type accountView struct {
	shell
	Done      changeWords
	CodesLeft int // recovery codes, where two-step verification is on
	Sessions  []sessionRow
}

type sessionRow struct {
	ID, Browser, Address string
	StartedAt, LastUse   time.Time
	Current              bool
}

// changeWords say what was just changed, and what followed from it.
type changeWords struct{ Strong, After string }

// changes are the words for what was just changed in the session.
var changes = map[identity.Notice]changeWords{
	identity.PasswordChanged:       {"Password changed.", "Your other sessions have ended."},
	identity.TwoStepTurnedOn:       {"Two-step is on.", "Your other sessions have ended."},
	identity.TwoStepTurnedOff:      {"Two-step is off.", "Your other sessions have ended."},
	identity.RecoveryCodesReplaced: {"New recovery codes made.", "The old ones no longer work."},
}

// account answers GET /account.
func (s *Site) account(c *fiber.Ctx, v *visit) error {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	view := accountView{shell: s.accountShell(v, "Your sign-in", "account")}
	open, err := s.Identity.Sessions(ctx, v.token)
	if err != nil {
		return err
	}
	for _, o := range open {
		view.Sessions = append(view.Sessions, sessionRow{
			o.ID, browserName(o.Client.UserAgent), o.Client.Address, o.StartedAt, o.LastUsedAt, o.Current,
		})
	}
	if view.CodesLeft, err = s.Identity.RecoveryCodesLeft(ctx, v.token); err != nil {
		return err
	}
	changed, err := s.Identity.TakeNotice(ctx, v.token) // last: it is shown once
	if err != nil {
		return err
	}
	view.Done = changes[changed]
	return s.show(c, fiber.StatusOK, "account", &view)
}

// endSession answers POST /account. Who ends the own session has signed out.
func (s *Site) endSession(c *fiber.Ctx, v *visit) error {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	if err := s.Identity.EndSession(ctx, v.token, formValue(c, "session")); err != nil {
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
func (s *Site) changed(c *fiber.Ctx, session identity.Session) error {
	goOnAs(c, session)
	if err := s.knowBrowser(c, session); err != nil { // a change makes it forget all of them
		return err
	}
	return c.Redirect("/account", fiber.StatusSeeOther)
}

// proofView is the part of a form that asks for the current password and, with two-step on, for a code. Its errors are
// sentences, by field.
type proofView struct {
	CurrentError, CodeError string
	Wait                    *wait
}

// proofOf is what was sent of it.
func proofOf(c *fiber.Ctx) identity.Proof {
	return identity.Proof{Password: formValue(c, "current"), Code: formValue(c, "code")}
}

// proofRefused returns what the form says where the proof was not taken, and the status: 0 where err is not about that.
func proofRefused(c *fiber.Ctx, err error) (view proofView, status int) {
	if w := waitOf(c, err); w != nil {
		return proofView{Wait: w}, fiber.StatusTooManyRequests
	}
	switch {
	case errors.Is(err, identity.ErrWrongPassword):
		return proofView{CurrentError: "This is not your password. Type it again."}, fiber.StatusUnprocessableEntity
	case errors.Is(err, identity.ErrWrongCode):
		return proofView{CodeError: "That code did not work. It may have changed, or been used already. Type the next one."}, fiber.StatusUnprocessableEntity
	}
	return proofView{}, 0
}

// passwordView is the form for a new password. Its errors are sentences, by field.
type passwordView struct {
	shell
	proofView
	NewError, RepeatError string
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
	replacement := formValue(c, "new")
	if formValue(c, "repeat") != replacement {
		return wrong(passwordView{RepeatError: "This is not the same as the new password. Type both again."})
	}
	ctx, stop := bounded(c.UserContext())
	defer stop()
	session, err := s.Identity.ChangePassword(ctx, v.token, proofOf(c), replacement)
	if refused, status := proofRefused(c, err); status != 0 {
		return s.showPassword(c, v, status, passwordView{proofView: refused})
	}
	switch {
	case apperr.Is(err, apperr.Validation):
		return wrong(passwordView{NewError: apperr.From(err).Message})
	case err != nil:
		return s.orSignIn(c, err)
	}
	return s.changed(c, session)
}

// orSignIn leads to the sign-in where the session ended while the request was on its way, and otherwise returns err.
func (s *Site) orSignIn(c *fiber.Ctx, err error) error {
	if errors.Is(err, identity.ErrNoSession) {
		return c.Redirect(s.visitors.SignIn(""), fiber.StatusSeeOther)
	}
	return err
}
