// Package input checks what people and programs send: structs by their validate tags, days and texts.
package input

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-playground/validator/v10"

	"dg/platform/apperr"
)

// validate knows the rules "visible" and "text" besides validator's own. Fields have the names of their json tags, which the
// sender wrote.
var validate = func() *validator.Validate {
	v := validator.New(validator.WithRequiredStructEnabled())
	v.RegisterTagNameFunc(func(f reflect.StructField) string {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		return name
	})
	for rule, holds := range map[string]func(string) bool{"text": ValidText, "visible": isVisible} {
		if err := v.RegisterValidation(rule, func(fl validator.FieldLevel) bool { return holds(fl.Field().String()) }); err != nil {
			panic(err)
		}
	}
	return v
}()

// messages has a message for each rule.
var messages = map[string]string{
	"text":   "`{field}` must have 1 to 200 characters, not all blank and without control characters.",
	"min":    "`{field}` must have at least one value.",
	"unique": "`{field}` must not contain a value twice.",
	"oneof":  "`{field}` contains an unknown value. Known values: {values}.",
}

// Check returns an apperr.Validation about the first field of the struct that breaks its rule, or nil. Any other error is a
// mistake in the tags, and a value that is no struct panics.
func Check(v any) error {
	faults := Faults(v)
	if len(faults) == 0 {
		return nil
	}
	first := faults[0]
	message, ok := messages[first.Rule]
	if !ok {
		return fmt.Errorf("input: no message for the rule %q", first.Rule)
	}
	text := strings.NewReplacer("{field}", first.Field, "{values}", strings.ReplaceAll(first.Param, " ", ", ")).Replace(message)
	return apperr.NewField(first.Field, "%s", text)
}

// Fault is a field with its value, the first rule that it breaks, and the rule's parameter.
type Fault struct {
	Field, Rule, Param string
	Value              any
}

// Faults returns the fields of the struct that break their rules, in the order of the struct. It panics if v is no struct.
func Faults(v any) []Fault {
	err := validate.Struct(v)
	if err == nil {
		return nil
	}
	violations, ok := errors.AsType[validator.ValidationErrors](err)
	if !ok {
		panic(err)
	}
	var faults []Fault
	for _, found := range violations {
		field, _, _ := strings.Cut(found.Field(), "[") // of a list once
		if n := len(faults); n == 0 || faults[n-1].Field != field {
			faults = append(faults, Fault{field, found.Tag(), found.Param(), found.Value()})
		}
	}
	return faults
}

// ParseDay reads a calendar day of the years 2000 to 2199, strictly YYYY-MM-DD in ASCII digits, and returns its first instant
// in UTC.
func ParseDay(s string) (time.Time, bool) {
	if len(s) != len(time.DateOnly) {
		return time.Time{}, false
	}
	t, err := time.Parse(time.DateOnly, s)
	return t, err == nil && IsReportable(t)
}

// IsReportable reports whether a time in UTC lies in the years of reports, 2000 to 2199.
func IsReportable(t time.Time) bool { return t.Year() >= 2000 && t.Year() <= 2199 }

// ValidText reports whether s has 1 to 200 characters, one of them visible and none a control character.
func ValidText(s string) bool {
	return isVisible(s) && utf8.ValidString(s) && utf8.RuneCountInString(s) <= 200 && !strings.ContainsFunc(s, unicode.IsControl)
}

// isVisible reports whether s has a character that is seen.
func isVisible(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) })
}
