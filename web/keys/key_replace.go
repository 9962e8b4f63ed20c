package keys

import (
	"errors"
	"fmt"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/google/uuid"

	"dg/modules/apikeys"
	"dg/platform/apperr"
	"dg/web/ui"
)

// replaceKeyView is the form that replaces a key.
type replaceKeyView struct {
	ui.Layout
	ui.FormErrors
	replaceForm
	Key        keyRow
	Path, Back string
	Overlaps   []overlapChoice
	Expiries   []expiryChoice
}

// ExpiryLabel is the legend of the form's expiries.
func (replaceKeyView) ExpiryLabel() string { return "The new key expires" }

// replaceForm is the form as it was filled in.
type replaceForm struct {
	Overlap string // one of overlapLabels
	secretForm
}

func parseReplaceForm(c *fiber.Ctx) replaceForm {
	return replaceForm{ui.FormValue(c, "overlap"), parseSecretForm(c)}
}

// replacement returns what the form describes, or all errors of the form.
func (f replaceForm) replacement(
	now time.Time,
) (in apikeys.Replacement, invalid []ui.FormError) {
	in.IdempotencyKey = f.IdempotencyKey
	var chosen bool
	if in.Overlap, chosen = overlapOf(f.Overlap); !chosen {
		invalid = append(invalid, ui.FormError{
			Field:   "overlap",
			Message: "Choose when the old key stops.",
		})
	}
	at, unmade := f.check(now)
	in.ExpiresAt = at
	return in, append(invalid, unmade...)
}

// overlapChoice is how long the old key goes on working.
type overlapChoice struct {
	Value, Text string
	Until       time.Time
	Selected    bool
}

// overlapLabels are the values and labels of apikeys.Overlaps.
var overlapLabels = [][2]string{
	{"now", "Now"}, {"hour", "In an hour"}, {"day", "In a day"}, {"week", "In a week"},
}

const defaultOverlap = "day"

// overlapOf returns the overlap of a form.
func overlapOf(value string) (time.Duration, bool) {
	for i, label := range overlapLabels {
		if label[0] == value {
			return apikeys.Overlaps[i], true
		}
	}
	return 0, false
}

// ReplaceKeyForm answers GET /settings/api-keys/:key/replace.
func (h *FormHandler) ReplaceKeyForm(c *fiber.Ctx, p *ui.Principal) error {
	k, err := h.Keys.Key(c.UserContext(), p.KeyActor(), c.Params("key"))
	if err != nil {
		return err
	}
	if !h.replaceable(p, k) {
		return c.Redirect(keyPath(p, k, ""), fiber.StatusSeeOther)
	}
	view := replaceKeyView{replaceForm: replaceForm{defaultOverlap, sameLife(k, h.Today())}}
	if view.FormErrors, _, err = h.Reauthenticate(c, p); err != nil {
		return err
	}
	return h.renderReplaceKey(c, p, k, fiber.StatusOK, view)
}

// ReplaceKey answers POST /settings/api-keys/:key/replace. Its answer is the only one that shows
// the secret, so everything that can fail happens before the key is replaced.
func (h *FormHandler) ReplaceKey(c *fiber.Ctx, p *ui.Principal) error {
	k, err := h.Keys.Key(c.UserContext(), p.KeyActor(), c.Params("key"))
	if err != nil {
		return err
	}
	form := parseReplaceForm(c)
	in, invalid := form.replacement(h.Now())
	f, status, err := h.Reauthenticate(c, p, invalid...)
	if err != nil {
		return err
	}
	if status != 0 {
		return h.rejectReplacement(c, p, k, form, status, f)
	}
	view, err := h.newCreatedView(c, p, k.Scopes)
	if err != nil {
		return err
	}
	done, err := h.Changes.Replace(c.UserContext(), p.KeyActor(), k.ID, in,
		apikeys.RequestOf(c, c.Path()))
	switch {
	case errors.Is(err, apikeys.ErrAlreadyCreated):
		return h.renderAlreadyCreated(c, p, done.New)
	case errors.Is(err, apikeys.ErrNotReplaceable):
		return c.Redirect(keyPath(p, k, ""), fiber.StatusSeeOther)
	case errors.Is(err, apikeys.ErrTooMany):
		return h.rejectReplacement(c, p, k, form, fiber.StatusBadRequest, ui.FieldError("overlap",
			fmt.Sprintf("There may be %d usable keys. Choose “Now”, or revoke another key first.",
				apikeys.MaxUsable)))
	case apperr.Is(err, apperr.Validation): // the expiry has just passed
		return h.rejectReplacement(c, p, k, form, fiber.StatusBadRequest,
			ui.FieldError("expiry", apperr.From(err).Message))
	case err != nil:
		return err
	}
	view.Title = "Key replaced"
	view.Key = h.keyRow(p, done.New)
	view.Secret = done.Token.String()
	view.OldStops = done.Old.RevokedAt
	view.OldStopped = in.Overlap == 0
	return h.Render(c, fiber.StatusOK, "key-created", &view)
}

// rejectReplacement shows the form again with its errors. It has its own idempotency key: this one
// replaced nothing.
func (h *FormHandler) rejectReplacement(
	c *fiber.Ctx, p *ui.Principal, k apikeys.Key, form replaceForm, status int, f ui.FormErrors,
) error {
	form.IdempotencyKey = uuid.NewString()
	return h.renderReplaceKey(c, p, k, status, replaceKeyView{replaceForm: form, FormErrors: f})
}

func (h *FormHandler) renderReplaceKey(
	c *fiber.Ctx, p *ui.Principal, k apikeys.Key, status int, view replaceKeyView,
) error {
	view.Key = h.keyRow(p, k)
	view.Path = keyPath(p, k, "/replace")
	view.Back = keyPath(p, k, "")
	view.Today = h.Today().Format(time.DateOnly)
	view.Expiries = expiryChoices(h.Today())
	for i, label := range overlapLabels {
		until := h.Now().Add(apikeys.Overlaps[i])
		if k.ExpiresAt != nil && k.ExpiresAt.Before(until) {
			until = *k.ExpiresAt
		}
		view.Overlaps = append(view.Overlaps,
			overlapChoice{label[0], label[1], until, label[0] == view.Overlap})
	}
	var err error
	if view.Layout, err = h.settings.Layout(c, p, ui.TitleOf("Replace key", status),
		"api-keys"); err != nil {
		return err
	}
	return h.Render(c, status, "key-replace", &view)
}
