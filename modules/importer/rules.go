package importer

import (
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"dg/modules/games"
	"dg/modules/identity/password"
	"dg/modules/identity/twostep"
	"dg/platform/input"
)

// The expectations that errors name.
const (
	expectedLine   = "one JSON object in UTF-8"
	expectedText   = "a text of 1 to 200 characters without control characters"
	expectedUUID   = "a UUID such as 0b8f7c1e-3d52-4b7a-9a61-5f2c8d4e7a90"
	expectedTime   = "an RFC 3339 timestamp without leap second, such as 2026-03-01T09:30:00.000Z"
	expectedStart  = "a time in the years 2000 to 2199 UTC"
	expectedWhole  = "a whole number from 0 to 2147483647"
	expectedScore  = "a number from 0 to 100 with at most two decimals"
	expectedBool   = "true or false"
	expectedSkill  = "a skill of the catalogue, such as data.reading.charts"
	expectedObject = "a JSON object without NUL, at most 100 levels deep, with numbers of at " +
		"most 400 characters and three digits of exponent"
)

// checks has the rules of the tags in the objects, and their expectations.
var checks = input.New(map[string]string{
	"required pgtype.UUID":         expectedUUID,
	"required time.Time":           expectedTime,
	"required int32":               expectedWhole,
	"required bool":                expectedBool,
	"required":                     "an array",
	"required_with importer.score": expectedScore,
	"required_with bool":           expectedBool,
	"oneof":                        "one of {values}",
	"min":                          "a whole number of at least {param}",
	"max":                          "a whole number of at most {param}",
	"text":                         expectedText,
	"reportable":                   expectedStart,
	"catalogue":                    "each skill of the catalogue at most once",
	"skill":                        expectedSkill,
	"password_hash":                password.Format,
	"totp_secret":                  twostep.SecretFormat,
	"unique":                       "no duplicates",
	"gtefield":                     "a time not before startedAt",
	"ltefield":                     "a whole number from 0 to attempts",
	"excluded_without":             "nothing in a play without completedAt",
}, map[string]func(input.Field) bool{
	"text":      input.Text(validText), // unlike forms, an import accepts blank texts
	"catalogue": func(f input.Field) bool { return f.Field().Len() <= games.SkillCount },
	"skill": input.Text(func(s string) bool {
		_, ok := games.SkillByID(s)
		return ok
	}),
	"password_hash": input.Text(password.Valid),
	"totp_secret": input.Text(func(s string) bool {
		_, ok := twostep.ParseSecret(s)
		return ok
	}),
})

// validate adds an error for each field of the object that violates the rule of its tag.
func (d *decoder) validate(object any) {
	for _, fault := range checks.Faults(object) {
		if unknown, ok := fault.Value.(jsontext.Value); ok {
			d.unknown(strings.TrimSuffix(fault.Path, "Unknown"), "skill", unknown)
			continue
		}
		d.add(fault.Path, fault.Message, shown(fault))
	}
}

// shown returns the value that violates a rule, as errors show it.
func shown(fault input.Fault) string {
	if strings.HasPrefix(fault.Rule, "required") {
		return "nothing"
	}
	switch value := fault.Value.(type) {
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
	case score:
		return strconv.FormatFloat(float64(value)/100, 'f', -1, 64)
	case []id:
		return duplicate(value, id.String)
	case []skill:
		return duplicate(value, func(s skill) string { return s.SkillID })
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
