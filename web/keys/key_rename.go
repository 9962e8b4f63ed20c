package keys

import (
	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/platform/input"
	"dg/web/ui"
)

type renameKeyView struct {
	ui.Layout
	ui.FormErrors
	labelForm
	Shown           labelForm // what the form showed first
	Key, Path, Back string
}

// RenameKeyForm handles GET /settings/api-keys/:key/rename. A revoked key can be renamed, too.
func (h *Handler) RenameKeyForm(c *fiber.Ctx, p *ui.Principal) error {
	k, err := h.Keys.Key(c.UserContext(), p.KeyActor(), input.PathID(c.Params("key")))
	if err != nil {
		return err
	}
	label := labelForm{k.Name, k.Description}
	return h.renderRenameKey(c, p, k, fiber.StatusOK, renameKeyView{labelForm: label, Shown: label})
}

// RenameKey handles POST /settings/api-keys/:key/rename and redirects to the key's page.
func (h *Handler) RenameKey(c *fiber.Ctx, p *ui.Principal) error {
	k, err := h.Keys.Key(c.UserContext(), p.KeyActor(), input.PathID(c.Params("key")))
	if err != nil {
		return err
	}
	form := parseLabelForm(c)
	shown := labelForm{ui.FormValue(c, "shownName"), ui.FormValue(c, "shownDescription")}
	if errs := formErrors(apikeys.Label(form).Violations()); len(errs.Errors) > 0 {
		return h.renderRenameKey(c, p, k, fiber.StatusBadRequest,
			renameKeyView{labelForm: form.withValidUTF8(), Shown: shown.withValidUTF8(), FormErrors: errs})
	}
	if err := h.Keys.Rename(c.UserContext(), p.KeyActor(), k.ID, apikeys.Label(shown), apikeys.Label(form),
		apikeys.AuditRequest(c, c.Path())); err != nil {
		return err
	}
	ui.Flash(c, ui.Notice{Strong: "Key renamed.", Before: " Its secret, scopes and expiry are the same."})
	return c.Redirect(p.KeyPath(k.ID, ""), fiber.StatusSeeOther)
}

func (h *Handler) renderRenameKey(
	c *fiber.Ctx, p *ui.Principal, k apikeys.Key, status int, view renameKeyView,
) error {
	view.Key, view.Path, view.Back = k.Name, p.KeyPath(k.ID, "/rename"), p.KeyPath(k.ID, "")
	var err error
	if view.Layout, err = h.layout(c, p, ui.TitleOf("Edit key", status)); err != nil {
		return err
	}
	return h.Render(c, status, "key-rename", &view)
}
