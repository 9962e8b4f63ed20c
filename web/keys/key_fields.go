package keys

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/platform/input"
	"dg/web/ui"
)

// labelForm has the fields that the forms of creating and renaming share.
type labelForm apikeys.Label

func formErrors(violations []input.Violation) (f ui.FormErrors) {
	for _, violation := range violations {
		if f.Error(violation.Field) == "" {
			f.Errors = append(f.Errors, ui.FormError{Field: violation.Field, Message: violation.Message})
		}
	}
	return f
}

func parseLabelForm(c *fiber.Ctx) labelForm {
	return labelForm{
		strings.TrimSpace(ui.FormValue(c, "name")),
		strings.TrimSpace(ui.FormValue(c, "description")),
	}
}

func (f labelForm) withValidUTF8() labelForm {
	return labelForm{
		strings.ToValidUTF8(f.Name, "\uFFFD"), strings.ToValidUTF8(f.Description, "\uFFFD"),
	}
}
