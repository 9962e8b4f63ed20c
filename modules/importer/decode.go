package importer

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// decoder checks each line alone and passes its row to the format.
type decoder struct {
	formats map[string]*format // by type
	types   string             // as errors list them
	options json.Options
	header  jsontext.Decoder // reused
	number  int64            // of the line
	errors  []Error          // of the line
}

// errEnough ends the reading of a line with MaxErrors errors.
var errEnough = errors.New("enough errors")

func newDecoder(formats []*format) *decoder {
	d := &decoder{formats: map[string]*format{}}
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.name
		d.formats[f.name] = f
	}
	d.types = strings.Join(names, ", ")
	d.options = json.WithUnmarshalers(json.JoinUnmarshalers(
		scalar(d, expectedText, parseString), scalar(d, expectedUUID, parseID),
		scalar(d, expectedTime, parseTime),
		scalar(d, expectedWhole, parseWhole), scalar(d, expectedScore, parseScore),
		scalar(d, expectedBool, parseBool),
		scalar(d, expectedObject, parseConfiguration)))
	return d
}

// line reads one line into a row of its format. It returns the first errors, at most MaxErrors.
func (d *decoder) line(number int64, line []byte) []Error {
	d.number = number
	d.errors = d.errors[:0]
	if len(bytes.Trim(line, " \t\r")) == 0 {
		return nil
	}
	if f := d.formats[d.typeOf(line)]; f != nil {
		if row := f.read(d, f.name, line); row != nil {
			f.pending = append(f.pending, append([]any{number}, row...))
			f.rows++
		}
		return d.errors
	}
	var header struct {
		Type jsontext.Value `json:"type"`
	}
	if err := json.Unmarshal(line, &header); err != nil {
		d.unreadable(err)
	} else {
		d.add("type", "one of "+d.types, show(header.Type))
	}
	return d.errors
}

// typeOf returns the type of the object on a line, or "". Most writers put it first.
func (d *decoder) typeOf(line []byte) string {
	dec := &d.header
	dec.Reset(bytes.NewBuffer(line))
	_, err := dec.ReadToken()
	for err == nil && dec.PeekKind() == '"' {
		name, _ := dec.ReadToken()
		isType := name.String() == "type"
		var value jsontext.Value
		if value, err = dec.ReadValue(); err == nil && isType {
			text, _ := parseString(value)
			return text
		}
	}
	return ""
}

// reader returns a function that reads and checks an object of one type.
func reader[T any](row func(*T) []any) func(*decoder, string, []byte) []any {
	return func(d *decoder, name string, line []byte) []any {
		var fields struct {
			Type    string         `json:"type"`
			Object  T              `json:",inline"`
			Unknown jsontext.Value `json:",unknown"`
		}
		if err := json.Unmarshal(line, &fields, d.options); err != nil {
			d.unreadable(err)
			return nil
		}
		d.validate(&fields.Object)
		d.unknown("", name, fields.Unknown)
		if len(d.errors) > 0 {
			return nil
		}
		return row(&fields.Object)
	}
}

// scalar reads a value of one field. An invalid value is an error of that field, and reading
// continues, so that all errors of a line are found. A null counts as missing.
func scalar[T any](
	d *decoder, expected string, parse func(jsontext.Value) (T, bool),
) *json.Unmarshalers {
	return json.UnmarshalFromFunc(func(dec *jsontext.Decoder, to *T) error {
		raw, err := dec.ReadValue()
		if err != nil || raw.Kind() == 'n' {
			return err
		}
		value, ok := parse(raw)
		if !ok {
			if !d.add(fieldAt(dec.StackPointer()), expected, show(raw)) {
				return errEnough
			}
			return nil
		}
		*to = value
		return nil
	})
}

// unreadable adds an error of the JSON syntax, or of a value where the format has an object or
// array.
func (d *decoder) unreadable(err error) {
	if errors.Is(err, errEnough) {
		return
	}
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		if errors.Is(err, jsontext.ErrDuplicateName) {
			d.add(fieldAt(e.JSONPointer), "each field once", "")
			return
		}
		d.add("", expectedLine,
			fmt.Sprintf("%s at byte %d", strings.TrimPrefix(e.Err.Error(), "jsontext: "),
				e.ByteOffset+1))
		return
	}
	if e, ok := errors.AsType[*json.SemanticError](err); ok {
		expected := "an object"
		if e.JSONPointer == "" {
			expected = expectedLine
		} else if e.GoType != nil && e.GoType.Kind().String() == "slice" {
			expected = "an array"
		}
		d.add(fieldAt(e.JSONPointer), expected, kindOf(e.JSONKind))
		return
	}
	d.add("", expectedLine, quote(err.Error()))
}

// unknown adds an error for each field that the type does not have.
func (d *decoder) unknown(prefix, typ string, fields jsontext.Value) {
	if fields == nil {
		return
	}
	dec := jsontext.NewDecoder(bytes.NewReader(fields))
	_, _ = dec.ReadToken() // all is valid: the line was decoded
	for dec.PeekKind() == '"' {
		name, _ := dec.ReadToken()
		if !d.add(prefix+fieldName(name.String()), "no field of this name in a "+typ, "") {
			return
		}
		_ = dec.SkipValue()
	}
}

// add adds an error of the line, one for each field. A later error of the same field replaces only
// the expectation of a text, which is less precise than others. It returns false if the line has
// enough errors.
func (d *decoder) add(field, expected, got string) bool {
	if field == "passwordHash" || field == "totpSecret" {
		got = ""
	}
	same := func(e Error) bool { return e.Field == field }
	if i := slices.IndexFunc(d.errors, same); i >= 0 {
		if d.errors[i].Expected == expectedText {
			d.errors[i].Expected = expected
		}
		return true
	}
	if len(d.errors) == MaxErrors {
		return false
	}
	d.errors = append(d.errors, Error{Line: d.number, Field: field, Expected: expected, Got: got})
	return true
}

// fieldAt returns the name of a field in errors, such as skills[2].attempts for /skills/2/attempts.
func fieldAt(pointer jsontext.Pointer) string {
	var b strings.Builder
	for token := range pointer.Tokens() {
		switch _, err := strconv.Atoi(token); {
		case err == nil && b.Len() > 0:
			b.WriteString("[" + token + "]")
		case b.Len() > 0:
			b.WriteString("." + fieldName(token))
		default:
			b.WriteString(fieldName(token))
		}
	}
	return b.String()
}
