package keys

import (
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/platform/authz"
	"dg/web/ui"
)

// maxExpiryNotices is how many expiring keys are named: those that expire first.
const maxExpiryNotices = 3

// ExpiringKeys are the notices about expiring keys, the most urgent first. There are none below the
// Pro plan: the keys are paused there, and no new ones can be created.
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
		replace := keyPath(p, k, "/replace")
		if !p.May(authz.ReplaceKey) {
			replace = p.TwoStepFor(replace)
		}
		notices = append(notices, ui.Notice{
			Kind:       urgency(left),
			Name:       k.Name,
			Strong:     "expires " + inDays(left),
			Before:     ", on ",
			At:         k.ExpiresAt,
			After:      ".",
			Action:     "Replace",
			ActionPath: replace,
		})
	}
	switch more := len(keys) - len(notices); {
	case more == 1:
		notices = append(notices,
			ui.Notice{Strong: "1 more key", Before: " expires within 30 days."})
	case more > 1:
		notices = append(notices, ui.Notice{
			Strong: p.Locale.Count(int64(more)) + " more keys",
			Before: " expire within 30 days.",
		})
	}
	return notices, nil
}

// urgency is the kind of the notice about a key that expires after the time left.
func urgency(left time.Duration) string {
	switch {
	case left <= ui.OneDay:
		return "bad"
	case left <= 7*ui.OneDay:
		return "warn"
	}
	return ""
}

// inDays says in how many days something happens, counting a day that has begun as one.
func inDays(left time.Duration) string {
	days := int((left + ui.OneDay - 1) / ui.OneDay)
	if days == 1 {
		return "in 1 day"
	}
	return "in " + strconv.Itoa(days) + " days"
}
