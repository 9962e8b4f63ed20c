package account

import (
	"fmt"
	"slices"
	"strings"
	"time"

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

// regionOptions returns the locales by name, each with an example.
func regionOptions() []ui.Option {
	all := make([]ui.Option, len(ui.Locales))
	for i, l := range ui.Locales {
		example := l.Day(time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC))
		all[i] = ui.Option{
			Value: l.Tag, Text: fmt.Sprintf("%s: %s, %s", l.Name, l.Points(12345), example),
		}
	}
	slices.SortFunc(all, func(a, b ui.Option) int { return strings.Compare(a.Text, b.Text) })
	return append([]ui.Option{{Value: "", Text: "From your browser"}}, all...)
}
