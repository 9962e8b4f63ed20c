package keys

import (
	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/web/ui"
)

// revokeKeyView asks for confirmation. With JavaScript, a dialog on the list of keys replaces it.
type revokeKeyView struct {
	ui.Layout
	Key  keyRow
	Path string
}

// RevokeKeyForm handles GET /settings/api-keys/:key/revoke.
func (h *Handler) RevokeKeyForm(c *fiber.Ctx, p *ui.Principal, k apikeys.Key) error {
	if k.Revoked(h.Now()) {
		return c.Redirect(p.KeyPath(k.ID, ""), fiber.StatusSeeOther)
	}
	return h.RenderSettings(c, p, fiber.StatusOK, "key-revoke", &revokeKeyView{
		Layout: ui.Layout{Title: "Revoke key"},
		Key:    h.keyRow(p, k),
		Path:   p.KeyPath(k.ID, "/revoke"),
	})
}

// RevokeKey handles POST /settings/api-keys/:key/revoke.
func (h *Handler) RevokeKey(c *fiber.Ctx, p *ui.Principal, k apikeys.Key) error {
	if err := h.Keys.Revoke(c.UserContext(), p.KeyActor(), k.ID,
		apikeys.AuditRequest(c, c.Path())); err != nil {
		return err
	}
	ui.Flash(c, ui.Notice{
		Name:   k.Name,
		Strong: "has been revoked.",
		Before: " Requests with this key are now refused.",
	})
	return c.Redirect(p.Path(ui.SettingsPath), fiber.StatusSeeOther)
}
