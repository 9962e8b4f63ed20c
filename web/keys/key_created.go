package keys

import (
	"net/url"

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
	Sample       sampleCall
}

// sampleCall is a request that the key can make: the list of forks, or the statistics of a fork if
// there is one.
type sampleCall struct{ URL, Fork string }

const sampleDays = 7

// newCreatedView prepares the page before the key is created: nothing may fail once there is a
// secret to show.
func (h *Handler) newCreatedView(
	c *fiber.Ctx, p *ui.Principal, form keyFormView, scopes []apikeys.Scope,
) (createdView, error) {
	view := createdView{Back: p.Path(ui.SettingsPath)}
	title := "Key created"
	if form.Old != nil {
		title = "Key replaced"
		old := form.overlap(form.Overlaps)
		view.Old = &old
	}
	l, err := h.layout(c, p, title)
	if err != nil {
		return view, err
	}
	view.Layout = l
	view.Notices = nil // nothing may distract from copying the key
	view.Sample, err = h.sampleCall(c, p, scopes)
	return view, err
}

func (h *Handler) sampleCall(
	c *fiber.Ctx, p *ui.Principal, scopes []apikeys.Scope,
) (sampleCall, error) {
	forks := h.Base + "/api/v1/forks"
	if scopes[0] == apikeys.ForksRead {
		return sampleCall{URL: forks}, nil
	}
	all, err := ui.ForksOf(c.UserContext(), h.Forks, p)
	if err != nil || len(all) == 0 {
		return sampleCall{}, err
	}
	week := ui.LastDays(h.Today(), sampleDays)
	query := url.Values{"from": {week.Day(0)}, "to": {week.Day(sampleDays - 1)}}
	return sampleCall{
		URL:  forks + "/" + all[0].ID + "/stats?" + query.Encode(),
		Fork: all[0].Title,
	}, nil
}
