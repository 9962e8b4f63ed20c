package input

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/go-playground/validator/v10"

	"dg/platform/apperr"
)

// Checker checks structs by their validate tags. Its errors name fields by their json or env tags.
// It is safe for concurrent use.
type Checker struct {
	validate *validator.Validate
	words    map[string]string
}

// New returns a Checker with further words and rules. Words are looked up by "field rule", "rule
// type" and "rule". Their placeholders are {field}, {value} (as Excerpt), {param} and {values} (those
// in the rule's parameter). A mistake in the rules panics.
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

// Check is Checker.Check with the rules and words of this package alone.
func Check(v any) error { return standard.Check(v) }

// Check returns an apperr.Validation about the first missing field, otherwise the first invalid
// one, or nil. Any other error is a mistake in the tags. A value that is not a struct panics.
func (c *Checker) Check(v any) error {
	faults := c.Violations(v)
	if len(faults) == 0 {
		return nil
	}
	missing := slices.IndexFunc(faults, func(f Violation) bool {
		return strings.HasPrefix(f.Rule, "required")
	})
	first := faults[max(0, missing)]
	if first.Message == "" {
		return fmt.Errorf("input: no words for the rule %q", first.Rule)
	}
	return apperr.NewField(first.Field, "%s", first.Message)
}

// Violation is a field, or a value of a list, with the first rule that it breaks.
type Violation struct {
	Path    string // such as skills[0].attempts
	Field   string // such as attempts; a value of a list has the list's field
	Rule    string
	Value   any
	Message string
}

// Violations returns violations in the order of the struct's fields. It panics if v is no struct.
func (c *Checker) Violations(v any) []Violation {
	err := c.validate.Struct(v)
	if err == nil {
		return nil
	}
	failed, ok := errors.AsType[validator.ValidationErrors](err)
	if !ok {
		panic(err)
	}
	violations := make([]Violation, len(failed))
	for i, found := range failed {
		_, path, _ := strings.Cut(found.Namespace(), ".")
		field, _, _ := strings.Cut(found.Field(), "[")
		violations[i] = Violation{path, field, found.Tag(), found.Value(), c.message(field, found)}
	}
	return violations
}

func (c *Checker) message(field string, found validator.FieldError) string {
	rule := found.Tag()
	value := ""
	if found.Kind() != reflect.Slice { // which may be long
		sent := fmt.Sprint(found.Value())
		value = Excerpt(sent) + unusual(sent)
	}
	text := cmp.Or(c.words[field+" "+rule],
		c.words[rule+" "+strings.TrimPrefix(found.Type().String(), "*")], c.words[rule])
	return strings.NewReplacer("{field}", field, "{value}", value, "{param}", found.Param(),
		"{values}", strings.ReplaceAll(found.Param(), " ", ", ")).Replace(text)
}

// Field is what a rule is asked about: a field with its value and the struct around it.
type Field = validator.FieldLevel

// Text makes a rule of a predicate on strings.
func Text(holds func(string) bool) func(Field) bool {
	return func(f Field) bool { return holds(f.Field().String()) }
}
