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
	Old          *overlapChoice // when the replaced key stops working; nil: no key was replaced
	Secret, Back string
	BaseURL      string
	ListsForks   bool // whether the key has the scope that the sample command needs
}

// newCreatedView runs before the key is created: once a secret exists, an error would lose it.
func (h *Handler) newCreatedView(
	c *fiber.Ctx, p *ui.Principal, form keyFormView,
) (view createdView, err error) {
	view = createdView{
		Back:       p.Path(ui.SettingsPath),
		BaseURL:    h.BaseURL,
		ListsForks: form.Has(apikeys.ForksRead),
	}
	title := "Key created"
	if form.Old != nil {
		title = "Key replaced"
		chosen := slices.IndexFunc(form.Overlaps, func(o overlapChoice) bool { return o.Value == form.Overlap })
		view.Old = &form.Overlaps[chosen]
	}
	view.Layout, err = h.layout(c, p, title)
	view.Notices = nil // nothing may distract from copying the key
	return view, err
}
