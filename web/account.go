package web

import (
	"errors"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/audit"
	"dg/modules/identity"
	"dg/platform/apperr"
)

func (h *Handler) mountAccount(router routes) {
	router.Get("/account", h.person(h.account))
	router.Post("/account", h.person(h.endSession))
	router.Get("/account/password", h.person(h.passwordForm))
	router.Post("/account/password", h.person(h.changePassword))
	router.Get("/account/two-step", h.person(h.twoStepForm))
	router.Post("/account/two-step", h.person(h.changeTwoStep))
	router.Get("/account/recovery-codes", h.person(h.recoveryCodesForm))
	router.Post("/account/recovery-codes", h.person(h.replaceRecoveryCodes))
}

// accountView is the reader's own sign-in.
type accountView struct {
	layout
	Done      changeText
	CodesLeft int // recovery codes, where two-step verification is on
	Sessions  []sessionRow
}

type sessionRow struct {
	ID, Browser, Address string
	StartedAt, LastUse   time.Time
	Current              bool
}

// changeText say what was just changed, and what followed from it.
type changeText struct{ Strong, After string }

// changes are the words for what was just changed in the session.
var changes = map[identity.Notice]changeText{
	audit.PasswordChanged:       {"Password changed.", "Your other sessions have ended."},
	audit.TwoStepTurnedOn:       {"Two-step is on.", "Your other sessions have ended."},
	audit.TwoStepTurnedOff:      {"Two-step is off.", "Your other sessions have ended."},
	audit.RecoveryCodesReplaced: {"New recovery codes made.", "The old ones no longer work."},
}

// account answers GET /account.
func (h *Handler) account(c *fiber.Ctx, p *principal) error {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	view := accountView{layout: h.accountLayout(p, "Your sign-in", "account")}
	open, err := h.Identity.Sessions(ctx, p.token)
	if err != nil {
		return err
	}
	for _, o := range open {
		view.Sessions = append(view.Sessions, sessionRow{
			o.ID, browserName(o.UserAgent), o.Address, o.StartedAt, o.LastUsedAt, o.Current,
		})
	}
	if view.CodesLeft, err = h.Identity.RecoveryCodesLeft(ctx, p.token); err != nil {
		return err
	}
	changed, err := h.Identity.TakeNotice(ctx, p.token) // last: it is shown once
	if err != nil {
		return err
	}
	view.Done = changes[changed]
	return h.render(c, fiber.StatusOK, "account", &view)
}

// endSession answers POST /account. Who ends the own session has signed out.
func (h *Handler) endSession(c *fiber.Ctx, p *principal) error {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	if err := h.Identity.EndSession(ctx, p.token, formValue(c, "session")); err != nil {
		return err
	}
	_, err := h.Identity.Session(ctx, p.token)
	if errors.Is(err, identity.ErrNoSession) {
		return h.signedOut(c)
	}
	if err != nil {
		return err
	}
	return c.Redirect("/account", fiber.StatusSeeOther)
}

// changed goes on as the session, and back to the account, which says what was changed.
func (h *Handler) changed(c *fiber.Ctx, session identity.Session) error {
	setSession(c, session)
	if err := h.knowBrowser(c, session); err != nil { // a change makes it forget all of them
		return err
	}
	return c.Redirect("/account", fiber.StatusSeeOther)
}

// proofErrors is the part of a form that asks for the current password and, with two-step on, for a code. Its errors are
// sentences, by field.
type proofErrors struct {
	CurrentError, CodeError string
	Wait                    *wait
}

// proofOf is what was sent of it.
func proofOf(c *fiber.Ctx) identity.Proof {
	return identity.Proof{Password: formValue(c, "current"), Code: formValue(c, "code")}
}

// proofRefused returns what the form says where the proof was not taken, and the status: 0 where err is not about that.
func proofRefused(c *fiber.Ctx, err error) (view proofErrors, status int) {
	if w := waitOf(c, err); w != nil {
		return proofErrors{Wait: w}, fiber.StatusTooManyRequests
	}
	switch {
	case errors.Is(err, identity.ErrWrongPassword):
		return proofErrors{CurrentError: "This is not your password. Type it again."}, fiber.StatusUnprocessableEntity
	case errors.Is(err, identity.ErrWrongCode):
		return proofErrors{CodeError: "That code did not work. It may have changed, or been used already. Type the next one."}, fiber.StatusUnprocessableEntity
	}
	return proofErrors{}, 0
}

// passwordView is the form for a new password. Its errors are sentences, by field.
type passwordView struct {
	layout
	proofErrors
	NewError, RepeatError string
}

// passwordForm answers GET /account/password.
func (h *Handler) passwordForm(c *fiber.Ctx, p *principal) error {
	return h.renderPassword(c, p, fiber.StatusOK, passwordView{})
}

func (h *Handler) renderPassword(c *fiber.Ctx, p *principal, status int, view passwordView) error {
	view.layout = h.accountLayout(p, titleOf("Change password", status), "account")
	return h.render(c, status, "password", &view)
}

// titleOf is the title of a screen that may have come back with errors.
func titleOf(title string, status int) string {
	if status == fiber.StatusOK {
		return title
	}
	return "Error: " + title
}

// changePassword answers POST /account/password.
func (h *Handler) changePassword(c *fiber.Ctx, p *principal) error {
	wrong := func(view passwordView) error { return h.renderPassword(c, p, fiber.StatusUnprocessableEntity, view) }
	replacement := formValue(c, "new")
	if formValue(c, "repeat") != replacement {
		return wrong(passwordView{RepeatError: "This is not the same as the new password. Type both again."})
	}
	ctx, stop := bounded(c.UserContext())
	defer stop()
	session, err := h.Identity.ChangePassword(ctx, p.token, proofOf(c), replacement)
	if refused, status := proofRefused(c, err); status != 0 {
		return h.renderPassword(c, p, status, passwordView{proofErrors: refused})
	}
	switch {
	case apperr.Is(err, apperr.Validation):
		return wrong(passwordView{NewError: apperr.From(err).Message})
	case err != nil:
		return h.orSignIn(c, err)
	}
	return h.changed(c, session)
}

// orSignIn leads to the sign-in where the session ended while the request was on its way, and otherwise returns err.
func (h *Handler) orSignIn(c *fiber.Ctx, err error) error {
	if errors.Is(err, identity.ErrNoSession) {
		return c.Redirect(h.auth.SignIn(""), fiber.StatusSeeOther)
	}
	return err
}
