package web

import (
	"net/url"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
)

// createdView is a key that has just been made: with its secret, which no other page ever shows.
type createdView struct {
	shell
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
func (s *Site) newCreatedView(c *fiber.Ctx, v *visit, in apikeys.NewKey) (createdView, error) {
	view := createdView{Name: in.Name, Reads: readsInText(in.Scopes), Back: v.path("/settings/api-keys")}
	sh, err := s.settingsShell(c, v, "Key created", "api-keys")
	if err != nil {
		return view, err
	}
	view.shell = sh
	view.Notices = nil // the one thing to do here is to copy
	view.Sample, err = s.sampleCall(c, v, in.Scopes)
	return view, err
}

func (s *Site) sampleCall(c *fiber.Ctx, v *visit, scopes []apikeys.Scope) (sampleCall, error) {
	forks := s.base + "/api/v1/forks"
	if scopes[0] == apikeys.ForksRead {
		return sampleCall{URL: forks}, nil
	}
	ctx, stop := bounded(c.UserContext())
	defer stop()
	all, err := s.Games.Forks(ctx, v.Organisation.ID)
	if err != nil || len(all) == 0 {
		return sampleCall{}, err
	}
	p := lastDays(s.today(), sampleDays)
	query := url.Values{"from": {p.Day(0)}, "to": {p.Day(sampleDays - 1)}}
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

// showAlreadyCreated answers a form that was sent again: with the list, and without the secret.
func (s *Site) showAlreadyCreated(c *fiber.Ctx, v *visit, k apikeys.Key) error {
	keys, err := s.keysOf(c, v)
	if err != nil {
		return err
	}
	return s.showKeys(c, v, keys, &notice{
		Done: true, Name: k.Name, Strong: "is already created.",
		Before: " Its secret was shown then and cannot be shown again. If it is lost, revoke the key and create another.",
	})
}
