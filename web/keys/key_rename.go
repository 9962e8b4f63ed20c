package keys

import (
	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/web/ui"
)

type renameKeyView struct {
	ui.Layout
	ui.FormErrors
	apikeys.Label
	Shown               apikeys.Label // what the form showed first
	KeyName, Path, Back string
}

// RenameKeyForm handles GET /settings/api-keys/:key/rename. A revoked key can be renamed, too.
func (h *Handler) RenameKeyForm(c *fiber.Ctx, p *ui.Principal, k apikeys.Key) error {
	label := apikeys.Label{Name: k.Name, Description: k.Description}
	return h.renderRenameKey(c, p, k, fiber.StatusOK, renameKeyView{Label: label, Shown: label})
}

// RenameKey handles POST /settings/api-keys/:key/rename and redirects to the key's page.
func (h *Handler) RenameKey(c *fiber.Ctx, p *ui.Principal, k apikeys.Key) error {
	label := parseLabel(c)
	shown := apikeys.Label{Name: ui.FormValue(c, "shownName"), Description: ui.FormValue(c, "shownDescription")}
	if errs := formErrors(label.Violations()); len(errs.Errors) > 0 {
		return h.renderRenameKey(c, p, k, fiber.StatusBadRequest,
			renameKeyView{Label: validUTF8(label), Shown: validUTF8(shown), FormErrors: errs})
	}
	if err := h.Keys.Rename(c.UserContext(), p.KeyActor(), k.ID, shown, label,
		apikeys.AuditRequest(c, c.Path())); err != nil {
		return err
	}
	ui.Flash(c, ui.Notice{Strong: "Key renamed.", Before: " Its secret, scopes and expiry are the same."})
	return c.Redirect(p.KeyPath(k.ID, ""), fiber.StatusSeeOther)
}

func (h *Handler) renderRenameKey(
	c *fiber.Ctx, p *ui.Principal, k apikeys.Key, status int, view renameKeyView,
) error {
	view.Title = "Edit key"
	view.KeyName, view.Path, view.Back = k.Name, p.KeyPath(k.ID, "/rename"), p.KeyPath(k.ID, "")
	return h.RenderSettings(c, p, status, "key-rename", &view)
}
