package importer

import (
	"bytes"
	"cmp"
	"errors"
	"reflect"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
)

// strict rejects unknown fields. go-json-experiment itself rejects what encoding/json accepts:
// duplicate names, names in another case and invalid UTF-8.
var strict = json.JoinOptions(json.RejectUnknownMembers(true),
	json.WithUnmarshalers(json.UnmarshalFunc(readID)))

// readID reads a UUID. The nil UUID and null count as missing.
func readID(value []byte, to *pgtype.UUID) error {
	if string(value) == "null" {
		return nil
	}
	parsed, err := uuid.ParseBytes(bytes.Trim(value, `"`))
	*to = pgtype.UUID{Bytes: parsed, Valid: parsed != uuid.Nil}
	return err
}

// reader returns the function that decodes and checks a line of one type, for format.read.
func reader[T any](row func(*T) []any) func(line []byte) ([]any, []string) {
	return func(line []byte) ([]any, []string) {
		var fields struct {
			Type   string `json:"type"`
			Object T      `json:",inline"`
		}
		if err := json.Unmarshal(line, &fields, strict); err != nil {
			return nil, []string{decodeError(line, err)}
		}
		if found := tags.Faults(&fields.Object); len(found) > 0 {
			all := make([]string, len(found))
			for i, fault := range found {
				all[i] = fault.Path + ": expected " + fault.Message
			}
			return nil, all
		}
		return row(&fields.Object), nil
	}
}

// decodeError returns the error of a line that is not JSON or has a value of another type.
func decodeError(line []byte, err error) string {
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return invalid(fieldAt(e.JSONPointer), oneObject+" with each name once", e.Err.Error())
	}
	e, ok := errors.AsType[*json.SemanticError](err)
	if !ok || e.GoType == nil {
		return invalid("", oneObject, err.Error())
	}
	field := fieldAt(e.JSONPointer)
	if errors.Is(e, json.ErrUnknownName) {
		return invalid(field, "no field of this name", "")
	}
	expected := types[strings.TrimPrefix(e.GoType.String(), "*")]
	if e.GoType.Kind() == reflect.Slice {
		expected = "an array"
	}
	got := ""
	secret := field == "" || field == "passwordHash" || field == "totpSecret" // a line may be a secret
	if e.JSONKind != '{' && e.JSONKind != '[' && !secret {
		value, _ := jsontext.NewDecoder(bytes.NewReader(line[e.ByteOffset:])).ReadValue()
		got = string(value)
	}
	return invalid(field, cmp.Or(expected, oneObject), got)
}

var element = regexp.MustCompile(`/(\d+)`)

// fieldAt returns the name of a field in errors, such as skills[2].attempts for /skills/2/attempts.
func fieldAt(pointer jsontext.Pointer) string {
	path := element.ReplaceAllString(strings.TrimPrefix(string(pointer), "/"), "[$1]")
	return strings.ReplaceAll(path, "/", ".")
}
