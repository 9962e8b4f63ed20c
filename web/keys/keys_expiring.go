package keys

import (
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/platform/authz"
	"dg/web/ui"
)

// maxExpiryNotices bounds the notices that name a key. One more notice counts the other keys.
const maxExpiryNotices = 3

// ExpiringKeys returns notices about the keys that expire soon, the soonest first. Below the Pro
// plan it returns none: keys are paused and cannot be replaced.
func (h *Handler) ExpiringKeys(c *fiber.Ctx, p *ui.Principal) ([]ui.Notice, error) {
	if !p.Organisation.Plan.IncludesAPI() {
		return nil, nil
	}
	keys, err := h.Keys.Expiring(c.UserContext(), p.KeyActor())
	if err != nil {
		return nil, err
	}
	var notices []ui.Notice
	for _, k := range keys[:min(len(keys), maxExpiryNotices)] {
		left := k.ExpiresAt.Sub(h.Now())
		replace := keyPath(p, k.ID, "/replace")
		if !p.May(authz.ReplaceKey) {
			replace = p.TwoStepFor(replace)
		}
		notices = append(notices, ui.Notice{
			Kind:       urgency(left),
			Name:       k.Name,
			Strong:     ui.Plural(daysOf(left), "expires in %s day.", "expires in %s days."),
			At:         k.ExpiresAt,
			Action:     "Replace",
			ActionPath: replace,
		})
	}
	if more := int64(len(keys) - len(notices)); more > 0 {
		notices = append(notices, ui.Notice{Strong: ui.Plural(more,
			"%s more key expires within 30 days.", "%s more keys expire within 30 days.")})
	}
	return notices, nil
}

func urgency(left time.Duration) string {
	switch {
	case left <= ui.OneDay:
		return "bad"
	case left <= 7*ui.OneDay:
		return "warn"
	}
	return ""
}

// daysOf rounds up: the screens say "in 1 day" until the last second.
func daysOf(left time.Duration) int64 { return int64((left + ui.OneDay - 1) / ui.OneDay) }
