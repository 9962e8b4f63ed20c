package keys

import (
	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/web/ui"
)

// createdView is a new key with its secret, which no other page ever shows.
type createdView struct {
	ui.Layout
	Key          keyRow
	Old          *overlapChoice // of the key that it replaces; nil: none
	Secret, Back string
	BaseURL      string
	ListsForks   bool // whether the key can make the request of the sample command
}

// newCreatedView prepares the page before the key is created: nothing may fail once there is a
// secret to show.
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
