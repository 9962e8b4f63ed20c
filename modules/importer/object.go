package importer

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// What fields are expected to be.
const (
	expectedText   = "a text of 1 to 200 characters without control characters"
	expectedUUID   = "a UUID such as 0b8f7c1e-3d52-4b7a-9a61-5f2c8d4e7a90"
	expectedTime   = "an RFC 3339 timestamp such as 2026-03-01T09:30:00.000Z"
	expectedWhole  = "a whole number from 0 to 2147483647"
	expectedBool   = "true or false"
	expectedArray  = "an array"
	expectedOnce   = "only once in the object"
	expectedFewer  = "an object of at most 64 fields"
	expectedObject = "a JSON object without NUL"
)

// object is an object of a line while its fields are taken out. Each method takes one field by its name, reports what is
// wrong with it and returns the zero value then; ok tells in the end.
type object struct {
	noun    string
	prefix  string // of the field names in errors, such as skills[2].
	members []member
	next    int // where the next field is looked for first: writers keep an order
	wrong   bool
	report  func(field, expected, got string)
}

// read fills the object from a cursor that stands before it. It returns a syntax error, or reports repeated fields.
func (o *object) read(c *cursor) error {
	o.members, o.next, o.wrong = o.members[:0], 0, false
	return c.members(func(name []byte, v value) error {
		if len(o.members) == maxFields {
			return c.fail(expectedFewer)
		}
		for i := range o.members {
			if string(o.members[i].name) == string(name) {
				o.fail(fieldName(name), expectedOnce, "")
				return nil
			}
		}
		o.members = append(o.members, member{name: name, value: v})
		return nil
	})
}

// ok reports the fields that nobody took, and says whether the object is free of errors.
func (o *object) ok() bool {
	for i := range o.members {
		if !o.members[i].used {
			o.fail(fieldName(o.members[i].name), "no field of this name in a "+o.noun, "")
		}
	}
	return !o.wrong
}

func (o *object) fail(field, expected, got string) {
	o.wrong = true
	o.report(o.prefix+field, expected, got)
}

// find returns a field's value; null and a missing field are the same.
func (o *object) find(name string) (value, bool) {
	for n := range o.members {
		at := (o.next + n) % len(o.members)
		if m := &o.members[at]; string(m.name) == name {
			m.used, o.next = true, at+1
			return m.value, m.value.kind != isNull
		}
	}
	return value{}, false
}

// optional returns a field's value if it is there and of the kind.
func (o *object) optional(name, expected string, k kind) (value, bool) {
	v, ok := o.find(name)
	if ok && v.kind != k {
		o.fail(name, expected, v.show())
		return value{}, false
	}
	return v, ok
}

// required is optional, but reports a field that is missing.
func (o *object) required(name, expected string, k kind) (value, bool) {
	v, ok := o.find(name)
	if !ok {
		o.fail(name, expected, "nothing")
		return value{}, false
	}
	if v.kind != k {
		o.fail(name, expected, v.show())
		return value{}, false
	}
	return v, true
}

func (o *object) text(name string) string {
	v, ok := o.required(name, expectedText, isString)
	if !ok {
		return ""
	}
	s := v.text()
	if !validText(s) {
		o.fail(name, expectedText, quote(s))
	}
	return s
}

func (o *object) optionalText(name string) *string {
	if v, ok := o.find(name); !ok || v.kind == isNull {
		return nil
	}
	s := o.text(name)
	return &s
}

// secret returns a text that read accepts, as it returns it; the value is never shown.
func (o *object) secret(name, expected string, read func(string) (string, bool)) *string {
	v, ok := o.find(name)
	if !ok {
		return nil
	}
	if v.kind == isString {
		if s, ok := read(v.text()); ok {
			return &s
		}
	}
	o.fail(name, expected, "")
	return nil
}

func (o *object) uuid(name string) uuid.UUID {
	v, ok := o.required(name, expectedUUID, isString)
	if !ok {
		return uuid.UUID{}
	}
	id, ok := parseUUID(v.bytes())
	if !ok {
		o.fail(name, expectedUUID, v.show())
	}
	return id
}

func (o *object) time(name string) time.Time {
	v, ok := o.required(name, expectedTime, isString)
	if !ok {
		return time.Time{}
	}
	t, ok := parseTime(v.bytes())
	if !ok {
		o.fail(name, expectedTime, v.show())
	}
	return t
}

func (o *object) bool(name string) bool {
	v, _ := o.required(name, expectedBool, isBool)
	return string(v.raw) == "true"
}

// number returns a number times ten to the power of scale, within bounds that count in the same way.
func (o *object) number(name, expected string, scale int, least, most int64) int64 {
	v, ok := o.required(name, expected, isNumber)
	if !ok {
		return 0
	}
	n, ok := parseDecimal(v.raw, scale)
	if !ok || n < least || n > most {
		o.fail(name, expected, v.show())
	}
	return n
}

func (o *object) whole(name string) int32 {
	return int32(o.number(name, expectedWhole, 0, 0, math.MaxInt32))
}

func (o *object) optionalWhole(name string) *int32 {
	if _, ok := o.find(name); !ok {
		return nil
	}
	n := o.whole(name)
	return &n
}

func (o *object) oneOf(name string, values ...string) string {
	v, ok := o.required(name, expectedOneOf(values), isString)
	if !ok {
		return ""
	}
	s := v.text()
	if !slices.Contains(values, s) {
		o.fail(name, expectedOneOf(values), quote(s))
	}
	return s
}

func expectedOneOf(values []string) string { return "one of " + strings.Join(values, ", ") }

// show shows a value in an error.
func (v value) show() string {
	switch v.kind {
	case isString:
		return quote(v.text())
	case isArray:
		return "an array"
	case isObject:
		return "an object"
	default:
		if len(v.raw) > shown {
			return string(v.raw[:shown]) + "…"
		}
		return string(v.raw)
	}
}

// fieldName shows the name of a field that the format may not know.
func fieldName(name []byte) string {
	if validText(string(name)) && quote(string(name)) == `"`+string(name)+`"` {
		return string(name)
	}
	return quote(string(name))
}
