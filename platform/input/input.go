// Package input checks structs by their validate tags, and single days and texts.
package input

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

var rules = map[string]func(Field) bool{
	"text":      Text(ValidText),
	"visible":   Text(isVisible),
	"printable": Text(IsPrintable),
	"dateOnly":  Text(func(s string) bool { return !timestamp.MatchString(s) }),
	"day":       Text(dayPattern.MatchString),
	"calendarDay": Text(func(s string) bool {
		_, err := time.Parse(time.DateOnly, s)
		return err == nil
	}),
	"reportable": isReportable,
}

var (
	dayPattern = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
	timestamp  = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}[T ]\d`)
)

func isReportable(f Field) bool {
	if t, ok := reflect.TypeAssert[time.Time](f.Field()); ok {
		return inReports(t)
	}
	_, ok := ParseDay(f.Field().String())
	return ok
}

// words are the messages of rules for which a Checker has no words of its own.
var words = map[string]string{
	"text":      "`{field}` must have 1 to 200 characters, not all blank and without control characters.",
	"printable": "`{field}` contains invisible characters. Type it again.",
	"min":       "`{field}` must have at least one value.",
	"unique":    "`{field}` must not contain a value twice.",
	"oneof":     "`{field}` contains an unknown value. Known values: {values}.",
	"dateOnly":  "`{field}` has a time: {value}. Send the day alone, YYYY-MM-DD.",
	"day":       "`{field}` is not a day: {value}. Send a calendar day, YYYY-MM-DD, for example 2026-03-01.",
	"calendarDay": "`{field}` is not a day of the calendar: {value}. Send a calendar day, " +
		"YYYY-MM-DD, for example 2026-03-01.",
	"reportable": "`{field}` is out of range: {value}. Send a day from 2000-01-01 to 2199-12-31.",
}

const maxExcerpt = 60 // characters of a value in a message

// Excerpt returns the first 60 characters of a value for a message, with � for unprintable ones.
func Excerpt(sent string) string {
	runes := []rune(sent)
	cut := len(runes) > maxExcerpt
	runes = runes[:min(len(runes), maxExcerpt)]
	for i, r := range runes {
		if !unicode.IsPrint(r) {
			runes[i] = unicode.ReplacementChar
		}
	}
	if cut {
		runes = append(runes, '…')
	}
	return string(runes)
}

// unusual notes the first non-ASCII character, which may look like an ASCII one. The mark … of cut
// or redacted text does not count.
func unusual(sent string) string {
	for _, r := range sent {
		if r > unicode.MaxASCII && r != utf8.RuneError && r != '…' {
			return fmt.Sprintf(" (with %U)", r)
		}
	}
	return ""
}

// ID returns an identifier in lower case, its stored form.
func ID(sent string) string { return strings.ToLower(sent) }

var storedID = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// IsID reports whether s is a UUID in its stored form. Any other text is an unknown identifier.
func IsID(s string) bool { return storedID.MatchString(s) }

// ParseDay returns the first instant in UTC of a day YYYY-MM-DD in the years 2000 to 2199.
func ParseDay(s string) (time.Time, bool) {
	t, err := time.Parse(time.DateOnly, s)
	return t, err == nil && inReports(t)
}

func inReports(t time.Time) bool { return t.UTC().Year() >= 2000 && t.UTC().Year() <= 2199 }

// ValidText accepts 1 to 200 characters, at least one visible and none a control character.
func ValidText(s string) bool {
	return isVisible(s) && utf8.ValidString(s) && utf8.RuneCountInString(s) <= 200 &&
		!strings.ContainsFunc(s, unicode.IsControl)
}

func isVisible(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsGraphic(r) && !unicode.IsSpace(r)
	})
}
