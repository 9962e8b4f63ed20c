package keys

import (
	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/web/ui"
)

type keyView struct {
	ui.Layout
	Key             keyRow
	Usage           *usageView // nil if the requests could not be read in time
	Back            string     // path of the list
	Replaces        *keyRow    // the key that this one replaced, or nil
	Successor       *keyRow    // the key that replaced this one, or nil
	Events          []keyEvent // the newest refusals and exports of the key
	EventsMissing   bool       // whether the events could not be read in time
	Replace, Rename string     // paths of the forms, or "" if not permitted or not possible
}

// ShowKey handles GET /settings/api-keys/:key, also of a revoked or expired key.
func (h *Handler) ShowKey(c *fiber.Ctx, p *ui.Principal, k apikeys.Key) error {
	usage, err := h.usageOf(c.UserContext(), p, []apikeys.Key{k})
	if err != nil {
		return err
	}
	view := keyView{
		Layout: ui.Layout{Title: k.Name},
		Key:    h.keyRow(p, k),
		Usage:  newUsageView(usage[k.ID]),
		Back:   p.Path(ui.SettingsPath),
	}
	if err := h.addHistory(c.UserContext(), p, k, &view); err != nil {
		return err
	}
	if p.May(apikeys.RenameKey) {
		view.Rename = p.KeyPath(k.ID, "/rename")
	}
	if p.May(apikeys.ReplaceKey) && h.replaceable(p, k) {
		view.Replace = p.KeyPath(k.ID, "/replace")
	}
	return h.RenderSettings(c, p, fiber.StatusOK, "key", &view)
}

// replaceable reports whether k can be replaced. RevokedAt of a replaced key is set, and is in the
// future during the overlap.
func (h *Handler) replaceable(p *ui.Principal, k apikeys.Key) bool {
	return k.RevokedAt == nil && k.State(h.Now(), p.Organisation.Plan) == apikeys.StateUsable
}
