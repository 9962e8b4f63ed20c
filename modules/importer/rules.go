package importer

import (
	"bytes"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"dg/modules/games"
	"dg/modules/identity"
	"dg/platform/input"
)

// typeMessages say which values a field takes, by its Go type.
var typeMessages = map[string]string{
	"string":           "a text of 1 to 200 characters without control characters",
	"uuid.UUID":        "a UUID such as 0b8f7c1e-3d52-4b7a-9a61-5f2c8d4e7a90",
	"time.Time":        "an RFC 3339 timestamp without leap second, such as 2026-03-01T09:30:00.000Z",
	"int32":            "a whole number from 0 to 2147483647",
	"float64":          "a number from 0 to 100 with at most two decimals",
	"[]uuid.UUID":      "an array",
	"[]importer.skill": "an array",
	"bool":             "true or false",
}

var objectChecks = input.New(ruleMessages, map[string]func(input.Field) bool{
	"text":          input.Text(validText), // unlike forms, an import accepts blank texts
	"score":         func(f input.Field) bool { return validScore(f.Field().Float()) },
	"configuration": func(f input.Field) bool { return storable(f.Field().Bytes()) },
	"catalogue":     func(f input.Field) bool { return f.Field().Len() <= games.SkillCount },
	"skill": input.Text(func(s string) bool {
		_, ok := games.SkillByID(s)
		return ok
	}),
	"email_address": input.Text(func(s string) bool {
		_, ok := identity.ParseEmail(s)
		return ok
	}),
	"password_hash": input.Text(identity.ValidPasswordHash),
	"totp_secret": input.Text(func(s string) bool {
		_, ok := identity.ParseTOTPSecret(s)
		return ok
	}),
})

var ruleMessages = map[string]string{
	"required":         "a value, got nothing",
	"required_with":    "a value in a play with completedAt, got nothing",
	"excluded_without": "nothing in a play without completedAt, got {value}",
	"oneof":            `one of {values}, got "{value}"`,
	"min":              "a whole number of at least {param}, got {value}",
	"max":              "a whole number of at most {param}, got {value}",
	"text":             typeMessages["string"] + `, got "{value}"`,
	"score":            typeMessages["float64"] + ", got {value}",
	"reportable":       "a time in the years 2000 to 2199 UTC, got {value}",
	"catalogue":        "each skill of the catalogue at most once",
	"unique":           "each value once",
	"skill":            `a skill of the catalogue, such as data.reading.charts, got "{value}"`,
	"gtefield":         "a time not before startedAt, got {value}",
	"ltefield":         "a whole number from 0 to attempts, got {value}",
	"ne":               `a slug that can be part of an address, got "{value}"`,
	"email_address":    identity.EmailFormat + `, got "{value}"`,
	"password_hash":    identity.PasswordHashFormat,
	"totp_secret":      identity.TOTPSecretFormat,
	"configuration":    "an object without \\u0000 and numbers that are out of range",
}

func validText(s string) bool {
	n := utf8.RuneCountInString(s)
	return n >= 1 && n <= 200 && !strings.ContainsFunc(s, unicode.IsControl)
}

func validScore(percent float64) bool {
	return percent >= 0 && percent <= 100 && math.Round(percent*100)/100 == percent
}

// jsonb cannot store NUL characters.
func storable(value []byte) bool {
	var object map[string]any
	return json.Unmarshal(value, &object) == nil && !bytes.Contains(value, []byte(`\u0000`))
}
