// Package input checks input: structs by their validate tags, days, identifiers and texts.
package input

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-playground/validator/v10"

	"dg/platform/apperr"
)

var rules = map[string]func(Field) bool{
	"text":       StringRule(ValidText),
	"printable":  StringRule(IsPrintable),
	"reportable": isReportable,
}

func isReportable(f Field) bool {
	if t, ok := reflect.TypeAssert[time.Time](f.Field()); ok {
		return isReportableYear(t)
	}
	_, ok := ParseDay(f.Field().String())
	return ok
}

// defaultMessages maps rules to messages. The messages passed to New replace them.
var defaultMessages = map[string]string{
	"text":      "`{field}` must have 1 to 200 characters, not all blank and without control characters.",
	"printable": "`{field}` contains invisible characters. Type it again.",
	"min":       "`{field}` must have at least one value.",
	"unique":    "`{field}` must not contain a value twice.",
	"oneof":     "`{field}` contains an unknown value. Known values: {values}.",
	"reportable": "`{field}` is not a day from 2000-01-01 to 2199-12-31: {value}. " +
		"Send a calendar day, YYYY-MM-DD, for example 2026-03-01.",
}

// Excerpt returns the first 60 characters of a value for a message, with � for unprintable ones.
func Excerpt(value string) string {
	runes := []rune(value)
	if len(runes) > 60 {
		runes = append(runes[:60], '…')
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, string(runes))
}

// PathID decodes an identifier in a path. It returns a malformed encoding unchanged: no stored
// identifier equals it.
func PathID(encoded string) string {
	if id, err := url.PathUnescape(encoded); err == nil {
		return id
	}
	return encoded
}

// ID returns the stored form of an identifier: lower case.
func ID(text string) string { return strings.ToLower(text) }

var storedIDPattern = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// IsID reports whether s is a UUID in its stored form. Callers treat any other id as unknown.
func IsID(s string) bool { return storedIDPattern.MatchString(s) }

// ParseDay returns the first instant in UTC of a day YYYY-MM-DD, in the years 2000 to 2199 only.
func ParseDay(s string) (time.Time, bool) {
	t, err := time.Parse(time.DateOnly, s)
	return t, err == nil && isReportableYear(t)
}

func isReportableYear(t time.Time) bool { return t.UTC().Year() >= 2000 && t.UTC().Year() <= 2199 }

// ValidText reports whether s has 1 to 200 characters, a visible one and no control character.
func ValidText(s string) bool {
	visible := func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }
	return strings.ContainsFunc(s, visible) && utf8.ValidString(s) &&
		utf8.RuneCountInString(s) <= 200 && !strings.ContainsFunc(s, unicode.IsControl)
}

// Checker checks structs by their validate tags. Its errors name fields by their json tags. It is
// safe for concurrent use.
type Checker struct {
	validate *validator.Validate
	messages map[string]string
}

// New returns a Checker with additional messages and rules. A message is looked up by "field rule",
// then by "rule". Its placeholders are {field}, {value} (as Excerpt), {param} (the rule's
// parameter) and {values} (the words of that parameter). New panics if a rule is invalid.
func New(messages map[string]string, extraRules map[string]func(Field) bool) *Checker {
	c := &Checker{validator.New(validator.WithRequiredStructEnabled()), maps.Clone(defaultMessages)}
	maps.Copy(c.messages, messages)
	c.validate.RegisterTagNameFunc(func(f reflect.StructField) string {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		return name
	})
	for _, ruleSet := range []map[string]func(Field) bool{rules, extraRules} {
		for name, holds := range ruleSet {
			if err := c.validate.RegisterValidation(name, holds); err != nil {
				panic(err)
			}
		}
	}
	return c
}

// Check returns an apperr.Validation about the first invalid field, or nil. It panics if v is
// not a struct.
func (c *Checker) Check(v any) error {
	if violations := c.Violations(v); len(violations) > 0 {
		return apperr.NewField(violations[0].Field, "%s", violations[0].Message)
	}
	return nil
}

// Violation is a field, or a value of a list, that breaks a rule.
type Violation struct {
	Path    string // path of the value, such as skills[0].attempts
	Field   string // name of the field, such as attempts; a value of a list has the list's name
	Message string
}

// Violations returns the first violation of each field and list value, in the order of the struct's
// fields. It panics if v is not a struct.
func (c *Checker) Violations(v any) (violations []Violation) {
	err := c.validate.Struct(v)
	fieldErrors, ok := errors.AsType[validator.ValidationErrors](err)
	if err != nil && !ok {
		panic(err)
	}
	for _, fieldError := range fieldErrors {
		_, path, _ := strings.Cut(fieldError.Namespace(), ".")
		field, _, _ := strings.Cut(fieldError.Field(), "[")
		violations = append(violations, Violation{path, field, c.message(field, fieldError)})
	}
	return violations
}

func (c *Checker) message(field string, fieldError validator.FieldError) string {
	rule := fieldError.Tag()
	text := cmp.Or(c.messages[field+" "+rule], c.messages[rule], "`{field}` breaks the rule "+rule+".")
	return strings.NewReplacer("{field}", field, "{value}", Excerpt(fmt.Sprint(fieldError.Value())),
		"{param}", fieldError.Param(), "{values}", strings.ReplaceAll(fieldError.Param(), " ", ", ")).Replace(text)
}

// Field is a rule's argument: a field with its value and the struct around it.
type Field = validator.FieldLevel

// StringRule turns a predicate on strings into a rule.
func StringRule(holds func(string) bool) func(Field) bool {
	return func(f Field) bool { return holds(f.Field().String()) }
}
