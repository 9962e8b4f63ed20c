package keys

import (
	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/web/ui"
)

type createdView struct {
	ui.Layout
	Key          keyRow
	Old          *overlapChoice // when the replaced key stops; nil: no key was replaced
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
		ListsForks: form.Has(string(apikeys.ForksRead)),
	}
	title := "Key created"
	if form.Old != nil {
		title = "Key replaced"
		old := form.overlap(form.Overlaps)
		view.Old = &old
	}
	view.Layout, err = h.layout(c, p, title)
	view.Notices = nil // nothing may distract from copying the key
	return view, err
}
