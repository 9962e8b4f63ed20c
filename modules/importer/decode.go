package importer

import (
	"cmp"
	"errors"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dg/modules/identity"
	"dg/platform/input"
)

const oneObject = "one JSON object in UTF-8"

// By default, json also rejects duplicate names and invalid UTF-8, and is case-sensitive.
var strictJSON = json.RejectUnknownMembers(true)

func reader[T any](row func(*T, identity.Keyring) []any) readFunc {
	return func(line []byte, keys identity.Keyring) ([]any, []string) {
		var fields struct {
			Type   string `json:"type"`
			Object T      `json:",inline"`
		}
		if err := json.Unmarshal(line, &fields, strictJSON); err != nil {
			return nil, []string{decodeError(err)}
		}
		var faults []string
		for _, fault := range objectChecks.Violations(&fields.Object) {
			faults = append(faults, fault.Path+": expected "+fault.Message)
		}
		if faults != nil {
			return nil, faults
		}
		return row(&fields.Object, keys), nil
	}
}

// decodeError shows no value of a wrong type, which may be a secret.
func decodeError(err error) string {
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return faultText(fieldAt(e.JSONPointer), oneObject+" with each name once", e.Err.Error())
	}
	e, ok := errors.AsType[*json.SemanticError](err)
	switch {
	case !ok || e.GoType == nil:
		return faultText("", oneObject, err.Error())
	case errors.Is(e, json.ErrUnknownName):
		return faultText(fieldAt(e.JSONPointer), "no field of this name", "")
	}
	expected := typeMessages[strings.TrimPrefix(e.GoType.String(), "*")]
	return faultText(fieldAt(e.JSONPointer), cmp.Or(expected, oneObject), "")
}

// fieldAt returns a JSON pointer without its first slash, such as skills/2/attempts.
func fieldAt(pointer jsontext.Pointer) string { return strings.TrimPrefix(string(pointer), "/") }

// faultText says what is expected, and what was found unless got is "". field "" is the whole line.
func faultText(field, expected, got string) string {
	text := "expected " + expected
	if field != "" {
		text = input.Excerpt(field) + ": " + text
	}
	if got != "" {
		text += ", got " + input.Excerpt(got)
	}
	return text
}
