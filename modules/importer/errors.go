package importer

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// MaxErrors is how many errors of an import are reported.
const MaxErrors = 20

// shown is how many characters of a value an error shows.
const shown = 60

// Error is one thing that is wrong in a file.
type Error struct {
	File     string
	Line     int64
	Field    string // empty when it is the line as a whole
	Expected string
	Got      string // the value, shown harmless; empty where it says nothing or must not be shown
}

// Error says where and what, such as:
// plays.ndjson:17: scorePercent: expected a number from 0 to 100 with at most two decimals, got 100.5.
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
type Errors struct { //nolint:errname // it is a list of errors, and its name says so
	List []Error
}

// Error is the errors' texts, one a line.
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

// sortLines orders the errors of one file from the place first on.
func (e *Errors) sortLines(first int) {
	list := e.List[first:]
	sort.SliceStable(list, func(i, j int) bool { return list[i].Line < list[j].Line })
}

// quote shows a text: cut, and with everything escaped that a terminal could take for more than a character.
func quote(s string) string {
	cut, n := s, 0
	for i := range s {
		if n++; n > shown {
			cut = s[:i]
			break
		}
	}
	if len(cut) < len(s) {
		return strconv.Quote(cut) + "…"
	}
	return strconv.Quote(s)
}
