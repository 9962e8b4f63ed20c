package importer

import (
	"bytes"
	"fmt"
)

// A small strict reader of JSON (RFC 8259). encoding/json takes duplicate and differently cased names, replaces invalid
// UTF-8, and spends most of an import's time on reflection.

// The limits, see doc.go.
const (
	maxDepth        = 100
	maxFields       = 64
	maxNumber       = 400
	maxExponentSize = 3
)

// kind is the JSON type of a value.
type kind byte

const (
	isNull kind = iota
	isBool
	isNumber
	isString
	isArray
	isObject
)

// value is a JSON value as it stands in the line, checked; a string without its quotes.
type value struct {
	kind    kind
	escaped bool // a string with escapes
	raw     []byte
}

// member is a name and a value of an object.
type member struct {
	name  []byte
	value value
	used  bool
}

// syntaxError is where a line stops being JSON.
type syntaxError struct {
	at       int
	expected string
}

func (e *syntaxError) Error() string { return fmt.Sprintf("%s at byte %d", e.expected, e.at+1) }

// cursor reads values from a line.
type cursor struct {
	b     []byte
	i     int
	depth int
}

func (c *cursor) fail(expected string) error { return &syntaxError{c.i, expected} }

func (c *cursor) space() {
	for c.i < len(c.b) {
		switch c.b[c.i] {
		case ' ', '\t', '\r', '\n':
			c.i++
		default:
			return
		}
	}
}

// take skips space and then the byte, if it is next.
func (c *cursor) take(b byte) bool {
	c.space()
	if c.i < len(c.b) && c.b[c.i] == b {
		c.i++
		return true
	}
	return false
}

// value reads any value.
func (c *cursor) value() (value, error) {
	c.space()
	if c.i == len(c.b) {
		return value{}, c.fail("a value")
	}
	start := c.i
	var err error
	v := value{}
	switch b := c.b[c.i]; {
	case b == '"':
		return c.string()
	case b == '{':
		v.kind = isObject
		err = c.members(func([]byte, value) error { return nil })
	case b == '[':
		v.kind = isArray
		err = c.elements(func(value) error { return nil })
	case b == '-' || b >= '0' && b <= '9':
		v.kind = isNumber
		err = c.number()
	case b == 't':
		v.kind = isBool
		err = c.word("true")
	case b == 'f':
		v.kind = isBool
		err = c.word("false")
	case b == 'n':
		err = c.word("null")
	default:
		err = c.fail("a value")
	}
	v.raw = c.b[start:c.i]
	return v, err
}

func (c *cursor) word(w string) error {
	if !bytes.HasPrefix(c.b[c.i:], []byte(w)) {
		return c.fail(w)
	}
	c.i += len(w)
	return nil
}

// members reads an object and calls each for its members; the name comes decoded.
func (c *cursor) members(each func(name []byte, v value) error) error {
	if !c.take('{') {
		return c.fail("an object")
	}
	if c.depth++; c.depth > maxDepth {
		return c.fail("at most 100 levels")
	}
	defer func() { c.depth-- }()
	if c.take('}') {
		return nil
	}
	for {
		if c.space(); c.i == len(c.b) || c.b[c.i] != '"' {
			return c.fail("a field name in quotes")
		}
		name, err := c.string()
		if err != nil {
			return err
		}
		if !c.take(':') {
			return c.fail("a colon")
		}
		v, err := c.value()
		if err != nil {
			return err
		}
		if name.escaped {
			name.raw = name.bytes()
		}
		if err := each(name.raw, v); err != nil {
			return err
		}
		if c.take('}') {
			return nil
		}
		if !c.take(',') {
			return c.fail("a comma or the object's end")
		}
	}
}

// elements reads an array and calls each for its elements.
func (c *cursor) elements(each func(v value) error) error {
	if !c.take('[') {
		return c.fail("an array")
	}
	if c.depth++; c.depth > maxDepth {
		return c.fail("at most 100 levels")
	}
	defer func() { c.depth-- }()
	if c.take(']') {
		return nil
	}
	for {
		v, err := c.value()
		if err != nil {
			return err
		}
		if err := each(v); err != nil {
			return err
		}
		if c.take(']') {
			return nil
		}
		if !c.take(',') {
			return c.fail("a comma or the array's end")
		}
	}
}

func (c *cursor) number() error {
	start := c.i
	if c.b[c.i] == '-' {
		c.i++
	}
	if c.i < len(c.b) && c.b[c.i] == '0' {
		c.i++
	} else if c.digits() == 0 {
		return c.fail("a digit")
	}
	if c.i < len(c.b) && c.b[c.i] == '.' {
		if c.i++; c.digits() == 0 {
			return c.fail("a digit")
		}
	}
	if c.i < len(c.b) && c.b[c.i]|0x20 == 'e' {
		c.i++
		if c.i < len(c.b) && (c.b[c.i] == '+' || c.b[c.i] == '-') {
			c.i++
		}
		if n := c.digits(); n == 0 || n > maxExponentSize {
			return c.fail("an exponent of one to three digits")
		}
	}
	if c.i-start > maxNumber {
		return c.fail("a number of at most 400 characters")
	}
	return nil
}

func (c *cursor) digits() int {
	start := c.i
	for c.i < len(c.b) && c.b[c.i] >= '0' && c.b[c.i] <= '9' {
		c.i++
	}
	return c.i - start
}
