package keys

import (
	"errors"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/platform/apperr"
	"dg/web/ui"
)

// newKeyView is the form that creates a key.
type newKeyView struct {
	ui.Layout
	ui.FormErrors
	keyForm
	Path, Back string
	Expiries   []expiryChoice
}

// ExpiryLabel is the legend of the form's expiries.
func (newKeyView) ExpiryLabel() string { return "Expiry" }

// keyForm is the form as it was filled in.
type keyForm struct {
	labelForm
	Scopes []string `json:"scopes" validate:"min=1,dive,oneof=forks:read reports:read"`
	secretForm
}

// Has reports whether the scope is chosen.
func (f keyForm) Has(scope string) bool { return slices.Contains(f.Scopes, scope) }

// NewKeyForm answers GET /settings/api-keys/new.
func (h *FormHandler) NewKeyForm(c *fiber.Ctx, p *ui.Principal) error {
	keys, err := h.Keys.List(c.UserContext(), p.KeyActor())
	if err != nil {
		return err
	}
	active := 0
	for _, k := range keys {
		if h.keyRow(p, k).active {
			active++
		}
	}
	if obstacles := creationObstacles(p, len(keys) > 0, active, ""); len(obstacles) > 0 {
		return refused(obstacles[0])
	}
	view := newKeyView{keyForm: keyForm{secretForm: newSecretForm("90")}}
	if view.FormErrors, _, err = h.Reauthenticate(c, p); err != nil {
		return err
	}
	return h.renderNewKey(c, p, fiber.StatusOK, view)
}

func (h *FormHandler) renderNewKey(c *fiber.Ctx, p *ui.Principal, status int, view newKeyView) error {
	view.Path = p.Path("/settings/api-keys/new")
	view.Back = p.Path("/settings/api-keys")
	view.Today = h.Today().Format(time.DateOnly)
	view.Expiries = expiryChoices(h.Today())
	var err error
	if view.Layout, err = h.settings.Layout(c, p, ui.TitleOf("Create key", status),
		"api-keys"); err != nil {
		return err
	}
	return h.Render(c, status, "key-new", &view)
}

// CreateKey answers POST /settings/api-keys/new. Its answer is the only one that shows the secret,
// so everything that can fail happens before the key is created.
func (h *FormHandler) CreateKey(c *fiber.Ctx, p *ui.Principal) error {
	if obstacles := creationObstacles(p, true, 0, ""); len(obstacles) > 0 {
		return h.NewKeyForm(c, p) // which says what is in the way
	}
	form := parseKeyForm(c)
	in, invalid := form.key(h.Now())
	f, status, err := h.Reauthenticate(c, p, invalid...)
	if err != nil {
		return err
	}
	if status != 0 {
		return h.rejectNewKey(c, p, form, status, f)
	}
	created, err := h.newCreatedView(c, p, in.Scopes)
	if err != nil {
		return err
	}
	key, token, err := h.Changes.Create(c.UserContext(), p.KeyActor(), in,
		apikeys.RequestOf(c, c.Path()))
	switch {
	case errors.Is(err, apikeys.ErrAlreadyCreated):
		return h.renderAlreadyCreated(c, p, key)
	case apperr.Is(err, apperr.Validation): // the expiry has just passed
		return h.rejectNewKey(c, p, form, fiber.StatusBadRequest,
			ui.FieldError("expiry", apperr.From(err).Message))
	case err != nil:
		return err
	}
	created.Key = h.keyRow(p, key)
	created.Secret = token.String()
	return h.Render(c, fiber.StatusOK, "key-created", &created)
}

// rejectNewKey shows the form again with all its errors.
func (h *FormHandler) rejectNewKey(
	c *fiber.Ctx, p *ui.Principal, form keyForm, status int, f ui.FormErrors,
) error {
	return h.renderNewKey(c, p, status, newKeyView{keyForm: form.shown(), FormErrors: f})
}

// shown returns the form for showing it again.
func (f keyForm) shown() keyForm {
	f.labelForm = f.labelForm.shown()
	f.secretForm = f.secretForm.shown()
	return f
}

// parseKeyForm reads the form.
func parseKeyForm(c *fiber.Ctx) keyForm {
	form := keyForm{labelForm: parseLabelForm(c), secretForm: parseSecretForm(c)}
	for _, scope := range c.Context().PostArgs().PeekMulti("scopes") {
		form.Scopes = append(form.Scopes, string(scope))
	}
	return form
}

// key returns the key that the form describes, or all errors of the form.
func (f keyForm) key(now time.Time) (apikeys.NewKey, []ui.FormError) {
	invalid := formErrors(f).Errors
	in := apikeys.NewKey{Name: f.Name, Description: f.Description, IdempotencyKey: f.IdempotencyKey}
	for _, scope := range []apikeys.Scope{apikeys.ForksRead, apikeys.ReportsRead} {
		if f.Has(string(scope)) {
			in.Scopes = append(in.Scopes, scope)
		}
	}
	at, unmade := f.check(now)
	in.ExpiresAt = at
	return in, append(invalid, unmade...)
}
