package keys

import (
	"net/url"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/web/ui"
)

// createdView is a new key with its secret, which no other page ever shows.
type createdView struct {
	ui.Layout
	Key          keyRow
	OldStops     *time.Time // of the key that it replaces; nil: none
	OldStopped   bool
	Secret, Back string
	Sample       sampleCall
}

// sampleCall is a request that the key can make: the list of forks, or the statistics of a fork if
// there is one.
type sampleCall struct{ URL, Fork string }

const sampleDays = 7

// newCreatedView prepares the page before the key is created: nothing may fail once there is a
// secret to show.
func (h *FormHandler) newCreatedView(
	c *fiber.Ctx, p *ui.Principal, scopes []apikeys.Scope,
) (createdView, error) {
	view := createdView{Back: p.Path("/settings/api-keys")}
	l, err := h.settings.Layout(c, p, "Key created", "api-keys")
	if err != nil {
		return view, err
	}
	view.Layout = l
	view.Notices = nil // nothing may distract from copying the key
	view.Sample, err = h.sampleCall(c, p, scopes)
	return view, err
}

func (h *FormHandler) sampleCall(
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

// renderAlreadyCreated answers a form that was sent again: with the list, and without the secret.
func (h *FormHandler) renderAlreadyCreated(c *fiber.Ctx, p *ui.Principal, k apikeys.Key) error {
	keys, err := h.Keys.List(c.UserContext(), p.KeyActor())
	if err != nil {
		return err
	}
	return h.renderKeys(c, p, keys, &ui.Notice{
		Done: true, Name: k.Name, Strong: "has already been created.",
		Before: " Its secret cannot be shown again: if you do not have it, replace the key.",
	})
}
