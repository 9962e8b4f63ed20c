package importer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxErrors is how many errors of an import are reported.
const MaxErrors = 20

// maxShown is how many characters of a value an error shows.
const maxShown = 60

// Error is one thing that is wrong in a file.
type Error struct {
	File     string
	Line     int64
	Field    string // empty for the line as a whole
	Expected string
	Got      string // escaped; empty where it does not help or is secret
}

// Error returns place, expectation and value, such as: plays.ndjson:17: scorePercent: expected a
// number from 0 to 100 with at most two decimals, got 100.5.
func (e Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d: ", e.File, e.Line)
	if e.Field != "" {
		b.WriteString(e.Field + ": ")
	}
	b.WriteString("expected " + e.Expected)
	if e.Got != "" {
		b.WriteString(", got " + e.Got)
	}
	return b.String()
}

// Errors is why an import was refused: its first errors, by file and line. Nothing was changed.
type Errors struct { //nolint:errname // a list of errors, named as such
	List []Error
}

// Error returns the errors, one a line.
func (e *Errors) Error() string {
	texts := make([]string, len(e.List))
	for i, one := range e.List {
		texts[i] = one.Error()
	}
	return strings.Join(texts, "\n")
}

func (e *Errors) full() bool { return len(e.List) >= MaxErrors }

func (e *Errors) add(one Error) {
	if !e.full() {
		e.List = append(e.List, one)
	}
}

func sortByLine(list []Error) {
	slices.SortStableFunc(list, func(a, b Error) int { return int(a.Line - b.Line) })
}

// quote shows a text: cut, and with everything escaped that could act on a terminal.
func quote(s string) string {
	if runes := []rune(s); len(runes) > maxShown {
		return strconv.Quote(string(runes[:maxShown])) + "…"
	}
	return strconv.Quote(s)
}

// show shows a JSON value, but not an object, of which the kind alone may be right.
func show(raw jsontext.Value) string {
	switch raw.Kind() {
	case '"':
		s, _ := parseString(raw)
		return quote(s)
	case '0':
		if len(raw) > maxShown {
			return string(raw[:maxShown]) + "…"
		}
		return string(raw)
	case '{':
		return ""
	default:
		return kindOf(raw.Kind())
	}
}

func kindOf(kind jsontext.Kind) string {
	switch kind {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case 't', 'f', 'n':
		return kind.String()
	case '"':
		return "a text"
	case '0':
		return "a number"
	default:
		return "nothing"
	}
}

// fieldName shows the name of a field, which the format may not know.
func fieldName(name string) string {
	if quoted := quote(name); !validText(name) || quoted != `"`+name+`"` {
		return quoted
	}
	return name
}
