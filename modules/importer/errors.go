package importer

import (
	"strings"

	"dg/platform/input"
)

// MaxErrors is the maximum number of errors that an import reports.
const MaxErrors = 20

// Errors are the first errors of an import, which changed nothing. Example: plays.ndjson:17:
// scorePercent: expected a number from 0 to 100 with at most two decimals, got 100.5.
type Errors []string

// Error returns the errors, one a line.
func (e Errors) Error() string { return strings.Join(e, "\n") }

// invalid returns an error of a field, or of the line as a whole if field is "". A value that is
// secret or of no help is "".
func invalid(field, expected, got string) string {
	text := "expected " + expected
	if field != "" {
		text = input.Shown(field) + ": " + text
	}
	if got != "" {
		text += ", got " + input.Shown(got)
	}
	return text
}
