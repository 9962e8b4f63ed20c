// Package input checks input: structs by their validate tags, days, identifiers and texts.
package input

import (
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

var rules = map[string]func(Field) bool{
	"text":       Text(ValidText),
	"printable":  Text(IsPrintable),
	"reportable": isReportable,
}

func isReportable(f Field) bool {
	if t, ok := reflect.TypeAssert[time.Time](f.Field()); ok {
		return inReports(t)
	}
	_, ok := ParseDay(f.Field().String())
	return ok
}

// defaultMessages are the messages by rule. Those passed to New replace them.
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
func Excerpt(sent string) string {
	runes := []rune(sent)
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

// PathID decodes an identifier in a path. A malformed encoding stays, which is no identifier.
func PathID(sent string) string {
	if id, err := url.PathUnescape(sent); err == nil {
		return id
	}
	return sent
}

// ID returns the stored form of an identifier: lower case.
func ID(sent string) string { return strings.ToLower(sent) }

var storedID = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// IsID reports whether s is a UUID in its stored form. Callers treat any other id as unknown.
func IsID(s string) bool { return storedID.MatchString(s) }

// ParseDay returns the first instant in UTC of a day YYYY-MM-DD, in the years 2000 to 2199 only.
func ParseDay(s string) (time.Time, bool) {
	t, err := time.Parse(time.DateOnly, s)
	return t, err == nil && inReports(t)
}

func inReports(t time.Time) bool { return t.UTC().Year() >= 2000 && t.UTC().Year() <= 2199 }

// ValidText reports whether s has 1 to 200 characters, one visible and none a control character.
func ValidText(s string) bool {
	visible := func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }
	return strings.ContainsFunc(s, visible) && utf8.ValidString(s) &&
		utf8.RuneCountInString(s) <= 200 && !strings.ContainsFunc(s, unicode.IsControl)
}
