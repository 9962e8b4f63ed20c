package importer

import (
	"cmp"
	"errors"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dg/modules/identity"
	"dg/platform/input"
)

const oneObject = "one JSON object in UTF-8"

// strict rejects unknown fields. go-json-experiment itself rejects what encoding/json accepts:
// duplicate names, names in another case and invalid UTF-8.
var strict = json.RejectUnknownMembers(true)

// reader returns the function that decodes and checks a line of one type, for format.read.
func reader[T any](row func(*T, identity.Keyring) []any) readFunc {
	return func(line []byte, keys identity.Keyring) ([]any, []string) {
		var fields struct {
			Type   string `json:"type"`
			Object T      `json:",inline"`
		}
		if err := json.Unmarshal(line, &fields, strict); err != nil {
			return nil, []string{decodeError(err)}
		}
		var faults []string
		for _, fault := range tags.Faults(&fields.Object) {
			faults = append(faults, fault.Path+": expected "+fault.Message)
		}
		if faults != nil {
			return nil, faults
		}
		return row(&fields.Object, keys), nil
	}
}

// decodeError returns the error of a line that is not JSON or has a value of another type. It shows
// no value, which may be a secret.
func decodeError(err error) string {
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return invalid(fieldAt(e.JSONPointer), oneObject+" with each name once", e.Err.Error())
	}
	e, ok := errors.AsType[*json.SemanticError](err)
	switch {
	case !ok || e.GoType == nil:
		return invalid("", oneObject, err.Error())
	case errors.Is(e, json.ErrUnknownName):
		return invalid(fieldAt(e.JSONPointer), "no field of this name", "")
	}
	expected := types[strings.TrimPrefix(e.GoType.String(), "*")]
	return invalid(fieldAt(e.JSONPointer), cmp.Or(expected, oneObject), "")
}

var element = regexp.MustCompile(`/(\d+)`)

// fieldAt returns the name of a field in errors, such as skills[2].attempts for /skills/2/attempts.
func fieldAt(pointer jsontext.Pointer) string {
	path := element.ReplaceAllString(strings.TrimPrefix(string(pointer), "/"), "[$1]")
	return strings.ReplaceAll(path, "/", ".")
}

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
