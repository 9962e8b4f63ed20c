package ui

import (
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
)

// maxExpiryNotices bounds the notices that name a key. One more notice counts the other keys.
const maxExpiryNotices = 3

// expiryNotices returns notices about keys that expire soon, soonest first. Below the Pro plan
// there are none, because keys are paused and cannot be replaced.
func (b Base) expiryNotices(c *fiber.Ctx, p *Principal) ([]Notice, error) {
	if !p.Organisation.Plan.IncludesAPI() {
		return nil, nil
	}
	keys, err := b.Keys.Expiring(c.UserContext(), p.KeyActor())
	if err != nil {
		return nil, err
	}
	var notices []Notice
	for _, k := range keys[:min(len(keys), maxExpiryNotices)] {
		left := k.ExpiresAt.Sub(b.Now())
		replace := p.KeyPath(k.ID, "/replace")
		if !p.May(apikeys.ReplaceKey) {
			replace = p.TwoStepPath(replace)
		}
		notices = append(notices, Notice{
			Kind:       urgency(left),
			Name:       k.Name,
			Strong:     Plural(DaysOf(left), "expires in %s day.", "expires in %s days."),
			At:         k.ExpiresAt,
			Action:     "Replace",
			ActionPath: replace,
		})
	}
	if more := int64(len(keys) - len(notices)); more > 0 {
		notices = append(notices, Notice{Strong: Plural(more,
			"%s more key expires within 30 days.", "%s more keys expire within 30 days.")})
	}
	return notices, nil
}

func urgency(left time.Duration) string {
	switch {
	case left <= OneDay:
		return "bad"
	case left <= 7*OneDay:
		return "warn"
	}
	return ""
}

// DaysOf returns the days left, rounded up: the screens say "in 1 day" until the last second.
func DaysOf(left time.Duration) int64 { return int64((left + OneDay - 1) / OneDay) }
