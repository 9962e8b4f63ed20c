package web

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
)

// renameKeyView is the form that changes what a key is called.
type renameKeyView struct {
	layout
	formErrors
	labelForm
	Key        string // its name as it is
	Path, Back string
}

// labelForm is the fields of a key's name and description.
type labelForm struct {
	Name        string `json:"name" validate:"visible,max=200,text,legible"`
	Description string `json:"description" validate:"omitempty,max=200,text,legible"`
}

func parseLabelForm(c *fiber.Ctx) labelForm {
	return labelForm{strings.TrimSpace(formValue(c, "name")), strings.TrimSpace(formValue(c, "description"))}
}

// shown is the form as it can be shown again.
func (f labelForm) shown() labelForm {
	return labelForm{strings.ToValidUTF8(f.Name, "\uFFFD"), strings.ToValidUTF8(f.Description, "\uFFFD")}
}

// renameKeyForm answers GET /settings/api-keys/:key/rename.
func (h *keysHandler) renameKeyForm(c *fiber.Ctx, p *principal) error {
	k, err := h.Keys.Key(c.UserContext(), p.keyActor(), c.Params("key"))
	if err != nil {
		return err
	}
	view := renameKeyView{labelForm: labelForm{k.Name, k.Description}}
	if view.Draft = h.TakeDraft(c, p); view.Draft {
		view.labelForm = parseLabelForm(c).shown()
	}
	return h.renderRenameKey(c, p, k, fiber.StatusOK, view)
}

// renameKey answers POST /settings/api-keys/:key/rename and redirects to the key's page.
func (h *keysHandler) renameKey(c *fiber.Ctx, p *principal) error {
	k, err := h.Keys.Key(c.UserContext(), p.keyActor(), c.Params("key"))
	if err != nil {
		return err
	}
	form := parseLabelForm(c)
	if invalid := checkForm(p.locale, form); len(invalid.Errors) > 0 {
		return h.renderRenameKey(c, p, k, fiber.StatusBadRequest, renameKeyView{labelForm: form.shown(), formErrors: invalid})
	}
	if err := h.Changes.Rename(c.UserContext(), p.keyActor(), k.ID, apikeys.Label(form), apikeys.RequestOf(c, c.Path())); err != nil {
		return err
	}
	say(c, notice{Strong: "Key renamed.", Before: " Its secret, scopes and expiry are the same."})
	return c.Redirect(keyPath(p, k, ""), fiber.StatusSeeOther)
}

func (h *keysHandler) renderRenameKey(c *fiber.Ctx, p *principal, k apikeys.Key, status int, view renameKeyView) error {
	view.Key, view.Path, view.Back = k.Name, keyPath(p, k, "/rename"), keyPath(p, k, "")
	var err error
	if view.layout, err = h.settings.Layout(c, p, titleOf("Rename key", status), "api-keys"); err != nil {
		return err
	}
	return h.Render(c, status, "key-rename", &view)
}
