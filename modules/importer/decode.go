package importer

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dg/modules/games"
	"dg/modules/identity"
	"dg/modules/org"
)

// types are the types of objects. Each refers to earlier ones only.
var types = []string{
	"organisation", "user", "membership", "game", "fork", "player", "group", "play",
}

// decoder checks each line alone and passes its object to the module.
type decoder struct {
	report  func(Error)
	read    map[string]func(line []byte) error // by type
	options json.Options
	header  jsontext.Decoder // reused
	number  int64            // of the line
	errors  []Error          // of the line
}

func newDecoder(o *org.Import, i *identity.Import, g *games.Import, report func(Error)) *decoder {
	d := &decoder{report: report}
	d.options = json.WithUnmarshalers(json.JoinUnmarshalers(
		scalar(d, expectedText, parseString), scalar(d, expectedUUID, parseUUID),
		scalar(d, expectedTime, parseTime),
		scalar(d, expectedWhole, parseWhole), scalar(d, expectedScore, parseScore),
		scalar(d, expectedBool, parseBool),
		scalar(d, expectedObject, parseConfiguration)))
	d.read = map[string]func([]byte) error{
		"organisation": reader(d, o.Organisation),
		"user":         reader(d, i.User),
		"membership":   reader(d, o.Membership),
		"game":         reader(d, g.Game),
		"fork":         reader(d, g.Fork),
		"player":       reader(d, o.Player),
		"group":        reader(d, o.Group),
		"play":         reader(d, g.Play),
	}
	return d
}

// line reads one line and reports its errors. It returns errors of the import only.
func (d *decoder) line(number int64, line []byte) error {
	d.number = number
	d.errors = d.errors[:0]
	err := d.object(line)
	for _, e := range d.errors {
		d.report(e)
	}
	return err
}

func (d *decoder) object(line []byte) error {
	if len(bytes.Trim(line, " \t\r")) == 0 {
		return nil
	}
	name := d.typeOf(line)
	read, known := d.read[name]
	if known {
		return read(line)
	}
	var header struct {
		Type jsontext.Value `json:"type"`
	}
	if err := json.Unmarshal(line, &header); err != nil {
		d.unreadable(err)
	} else {
		d.add("type", "one of "+strings.Join(types, ", "), show(header.Type))
	}
	return nil
}

// typeOf returns the type of the object on a line, or "". Most writers put it first.
func (d *decoder) typeOf(line []byte) string {
	dec := &d.header
	dec.Reset(bytes.NewBuffer(line))
	if start, err := dec.ReadToken(); err != nil || start.Kind() != '{' {
		return ""
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return ""
		}
		isType := name.String() == "type"
		value, err := dec.ReadValue()
		if err != nil {
			return ""
		}
		if isType {
			text, _ := parseString(value)
			return text
		}
	}
	return ""
}

// reader returns a function that reads, checks and stages an object of one type.
func reader[T any](d *decoder, stage func(line int64, object *T) error) func([]byte) error {
	return func(line []byte) error {
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
		d.unknown("", fields.Type, fields.Unknown)
		if len(d.errors) > 0 {
			return nil
		}
		return stage(d.number, &fields.Object)
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
			d.add(fieldAt(dec.StackPointer()), expected, show(raw))
			return nil
		}
		*to = value
		return nil
	})
}

// unreadable adds an error of the JSON syntax, or of a value where the format has an object or
// array.
func (d *decoder) unreadable(err error) {
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
	var names map[string]jsontext.Value
	_ = json.Unmarshal(fields, &names) // valid: the line was decoded
	for name := range names {
		d.add(prefix+fieldName(name), "no field of this name in a "+typ, "")
	}
}

// add adds an error of the line, one for each field. A later error of the same field replaces only
// the expectation of a text, which is less precise than others.
func (d *decoder) add(field, expected, got string) {
	if field == "passwordHash" || field == "totpSecret" {
		got = ""
	}
	for i, e := range d.errors {
		if e.Field == field {
			if e.Expected == expectedText {
				d.errors[i].Expected = expected
			}
			return
		}
	}
	d.errors = append(d.errors, Error{Line: d.number, Field: field, Expected: expected, Got: got})
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
