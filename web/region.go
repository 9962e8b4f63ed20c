package web

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"dg/platform/apperr"
)

// setRegion stores the person's choice.
func (h *accountHandler) setRegion(c *fiber.Ctx, p *principal) error {
	chosen := formValue(c, "region")
	l, ok := localeByTag(chosen)
	if !ok && chosen != "" {
		return apperr.NewField("region", "The region is unknown. Choose one from the list.")
	}
	if err := h.Accounts.SetRegion(c.UserContext(), p.token, l.Tag); err != nil {
		return err
	}
	done := notice{Strong: "Region saved.", Before: " Numbers and dates are as your browser’s region writes them."}
	if ok {
		done.Before = fmt.Sprintf(" Numbers and dates are written as in this region: %s.", l.Name)
	}
	say(c, done)
	return c.Redirect(p.account(""), fiber.StatusSeeOther)
}
