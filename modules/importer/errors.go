package importer

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxErrors is the maximum number of errors that an import reports.
const MaxErrors = 20

// maxShown is the maximum number of characters of a value in an error.
const maxShown = 60

// Error is an error in a file.
type Error struct {
	File     string
	Line     int64
	Field    string // empty for the line as a whole
	Expected string
	Got      string // escaped; empty if it is secret or does not help
}

// Error returns place, expectation and value, such as: plays.ndjson:17: scorePercent: expected a
// number from 0 to 100 with at most two decimals, got 100.5.
func (e Error) Error() string {
	text := fmt.Sprintf("%s:%d: ", e.File, e.Line)
	if e.Field != "" {
		text += e.Field + ": "
	}
	text += "expected " + e.Expected
	if e.Got != "" {
		text += ", got " + e.Got
	}
	return text
}

// Errors refuses an import. It has the first errors by file and line. Nothing was changed.
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

// quote cuts and quotes a text. It escapes what could control a terminal.
func quote(s string) string {
	if runes := []rune(s); len(runes) > maxShown {
		return strconv.Quote(string(runes[:maxShown])) + "…"
	}
	return strconv.Quote(s)
}

// show returns a JSON value for an error, or "" for an object, which may be long.
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

// fieldName returns the name of a field for an error: quoted, unless it is plain text.
func fieldName(name string) string {
	if quoted := quote(name); !validText(name) || quoted != `"`+name+`"` {
		return quoted
	}
	return name
}
