package web

import (
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"
)

// A key that expires soon is announced in three steps.
const (
	oneDay = 24 * time.Hour
	// maxAnnounced is how many keys are announced by name: those that expire first.
	maxAnnounced = 3
)

// urgency is how a key is announced that expires in that time.
func urgency(left time.Duration) string {
	switch {
	case left <= oneDay:
		return "bad"
	case left <= 7*oneDay:
		return "warn"
	}
	return ""
}

// settingsNotices is what every settings screen announces to whoever may see it: the keys that expire, the most urgent first.
// Below the Pro plan nothing is: the keys are paused, and none could be created instead.
func (h *Handler) settingsNotices(c *fiber.Ctx, p *principal) ([]notice, error) {
	if !p.Organisation.Plan.IncludesAPI() {
		return nil, nil
	}
	ctx, stop := bounded(c.UserContext())
	defer stop()
	keys, err := h.Keys.Expiring(ctx, p.actor())
	if err != nil {
		return nil, err
	}
	var notices []notice
	for _, k := range keys[:min(len(keys), maxAnnounced)] {
		left := k.ExpiresAt.Sub(h.now())
		notices = append(notices, notice{
			Kind: urgency(left), Name: k.Name, Strong: "expires " + inDays(left), Before: ", at ", At: k.ExpiresAt,
			After: ". Create a new key, change the tool, then revoke this one.",
		})
	}
	switch more := len(keys) - len(notices); {
	case more == 1:
		notices = append(notices, notice{Strong: "1 more key", Before: " expires within 30 days."})
	case more > 1:
		notices = append(notices, notice{Strong: count(int64(more)) + " more keys", Before: " expire within 30 days."})
	}
	return notices, nil
}

// inDays is a time that is left, in days that have begun: what ends tomorrow at this hour ends "in 1 day".
func inDays(left time.Duration) string {
	days := int((left + oneDay - 1) / oneDay)
	if days == 1 {
		return "in 1 day"
	}
	return "in " + strconv.Itoa(days) + " days"
}
