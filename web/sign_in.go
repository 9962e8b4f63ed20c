package web

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/identity"
	"dg/platform/apperr"
	"dg/platform/httpserver"
)

func (h *Handler) mountSignIn(router routes) {
	router.Get("/sign-in", h.signInForm)
	router.Post("/sign-in", h.signIn)
	router.Get("/sign-in/code", h.codeForm)
	router.Post("/sign-in/code", h.secondStep)
	router.Post("/sign-out", h.signOut)
	router.Get("/account/reset", h.resetForm)
	router.Post("/account/reset", h.useReset)
}

// signInView is the question for e-mail and password, and that for the code.
type signInView struct {
	layout
	Action string // where the form goes, with what comes after it
	Email  string
	Wrong  bool
	Wait   *wait // nil: the answer is looked at

	Recovery bool   // whether the question is for a recovery code
	Other    string // the page with the other question
}

// wait is how long no answer is looked at.
type wait struct {
	Seconds int
	Until   time.Time
}

// In is how long that is, in words.
func (w wait) In() string {
	switch {
	case w.Seconds == 1:
		return "1 second"
	case w.Seconds <= 120:
		return strconv.Itoa(w.Seconds) + " seconds"
	}
	return strconv.Itoa((w.Seconds+59)/60) + " minutes"
}

// waitOf returns the wait that err is about, or nil, and tells the browser of it.
func waitOf(c *fiber.Ctx, err error) *wait {
	locked, ok := errors.AsType[*identity.LockedError](err)
	if !ok {
		return nil
	}
	w := &wait{Seconds: apperr.From(err).RetryAfter, Until: locked.Until}
	c.Set(fiber.HeaderRetryAfter, strconv.Itoa(w.Seconds))
	return w
}

// nextOf is where the reader wanted to go before the sign-in.
func nextOf(c *fiber.Ctx) string { return localPath(c.Query("next")) }

// signInForm answers GET /sign-in.
func (h *Handler) signInForm(c *fiber.Ctx) error {
	p, err := h.authenticate(c)
	if err != nil {
		return err
	}
	if p != nil {
		return c.Redirect(nextOf(c), fiber.StatusSeeOther)
	}
	return h.renderSignIn(c, fiber.StatusOK, signInView{})
}

func (h *Handler) renderSignIn(c *fiber.Ctx, status int, view signInView) error {
	return h.renderGate(c, status, "sign-in", "Sign in", withNext("/sign-in", nextOf(c)), view)
}

func (h *Handler) renderGate(c *fiber.Ctx, status int, name, title, action string, view signInView) error {
	view.layout, view.Action = h.layout(nil, titleOf(title, status), areaNone), action
	return h.render(c, status, name, &view)
}

// signIn answers POST /sign-in. The session of before, whoever's it was, ends: a token that somebody planted in this
// browser is never one that is signed in.
func (h *Handler) signIn(c *fiber.Ctx) error {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	email := formValue(c, "email")
	session, err := h.Identity.SignIn(ctx, email, formValue(c, "password"), identity.Client{
		Address: httpserver.ClientAddr(c), UserAgent: c.Get(fiber.HeaderUserAgent), Browser: c.Cookies(browserCookie),
	})
	if w := waitOf(c, err); w != nil {
		return h.renderSignIn(c, fiber.StatusTooManyRequests, signInView{Email: email, Wait: w})
	}
	if errors.Is(err, identity.ErrWrongPassword) {
		return h.renderSignIn(c, fiber.StatusUnauthorized, signInView{Email: email, Wrong: true})
	}
	if err != nil {
		return err
	}
	if old := c.Cookies(sessionCookie); old != "" {
		if err := h.Identity.SignOut(ctx, old); err != nil {
			return err
		}
	}
	setSession(c, session)
	if session.SecondStepDue {
		return c.Redirect(withNext("/sign-in/code", nextOf(c)), fiber.StatusSeeOther)
	}
	return h.finishSignIn(c, session)
}

// browserCookie holds what makes a browser one that has signed in before. It is useless without the password.
const browserCookie = "__Host-dg-browser"

// finishSignIn makes the browser one that has signed in before, and goes on to what the reader came for.
func (h *Handler) finishSignIn(c *fiber.Ctx, session identity.Session) error {
	if err := h.knowBrowser(c, session); err != nil {
		return err
	}
	return c.Redirect(nextOf(c), fiber.StatusSeeOther)
}

