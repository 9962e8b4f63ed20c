package web

import (
	"net/url"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
)

// createdView is a key that has just been made: with its secret, which no other page ever shows.
type createdView struct {
	layout
	Name, Reads  string
	Until        *time.Time // nil: it never expires
	Secret, Back string
	Sample       sampleCall
}

// sampleCall is a request that the key can make: the forks, or the statistics of one. Without a fork there may be none.
type sampleCall struct{ URL, Fork string }

// sampleDays is the period of the statistics.
const sampleDays = 7

// newCreatedView prepares the page for a key before it is made: nothing may fail once there is a secret to show.
func (h *Handler) newCreatedView(c *fiber.Ctx, p *principal, in apikeys.NewKey) (createdView, error) {
	view := createdView{Name: in.Name, Reads: readsInText(in.Scopes), Back: p.path("/settings/api-keys")}
	sh, err := h.settingsLayout(c, p, "Key created", "api-keys")
	if err != nil {
		return view, err
	}
	view.layout = sh
	view.Notices = nil // the one thing to do here is to copy
	view.Sample, err = h.sampleCall(c, p, in.Scopes)
	return view, err
}

func (h *Handler) sampleCall(c *fiber.Ctx, p *principal, scopes []apikeys.Scope) (sampleCall, error) {
	forks := h.base + "/api/v1/forks"
	if scopes[0] == apikeys.ForksRead {
		return sampleCall{URL: forks}, nil
	}
	ctx, stop := bounded(c.UserContext())
	defer stop()
	all, err := h.Games.Forks(ctx, p.Organisation.ID)
	if err != nil || len(all) == 0 {
		return sampleCall{}, err
	}
	week := lastDays(h.today(), sampleDays)
	query := url.Values{"from": {week.Day(0)}, "to": {week.Day(sampleDays - 1)}}
	return sampleCall{URL: forks + "/" + all[0].ID + "/stats?" + query.Encode(), Fork: all[0].Title}, nil
}

// readsInText are scopes within a sentence.
func readsInText(scopes []apikeys.Scope) string {
	switch {
	case len(scopes) == 2:
		return "forks and reports"
	case scopes[0] == apikeys.ForksRead:
		return "forks"
	}
	return "reports"
}

// renderAlreadyCreated answers a form that was sent again: with the list, and without the secret.
func (h *Handler) renderAlreadyCreated(c *fiber.Ctx, p *principal, k apikeys.Key) error {
	keys, err := h.keysOf(c, p)
	if err != nil {
		return err
	}
	return h.renderKeys(c, p, keys, &notice{
		Done: true, Name: k.Name, Strong: "is already created.",
		Before: " Its secret was shown then and cannot be shown again. If it is lost, revoke the key and create another.",
	})
}
