package importer

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// escapes are the characters that follow a backslash, and escaped what each stands for.
const (
	escapes = `"\/bfnrt`
	escaped = "\"\\/\b\f\n\r\t"
)

// string reads a string. UTF-8 as such was checked for the whole line.
func (c *cursor) string() (value, error) {
	c.i++
	start, escaped := c.i, false
	for c.i < len(c.b) {
		switch b := c.b[c.i]; {
		case b == '"':
			c.i++
			return value{isString, escaped, c.b[start : c.i-1]}, nil
		case b < ' ':
			return value{}, c.fail("control characters to be escaped")
		case b == '\\':
			escaped = true
			if err := c.escape(); err != nil {
				return value{}, err
			}
		default:
			c.i++
		}
	}
	return value{}, c.fail("the string's end")
}

func (c *cursor) escape() error {
	if c.i+1 < len(c.b) && strings.IndexByte(escapes, c.b[c.i+1]) >= 0 {
		c.i += 2
		return nil
	}
	r, ok := hex4(c.b[c.i:])
	if !ok {
		return c.fail("an escape of JSON")
	}
	if utf16.IsSurrogate(r) {
		low, ok := hex4(c.b[c.i+6:])
		if !ok || utf16.DecodeRune(r, low) == utf8.RuneError {
			return c.fail("a pair of surrogates")
		}
		c.i += 6
	}
	c.i += 6
	return nil
}

// hex4 reads \uXXXX.
func hex4(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, d := range b[2:6] {
		switch {
		case d >= '0' && d <= '9':
			r = r<<4 | rune(d-'0')
		case d|0x20 >= 'a' && d|0x20 <= 'f':
			r = r<<4 | rune(d|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// text returns a string decoded.
func (v value) text() string { return string(v.bytes()) }

// bytes returns a string decoded; it is not to be changed.
func (v value) bytes() []byte {
	if !v.escaped {
		return v.raw
	}
	out := make([]byte, 0, len(v.raw))
	for i := 0; i < len(v.raw); i++ {
		if v.raw[i] != '\\' {
			out = append(out, v.raw[i])
			continue
		}
		i++
		if at := strings.IndexByte(escapes, v.raw[i]); at >= 0 {
			out = append(out, escaped[at])
			continue
		}
		r, _ := hex4(v.raw[i-1:])
		i += 4
		if utf16.IsSurrogate(r) {
			low, _ := hex4(v.raw[i+1:])
			r = utf16.DecodeRune(r, low)
			i += 6
		}
		out = utf8.AppendRune(out, r)
	}
	return out
}