func (h *Handler) knowBrowser(c *fiber.Ctx, session identity.Session) error {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	token, err := h.Identity.RememberBrowser(ctx, session, c.Cookies(browserCookie))
	if err != nil {
		return err
	}
	known := hostCookie(browserCookie, token)
	known.SessionOnly, known.MaxAge = false, int(identity.KnownBrowserTTL/time.Second)
	c.Cookie(known)
	return nil
}

// setSession makes the browser one of the session: the forms of the answer are the session's.
func setSession(c *fiber.Ctx, session identity.Session) {
	c.Cookie(hostCookie(sessionCookie, session.Token))
	c.Request().Header.SetCookie(sessionCookie, session.Token)
}

// codeForm answers GET /sign-in/code.
func (h *Handler) codeForm(c *fiber.Ctx) error {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	session, err := h.Identity.Session(ctx, c.Cookies(sessionCookie))
	if errors.Is(err, identity.ErrNoSession) {
		return h.startAgain(c)
	}
	if err != nil {
		return err
	}
	if !session.SecondStepDue {
		return c.Redirect(nextOf(c), fiber.StatusSeeOther)
	}
	return h.renderCode(c, fiber.StatusOK, signInView{})
}

func (h *Handler) renderCode(c *fiber.Ctx, status int, view signInView) error {
	title := "Two-step code"
	if view.Recovery = c.Query("recovery") != ""; view.Recovery {
		title = "Recovery code"
	}
	view.Other = codePath(nextOf(c), !view.Recovery)
	return h.renderGate(c, status, "two-step", title, codePath(nextOf(c), view.Recovery), view)
}

// codePath is the page that asks for a code of the app, or for a recovery code.
func codePath(next string, recovery bool) string {
	path := withNext("/sign-in/code", next)
	switch {
	case !recovery:
		return path
	case strings.Contains(path, "?"):
		return path + "&recovery=1"
	}
	return path + "?recovery=1"
}

// startAgain leads to the sign-in, which leads on when the browser is signed in after all: a form that was sent twice is
// answered by its second answer.
func (h *Handler) startAgain(c *fiber.Ctx) error {
	return c.Redirect(withNext("/sign-in", nextOf(c)), fiber.StatusSeeOther)
}

// secondStep answers POST /sign-in/code.
func (h *Handler) secondStep(c *fiber.Ctx) error {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	session, err := h.Identity.VerifySecondStep(ctx, c.Cookies(sessionCookie), formValue(c, "code"))
	if w := waitOf(c, err); w != nil {
		return h.renderCode(c, fiber.StatusTooManyRequests, signInView{Wait: w})
	}
	switch {
	case errors.Is(err, identity.ErrNoSession):
		return h.startAgain(c)
	case errors.Is(err, identity.ErrWrongCode):
		return h.renderCode(c, fiber.StatusUnauthorized, signInView{Wrong: true})
	case err != nil:
		return err
	}
	setSession(c, session)
	return h.finishSignIn(c, session)
}

// signOut answers POST /sign-out.
func (h *Handler) signOut(c *fiber.Ctx) error {
	if err := h.endOwnSession(c); err != nil {
		return err
	}
	return c.Redirect("/sign-in", fiber.StatusSeeOther)
}

// endOwnSession ends the session of this browser, if there is one.
func (h *Handler) endOwnSession(c *fiber.Ctx) error {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	if err := h.Identity.SignOut(ctx, c.Cookies(sessionCookie)); err != nil {
		return err
	}
	dropSession(c)
	return nil
}

// signedOut takes the session's cookie from the browser and leads to the sign-in.
func (h *Handler) signedOut(c *fiber.Ctx) error {
	dropSession(c)
	return c.Redirect("/sign-in", fiber.StatusSeeOther)
}

// dropSession takes the session's cookie from the browser.
func dropSession(c *fiber.Ctx) {
	gone := hostCookie(sessionCookie, "")
	gone.SessionOnly, gone.MaxAge, gone.Expires = false, -1, time.Unix(0, 0)
	c.Cookie(gone)
	c.Request().Header.DelCookie(sessionCookie)
}
