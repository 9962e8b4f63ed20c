package web

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/platform/apperr"
)

// regionOptions are the locales to choose from, by name, each with an example.
func regionOptions() []option {
	all := make([]option, len(locales))
	for i, l := range locales {
		all[i] = option{l.Tag, l.Name + ": " + l.decimal(12345, 10) + ", " + l.Day(time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC))}
	}
	slices.SortFunc(all, func(a, b option) int { return strings.Compare(a.Text, b.Text) })
	return append([]option{{"", "Automatic (from your browser)"}}, all...)
}

// setRegion stores the person's choice.
func (h *Handler) setRegion(c *fiber.Ctx, p *principal) error {
	chosen := formValue(c, "region")
	l, ok := localeByTag(chosen)
	if !ok && chosen != "" {
		return apperr.NewField("region", "The region is unknown. Choose one from the list.")
	}
	if err := h.Identity.SetRegion(c.UserContext(), p.token, l.Tag); err != nil {
		return err
	}
	done := notice{Strong: "Region saved.", Before: " Numbers and dates are as your browser’s region writes them."}
	if ok {
		done.Before = fmt.Sprintf(" Numbers and dates are written as in this region: %s.", l.Name)
	}
	say(c, done)
	return c.Redirect(p.account(""), fiber.StatusSeeOther)
}
