package importer

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
)

// maxText is the maximum length of a text in characters.
const maxText = 200

// The limits of jsonb in PostgreSQL.
const (
	maxDepth    = 100
	maxNumber   = 400
	maxExponent = 3 // digits
)

// validText reports whether s has 1 to 200 characters and no control characters.
func validText(s string) bool {
	n := utf8.RuneCountInString(s)
	return n >= 1 && n <= maxText && !strings.ContainsFunc(s, unicode.IsControl)
}

func parseString(raw jsontext.Value) (string, bool) {
	if raw.Kind() != '"' {
		return "", false
	}
	if !bytes.ContainsRune(raw, '\\') {
		return string(raw[1 : len(raw)-1]), true
	}
	b, err := jsontext.AppendUnquote(nil, raw)
	return string(b), err == nil
}

// parseID reads a UUID with hyphens, in any case.
func parseID(raw jsontext.Value) (id, bool) {
	s, ok := parseString(raw)
	if !ok || len(s) != 36 { // uuid.Parse takes other forms, which have other lengths
		return id{}, false
	}
	parsed, err := uuid.Parse(s)
	return id{Bytes: parsed, Valid: parsed != uuid.Nil}, err == nil
}

// parseTime reads an RFC 3339 timestamp, in UTC and cut off to the millisecond.
func parseTime(raw jsontext.Value) (t time.Time, ok bool) {
	s, _ := parseString(raw)
	s = strings.ToUpper(s) // RFC 3339 allows t and z, which Go refuses
	t, err := time.Parse(time.RFC3339, s)
	// Go accepts hours of one digit and a comma
	if err != nil || s[13] != ':' || strings.Contains(s, ",") {
		return t, false
	}
	// Go accepts other offsets
	if zone := s[len(s)-5:]; s[len(s)-1] != 'Z' && (zone[:2] > "23" || zone[3:] > "59") {
		return t, false
	}
	t = t.UTC().Truncate(time.Millisecond)
	return t, t.Year() >= 1 && t.Year() <= 9999
}

func parseBool(raw jsontext.Value) (value, ok bool) {
	return raw.Kind() == 't', raw.Kind() == 't' || raw.Kind() == 'f'
}

func parseWhole(raw jsontext.Value) (int32, bool) {
	n, ok := parseNumber(raw)
	return int32(n), ok && n >= 0 && n <= math.MaxInt32 && n == math.Trunc(n)
}

// parseScore compares by value, so 87.5, 87.50 and 8.75e1 are equal.
func parseScore(raw jsontext.Value) (score, bool) {
	n, ok := parseNumber(raw)
	hundredths := math.Round(n * 100)
	return score(hundredths), ok && n >= 0 && n <= 100 && hundredths/100 == n
}

func parseNumber(raw jsontext.Value) (float64, bool) {
	if raw.Kind() != '0' {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	return n, err == nil
}

// parseConfiguration reads a JSON object that PostgreSQL can store.
func parseConfiguration(raw jsontext.Value) (configuration, bool) {
	if raw.Kind() != '{' {
		return nil, false
	}
	for dec := jsontext.NewDecoder(bytes.NewReader(raw)); ; {
		token, err := dec.ReadToken()
		if err != nil {
			return configuration(raw.Clone()), errors.Is(err, io.EOF)
		}
		if dec.StackDepth() > maxDepth || !storable(token) {
			return nil, false
		}
	}
}

func storable(token jsontext.Token) bool {
	switch token.Kind() {
	case '"':
		return !strings.ContainsRune(token.String(), 0)
	case '0':
		number := token.String()
		_, exponent, _ := strings.Cut(strings.ToLower(number), "e")
		return len(number) <= maxNumber && len(strings.TrimLeft(exponent, "+-")) <= maxExponent
	default:
		return true
	}
}
