package keys

import (
	"slices"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/web/ui"
)

type createdView struct {
	ui.Layout
	Key          keyRow
	Overlap      *overlapChoice // until the replaced key stops working; nil if none is replaced
	Secret, Back string
	BaseURL      string
	ListsForks   bool // whether the key has the scope that the sample command needs
}

// newCreatedView reads nothing, because an error would lose the secret. The view has no notices:
// nothing may distract from copying the key.
func (h *Handler) newCreatedView(
	c *fiber.Ctx, p *ui.Principal, form keyFormView, key apikeys.Key, secret string,
) createdView {
	view := createdView{
		Layout:     ui.SettingsLayout(c, p, "Key created"),
		Key:        h.keyRow(p, key),
		Secret:     secret,
		Back:       p.Path(ui.SettingsPath),
		BaseURL:    h.BaseURL,
		ListsForks: form.Has(apikeys.ForksRead),
	}
	if form.Old != nil {
		view.Title = "Key replaced"
		chosen := slices.IndexFunc(form.Overlaps, func(o overlapChoice) bool { return o.Value == form.Overlap })
		view.Overlap = &form.Overlaps[chosen]
	}
	return view
}
