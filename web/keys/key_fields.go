package keys

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/platform/input"
	"dg/web/ui"
)

// labelForm has the fields that the forms of creating and renaming share.
type labelForm struct {
	Name        string `json:"name" validate:"required,max=200,text,printable"`
	Description string `json:"description" validate:"omitempty,max=200,text,printable"`
}

// formMessages has keys as in input.New: field and rule.
var formMessages = map[string]string{
	"name required":  "Enter a name.",
	"name max":       "The name is too long. Use 200 characters or fewer.",
	"name text":      "The name contains invalid characters, such as a line break. Type it again.",
	"name printable": "The name contains characters that cannot be seen. Type it again.",

	"description printable": "The description contains characters that cannot be seen. Type it again.",
	"description max":       "The description is too long. Use 200 characters or fewer.",
	"description text":      "The description contains invalid characters, such as a line break. Type it again.",
	"scopes min":            "Choose at least one scope.",
	"scopes oneof":          "Choose at least one scope.",
	"overlap oneof":         "Choose when the old key stops.",
}

var formChecker = input.New(formMessages, nil)

func formErrors(form any) (f ui.FormErrors) {
	for _, fault := range formChecker.Violations(form) {
		if f.Error(fault.Field) == "" {
			f.Errors = append(f.Errors, ui.FormError{Field: fault.Field, Message: fault.Message})
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
