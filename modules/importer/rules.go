package importer

import (
	"errors"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/go-playground/validator/v10"
	"github.com/google/uuid"

	"dg/modules/games"
	"dg/modules/identity"
	"dg/platform/input"
)

// What errors say was expected.
const (
	expectedLine   = "one JSON object in UTF-8"
	expectedText   = "a text of 1 to 200 characters without control characters"
	expectedUUID   = "a UUID such as 0b8f7c1e-3d52-4b7a-9a61-5f2c8d4e7a90"
	expectedTime   = "an RFC 3339 timestamp such as 2026-03-01T09:30:00.000Z"
	expectedStart  = "a time in the years 2000 to 2199 UTC"
	expectedWhole  = "a whole number from 0 to 2147483647"
	expectedScore  = "a number from 0 to 100 with at most two decimals"
	expectedBool   = "true or false"
	expectedSkill  = "a skill of the catalogue, such as data.reading.charts"
	expectedObject = "a JSON object without NUL, at most 100 levels deep, with numbers of at most 400 characters and three digits of exponent"
)

// validate has the rules of the tags in the modules' Imported structs. Fields are named by their JSON names.
var validate = func() *validator.Validate {
	v := validator.New(validator.WithRequiredStructEnabled())
	v.RegisterTagNameFunc(func(f reflect.StructField) string {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		return name
	})
	for name, valid := range map[string]func(string) bool{
		"text":          validText, // blanks are data here, unlike in the forms of the screens
		"skill":         func(s string) bool { _, ok := games.SkillByID(s); return ok },
		"password_hash": identity.ValidHash,
		"totp_secret":   func(s string) bool { _, ok := identity.ParseTOTPSecret(s); return ok },
	} {
		register(v, name, func(fl validator.FieldLevel) bool { return valid(fl.Field().String()) })
	}
	register(v, "reportable", func(fl validator.FieldLevel) bool { return input.IsReportable(fl.Field().Interface().(time.Time)) })
	return v
}()

func register(v *validator.Validate, name string, rule validator.Func) {
	if err := v.RegisterValidation(name, rule); err != nil {
		panic(err)
	}
}

// validate adds an error for each field of the object that violates the rule of its tag.
func (d *decoder) validate(object any) {
	if play, ok := object.(*games.ImportedPlay); ok && play.Valid() {
		return
	}
	var violations validator.ValidationErrors
	_ = errors.As(validate.Struct(object), &violations) // nil, or these
	for _, v := range violations {
		_, field, _ := strings.Cut(v.Namespace(), ".")
		if unknown, ok := v.Value().(jsontext.Value); ok {
			d.unknown(strings.TrimSuffix(field, "Unknown"), "skill", unknown)
			continue
		}
		d.add(field, expectedBy(v), shown(v))
	}
}

// byType is what is expected of a required field.
var byType = map[reflect.Type]string{
	reflect.TypeFor[uuid.UUID](): expectedUUID, reflect.TypeFor[time.Time](): expectedTime,
	reflect.TypeFor[int32](): expectedWhole, reflect.TypeFor[bool](): expectedBool, reflect.TypeFor[games.Score](): expectedScore,
}

// expectedBy returns what the violated rule expects.
func expectedBy(v validator.FieldError) string {
	switch v.Tag() {
	case "required", "required_with":
		typ := v.Type()
		if typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		if expected, ok := byType[typ]; ok {
			return expected
		}
		return "an array"
	case "oneof":
		return expectedOneOf(strings.Fields(v.Param()))
	case "min":
		return "a whole number of at least " + v.Param()
	case "max":
		return "a whole number of at most " + v.Param()
	default:
		return byRule[v.Tag()]
	}
}

var byRule = map[string]string{
	"text": expectedText, "reportable": expectedStart, "skill": expectedSkill,
	"password_hash": identity.HashFormat, "totp_secret": identity.TOTPSecretFormat,
	"unique": "no duplicates", "gtefield": "a time not before startedAt", "ltefield": "a whole number from 0 to attempts",
	"excluded_without": "nothing in a play without completedAt",
}

func expectedOneOf(values []string) string { return "one of " + strings.Join(values, ", ") }

// shown returns the value that violates a rule, as errors show it.
func shown(v validator.FieldError) string {
	if strings.HasPrefix(v.Tag(), "required") {
		return "nothing"
	}
	switch value := v.Value().(type) {
	case string:
		if value == "" {
			return "nothing"
		}
		return quote(value)
	case time.Time:
		if value.IsZero() {
			return "nothing"
		}
		return quote(value.Format("2006-01-02T15:04:05.999Z07:00"))
	case int32:
		return strconv.Itoa(int(value))
	case bool:
		return strconv.FormatBool(value)
	case games.Score:
		return strconv.FormatFloat(float64(value)/100, 'f', -1, 64)
	case []uuid.UUID:
		return duplicate(value, uuid.UUID.String)
	case []games.ImportedSkill:
		return duplicate(value, func(s games.ImportedSkill) string { return s.SkillID })
	default:
		return ""
	}
}

// duplicate returns the first value that occurs again.
func duplicate[T any](values []T, key func(T) string) string {
	seen := map[string]bool{}
	for _, v := range values {
		if seen[key(v)] {
			return quote(key(v))
		}
		seen[key(v)] = true
	}
	return ""
}
