package keys

import (
	"errors"
	"fmt"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/google/uuid"

	"dg/modules/apikeys"
	"dg/platform/input"
	"dg/web/ui"
)

// replaceKeyView is the form that replaces a key.
type replaceKeyView struct {
	ui.Layout
	ui.FormErrors
	Key            keyRow
	IdempotencyKey string
	Path, Back     string
	Choices        []overlapChoice
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
func (h *Handler) ReplaceKeyForm(c *fiber.Ctx, p *ui.Principal) error {
	k, err := h.Keys.Key(c.UserContext(), p.KeyActor(), c.Params("key"))
	if err != nil {
		return err
	}
	if !h.replaceable(p, k) {
		return c.Redirect(keyPath(p, k, ""), fiber.StatusSeeOther)
	}
	choice := defaultOverlap
	view := replaceKeyView{IdempotencyKey: uuid.NewString()}
	if view.FormErrors, _, err = h.Reauthenticate(c, p); err != nil {
		return err
	}
	if view.Draft = h.TakeDraft(c, p); view.Draft {
		choice = ui.FormValue(c, "overlap")
		if sent := ui.FormValue(c, "idempotencyKey"); input.IsID(sent) {
			view.IdempotencyKey = sent
		}
	}
	return h.renderReplaceKey(c, p, k, fiber.StatusOK, choice, view)
}

// ReplaceKey answers POST /settings/api-keys/:key/replace. Its answer is the only one that shows
// the secret, so everything that can fail happens before the key is replaced.
func (h *Handler) ReplaceKey(c *fiber.Ctx, p *ui.Principal) error {
	k, err := h.Keys.Key(c.UserContext(), p.KeyActor(), c.Params("key"))
	if err != nil {
		return err
	}
	choice := ui.FormValue(c, "overlap")
	idempotencyKey := ui.FormValue(c, "idempotencyKey")
	overlap, chosen := overlapOf(choice)
	var invalid []ui.FormError
	if !chosen {
		invalid = append(invalid, ui.FormError{
			Field:   "overlap",
			Message: "Choose when the old key stops.",
		})
	}
	if !input.IsID(idempotencyKey) {
		invalid = append(invalid, ui.FormError{Field: "main", Message: incompleteForm})
	}
	f, status, err := h.Reauthenticate(c, p, invalid...)
	if err != nil {
		return err
	}
	if status != 0 {
		return h.rejectReplacement(c, p, k, choice, status, f)
	}
	view, err := h.newCreatedView(c, p, apikeys.NewKey{Name: k.Name, Scopes: k.Scopes})
	if err != nil {
		return err
	}
	done, err := h.Changes.Replace(c.UserContext(), p.KeyActor(), k.ID,
		apikeys.Replacement{
			Overlap:        overlap,
			IdempotencyKey: idempotencyKey,
		}, apikeys.RequestOf(c, c.Path()))
	switch {
	case errors.Is(err, apikeys.ErrAlreadyCreated):
		return h.renderAlreadyCreated(c, p, done.New)
	case errors.Is(err, apikeys.ErrNotReplaceable):
		return c.Redirect(keyPath(p, k, ""), fiber.StatusSeeOther)
	case errors.Is(err, apikeys.ErrTooMany):
		return h.rejectReplacement(c, p, k, choice, fiber.StatusBadRequest, ui.FieldError("overlap",
			fmt.Sprintf(
				"Both keys would be more than the maximum of %d. Choose “Now”, or revoke another "+
					"key first.", apikeys.MaxUsable,
			)))
	case err != nil:
		return err
	}
	view.Title = "Key replaced"
	view.Until = done.New.ExpiresAt
	view.Secret = done.Token.String()
	view.OldStops = done.Old.RevokedAt
	view.OldStopped = overlap == 0
	return h.Render(c, fiber.StatusOK, "key-created", &view)
}

// rejectReplacement shows the form again with its errors. It has its own idempotency key: this one
// replaced nothing.
func (h *Handler) rejectReplacement(
	c *fiber.Ctx, p *ui.Principal, k apikeys.Key, choice string, status int, f ui.FormErrors,
) error {
	view := replaceKeyView{IdempotencyKey: uuid.NewString(), FormErrors: f}
	return h.renderReplaceKey(c, p, k, status, choice, view)
}

func (h *Handler) renderReplaceKey(
	c *fiber.Ctx, p *ui.Principal, k apikeys.Key, status int, choice string, view replaceKeyView,
) error {
	view.Key = h.keyRow(p, k)
	view.Path = keyPath(p, k, "/replace")
	view.Back = keyPath(p, k, "")
	for i, label := range overlapLabels {
		until := h.Now().Add(apikeys.Overlaps[i])
		if k.ExpiresAt != nil && k.ExpiresAt.Before(until) {
			until = *k.ExpiresAt
		}
		view.Choices = append(view.Choices,
			overlapChoice{label[0], label[1], until, label[0] == choice})
	}
	var err error
	if view.Layout, err = h.settings.Layout(c, p, ui.TitleOf("Replace key", status),
		"api-keys"); err != nil {
		return err
	}
	return h.Render(c, status, "key-replace", &view)
}
