// Package input checks what people and programs send: structs by their validate tags, days and texts. It is the one place that
// turns the findings of package validator into errors of fields; a surface brings the words that its readers expect.
package input

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-playground/validator/v10"

	"dg/platform/apperr"
)

// Field is what a rule is asked about: a field with its value and the struct that it is in.
type Field = validator.FieldLevel

// Text is a rule about a text.
func Text(holds func(string) bool) func(Field) bool {
	return func(f Field) bool { return holds(f.Field().String()) }
}

// rules are those of every Checker, besides validator's own. A day breaks the first of its rules that it can.
var rules = map[string]func(Field) bool{
	"text":       Text(ValidText),
	"visible":    Text(isVisible),
	"untimed":    Text(func(s string) bool { return !timestamp.MatchString(s) }),
	"day":        Text(dayForm.MatchString),
	"exists":     Text(func(s string) bool { _, err := time.Parse(time.DateOnly, s); return err == nil }),
	"reportable": isReportable,
}

var (
	dayForm   = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
	timestamp = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}[T ]\d`)
)

// isReportable is the rule of days and times in the years of reports.
func isReportable(f Field) bool {
	if t, ok := f.Field().Interface().(time.Time); ok {
		return IsReportable(t)
	}
	_, ok := ParseDay(f.Field().String())
	return ok
}

// words are what a broken rule is called, unless the Checker has words of its own.
var words = map[string]string{
	"text":       "`{field}` must have 1 to 200 characters, not all blank and without control characters.",
	"min":        "`{field}` must have at least one value.",
	"unique":     "`{field}` must not contain a value twice.",
	"oneof":      "`{field}` contains an unknown value. Known values: {values}.",
	"untimed":    "`{field}` must be a calendar day, YYYY-MM-DD, without a time.",
	"day":        "`{field}` must be a calendar day, YYYY-MM-DD, for example 2026-03-01.",
	"exists":     "`{field}` must be a calendar day, YYYY-MM-DD: {value} does not exist.",
	"reportable": "`{field}` must be a calendar day from 2000-01-01 to 2199-12-31.",
}

// Checker checks structs by their validate tags. Its fields have the names of their json or env tags, which the sender wrote.
type Checker struct {
	validate *validator.Validate
	words    map[string]string
}

// New returns a Checker with further words and rules. Words are found under "field rule", "rule type" or "rule"; in them
// {field} and {value} stand for the field and its value, {param} for the rule's parameter and {values} for the values that it
// lists. A mistake in the rules panics.
func New(own map[string]string, further map[string]func(Field) bool) *Checker {
	c := &Checker{validator.New(validator.WithRequiredStructEnabled()), maps.Clone(words)}
	maps.Copy(c.words, own)
	c.validate.RegisterTagNameFunc(func(f reflect.StructField) string {
		name, _, _ := strings.Cut(cmp.Or(f.Tag.Get("json"), f.Tag.Get("env")), ",")
		return name
	})
	for _, set := range []map[string]func(Field) bool{rules, further} {
		for name, holds := range set {
			if err := c.validate.RegisterValidation(name, holds); err != nil {
				panic(err)
			}
		}
	}
	return c
}

var standard = New(nil, nil)

// Check checks the struct in the words of this package.
func Check(v any) error { return standard.Check(v) }

// Check returns an apperr.Validation about the first field of the struct that is missing, or else breaks its rule, or nil. Any
// other error is a mistake in the tags, and a value that is no struct panics.
func (c *Checker) Check(v any) error {
	faults := c.Faults(v)
	if len(faults) == 0 {
		return nil
	}
	missing := slices.IndexFunc(faults, func(f Fault) bool { return strings.HasPrefix(f.Rule, "required") })
	first := faults[max(0, missing)]
	if first.Message == "" {
		return fmt.Errorf("input: no words for the rule %q", first.Rule)
	}
	return apperr.NewField(first.Field, "%s", first.Message)
}

// Fault is a field, or a value of a list, with the first rule that it breaks.
type Fault struct {
	Path    string // such as skills[0].attempts
	Field   string // such as attempts, and of a list its own
	Rule    string
	Value   any
	Message string
}

// Faults returns the faults of the struct, in its order. It panics if v is no struct.
func (c *Checker) Faults(v any) []Fault {
	err := c.validate.Struct(v)
	if err == nil {
		return nil
	}
	violations, ok := errors.AsType[validator.ValidationErrors](err)
	if !ok {
		panic(err)
	}
	faults := make([]Fault, len(violations))
	for i, found := range violations {
		_, path, _ := strings.Cut(found.Namespace(), ".")
		field, _, _ := strings.Cut(found.Field(), "[")
		faults[i] = Fault{path, field, found.Tag(), found.Value(), c.message(field, found)}
	}
	return faults
}

// message words a finding.
func (c *Checker) message(field string, found validator.FieldError) string {
	rule, value := found.Tag(), ""
	if found.Kind() != reflect.Slice { // which may be long
		value = fmt.Sprint(found.Value())
	}
	text := cmp.Or(c.words[field+" "+rule], c.words[rule+" "+strings.TrimPrefix(found.Type().String(), "*")], c.words[rule])
	return strings.NewReplacer("{field}", field, "{value}", value, "{param}", found.Param(),
		"{values}", strings.ReplaceAll(found.Param(), " ", ", ")).Replace(text)
}

// ID returns an identifier as it is stored. Identifiers are compared without regard to case.
func ID(sent string) string { return strings.ToLower(sent) }

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
