package account

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"dg/platform/apperr"
	"dg/web/ui"
)

// setRegion stores the person's choice.
func (h *Handler) setRegion(c *fiber.Ctx, p *ui.Principal) error {
	chosen := ui.FormValue(c, "region")
	l, ok := ui.LocaleByTag(chosen)
	if !ok && chosen != "" {
		return apperr.NewField("region", "The region is unknown. Choose one from the list.")
	}
	if err := h.Accounts.SetRegion(c.UserContext(), p.Token, l.Tag); err != nil {
		return err
	}
	done := ui.Notice{
		Strong: "Region saved.",
		Before: " Numbers and dates are as your browser’s region writes them.",
	}
	if ok {
		done.Before = fmt.Sprintf(" Numbers and dates are written as in this region: %s.", l.Name)
	}
	ui.Say(c, done)
	return c.Redirect(p.Account(""), fiber.StatusSeeOther)
}
