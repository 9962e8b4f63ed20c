// Package input checks what people and programs send, by the validate tags of a struct, and says in a sentence what is
// wrong with the first field that is.
//
// The names in messages are those of the json tags: what the sender wrote, not what the program calls it.
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

// The rules that validator does not have: "day" for a calendar day of the contract; "text" for a text of 1 to 200
// characters that says something and holds no control character ("required" accepts blanks).
var validate = func() *validator.Validate {
	v := validator.New(validator.WithRequiredStructEnabled())
	v.RegisterTagNameFunc(func(f reflect.StructField) string {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		return name
	})
	must(v.RegisterValidation("day", func(fl validator.FieldLevel) bool { _, ok := Day(fl.Field().String()); return ok }))
	must(v.RegisterValidation("text", func(fl validator.FieldLevel) bool { return IsText(fl.Field().String()) }))
	return v
}()

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// sentences says for each rule what was expected.
var sentences = map[string]string{
	"required": "%s is missing. Give it a value.",
	"day":      "%s must be a day such as 2026-03-01, from 2000-01-01 to 2199-12-31.",
	"text":     "%s must be 1 to 200 characters that are not all blank, without control characters.",
	"min":      "%s needs at least one value.",
	"unique":   "%s must not name a value twice.",
	"oneof":    "%s holds a value that is not allowed. Allowed are: %s.",
}

// Check returns nil, or an ErrValidation about the first field of v that breaks a rule. Any other error is a mistake
// in the tags of v.
func Check(v any) error {
	err := validate.Struct(v)
	if err == nil {
		return nil
	}
	broken, ok := errors.AsType[validator.ValidationErrors](err)
	if !ok {
		return err
	}
	field := broken[0]
	sentence, ok := sentences[field.Tag()]
	if !ok {
		return fmt.Errorf("input: no sentence for the rule %q", field.Tag())
	}
	name, _, _ := strings.Cut(field.Field(), "[")
	sentence = strings.Replace(sentence, "%s", name, 1)
	return apperr.NewField(name, "%s", strings.Replace(sentence, "%s", strings.ReplaceAll(field.Param(), " ", ", "), 1))
}

// Day reads a day of the contract: strict YYYY-MM-DD in ASCII digits, a real calendar day of the years 2000 to 2199
// (decisions, "Formats"). It returns the day's first instant, UTC.
func Day(s string) (time.Time, bool) {
	if len(s) != len(time.DateOnly) {
		return time.Time{}, false
	}
	t, err := time.Parse(time.DateOnly, s)
	return t, err == nil && InYears(t)
}

// InYears reports whether a time in UTC lies in the years 2000 to 2199, which are all that a report can be about
// (decisions, "Formats" and "Data").
func InYears(t time.Time) bool { return t.Year() >= 2000 && t.Year() <= 2199 }

// IsText says whether s is a text of 1 to 200 characters that says something and holds no control character.
func IsText(s string) bool {
	says := strings.ContainsFunc(s, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) })
	return says && utf8.ValidString(s) && utf8.RuneCountInString(s) <= 200 && !strings.ContainsFunc(s, unicode.IsControl)
}
