package input

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"

	"github.com/go-playground/validator/v10"

	"dg/platform/apperr"
)

// Checker checks structs by their validate tags. Its errors name fields by their json tags. It is
// safe for concurrent use.
type Checker struct {
	validate *validator.Validate
	messages map[string]string
}

// New returns a Checker with additional messages and rules. A message is looked up by "field rule",
// then by "rule". Its placeholders are {field}, {value} (as Excerpt), {param} and {values} (those
// in the rule's parameter). New panics if a rule is invalid.
func New(messages map[string]string, extraRules map[string]func(Field) bool) *Checker {
	c := &Checker{validator.New(validator.WithRequiredStructEnabled()), maps.Clone(defaultMessages)}
	maps.Copy(c.messages, messages)
	c.validate.RegisterTagNameFunc(func(f reflect.StructField) string {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		return name
	})
	for _, set := range []map[string]func(Field) bool{rules, extraRules} {
		for name, holds := range set {
			if err := c.validate.RegisterValidation(name, holds); err != nil {
				panic(err)
			}
		}
	}
	return c
}

// Check returns an apperr.Validation about the first invalid field, or nil. It panics if v is no
// struct.
func (c *Checker) Check(v any) error {
	if faults := c.Violations(v); len(faults) > 0 {
		return apperr.NewField(faults[0].Field, "%s", faults[0].Message)
	}
	return nil
}

// Violation is a field, or a value of a list, that breaks a rule.
type Violation struct {
	Path    string // such as skills[0].attempts
	Field   string // such as attempts; a value of a list has the list's field
	Message string
}

// Violations returns the first violation of each field and list value, in the order of the struct's
// fields. It panics if v is no struct.
func (c *Checker) Violations(v any) (violations []Violation) {
	err := c.validate.Struct(v)
	failed, ok := errors.AsType[validator.ValidationErrors](err)
	if err != nil && !ok {
		panic(err)
	}
	for _, found := range failed {
		_, path, _ := strings.Cut(found.Namespace(), ".")
		field, _, _ := strings.Cut(found.Field(), "[")
		violations = append(violations, Violation{path, field, c.message(field, found)})
	}
	return violations
}

func (c *Checker) message(field string, found validator.FieldError) string {
	rule := found.Tag()
	text := cmp.Or(c.messages[field+" "+rule], c.messages[rule], "`{field}` breaks the rule "+rule+".")
	return strings.NewReplacer("{field}", field, "{value}", Excerpt(fmt.Sprint(found.Value())),
		"{param}", found.Param(), "{values}", strings.ReplaceAll(found.Param(), " ", ", ")).Replace(text)
}

// Field is a rule's argument: a field with its value and the struct around it.
type Field = validator.FieldLevel

// Text turns a predicate on strings into a rule.
func Text(holds func(string) bool) func(Field) bool {
	return func(f Field) bool { return holds(f.Field().String()) }
}
