package keys

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/platform/input"
	"dg/web/ui"
)

func formErrors(violations []input.Violation) (f ui.FormErrors) {
	for _, violation := range violations {
		if f.Error(violation.Field) == "" {
			f.Errors = append(f.Errors, ui.FormError{Field: violation.Field, Message: violation.Message})
		}
	}
	return f
}

func parseLabel(c *fiber.Ctx) apikeys.Label {
	return apikeys.Label{
		Name:        strings.TrimSpace(ui.FormValue(c, "name")),
		Description: strings.TrimSpace(ui.FormValue(c, "description")),
	}
}

func validUTF8(l apikeys.Label) apikeys.Label {
	return apikeys.Label{
		Name:        strings.ToValidUTF8(l.Name, "\uFFFD"),
		Description: strings.ToValidUTF8(l.Description, "\uFFFD"),
	}
}
