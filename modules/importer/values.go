package importer

import (
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
)

// maxText is how many characters a text has at most.
const maxText = 200

// validText says whether the text has 1 to 200 characters and no control characters.
func validText(s string) bool {
	if s == "" || len(s) > maxText*utf8.UTFMax || utf8.RuneCountInString(s) > maxText {
		return false
	}
	for _, r := range s {
		if unicode.IsControl(r) {
			return false
		}
	}
	return true
}

// parseUUID reads a UUID in its form with hyphens, in any case.
func parseUUID(b []byte) (uuid.UUID, bool) {
	if len(b) != 36 { // the other lengths are other forms
		return uuid.UUID{}, false
	}
	id, err := uuid.ParseBytes(b)
	return id, err == nil
}

// parseDecimal reads a JSON number and returns it times ten to the power of scale, if that is a whole number of at most
// 18 digits. Nothing is rounded.
func parseDecimal(raw []byte, scale int) (int64, bool) {
	i, negative := 0, raw[0] == '-'
	if negative {
		i++
	}
	var v int64
	shift, zeros, fraction := scale, 0, 0 // zeros that end the digits read so far are not in v yet
	for ; i < len(raw) && raw[i]|0x20 != 'e'; i++ {
		switch c := raw[i]; c {
		case '.':
			fraction = 1
			continue
		case '0':
			zeros++
		default:
			var ok bool
			if v, ok = times10(v, zeros+1); !ok {
				return 0, false
			}
			v, zeros = v+int64(c-'0'), 0
		}
		shift -= fraction
	}
	shift += zeros + parseExponent(raw[min(i+1, len(raw)):])
	if v == 0 {
		return 0, true
	}
	if shift < 0 {
		return 0, false
	}
	v, ok := times10(v, shift)
	if negative {
		v = -v
	}
	return v, ok
}

// times10 returns v times ten to the power of n, if that has at most 18 digits.
func times10(v int64, n int) (int64, bool) {
	for ; n > 0 && v != 0; n-- {
		if v >= 1e17 {
			return 0, false
		}
		v *= 10
	}
	return v, true
}

// parseExponent reads what follows the e of a number: at most three digits, see cursor.number.
func parseExponent(b []byte) int {
	n, negative := 0, false
	for _, c := range b {
		switch c {
		case '+':
		case '-':
			negative = true
		default:
			n = n*10 + int(c-'0')
		}
	}
	if negative {
		return -n
	}
	return n
}

// parseTime reads an RFC 3339 timestamp, in UTC and cut off to the millisecond. time.Parse takes more than RFC 3339
// (a comma, hours of one digit).
func parseTime(b []byte) (time.Time, bool) {
	if len(b) < len("2006-01-02T15:04:05Z") || b[4] != '-' || b[7] != '-' || b[10]|0x20 != 't' || b[13] != ':' || b[16] != ':' {
		return time.Time{}, false
	}
	year, ok1 := number(b[0:4], 0, 9999)
	month, ok2 := number(b[5:7], 1, 12)
	day, ok3 := number(b[8:10], 1, 31)
	hour, ok4 := number(b[11:13], 0, 23)
	minute, ok5 := number(b[14:16], 0, 59)
	second, ok6 := number(b[17:19], 0, 59)
	millis, rest, ok7 := parseMillis(b[19:])
	offset, ok8 := parseOffset(rest)
	if ok := ok1 && ok2 && ok3 && ok4 && ok5 && ok6 && ok7 && ok8; !ok {
		return time.Time{}, false
	}
	t := time.Date(year, time.Month(month), day, hour, minute, second, millis*1e6, time.UTC)
	if t.Day() != day { // such as 30 February
		return time.Time{}, false
	}
	t = t.Add(-offset)
	return t, t.Year() >= 1 && t.Year() <= 9999
}

// parseMillis reads a fraction of a second, if there is one, and returns what follows it.
func parseMillis(b []byte) (millis int, rest []byte, ok bool) {
	if b[0] != '.' {
		return 0, b, true
	}
	n, unit := 1, 100
	for ; n < len(b) && b[n] >= '0' && b[n] <= '9'; n++ {
		millis += int(b[n]-'0') * unit
		unit /= 10
	}
	return millis, b[n:], n > 1
}

// parseOffset reads Z or ±hh:mm.
func parseOffset(b []byte) (time.Duration, bool) {
	if len(b) == 1 {
		return 0, b[0]|0x20 == 'z'
	}
	if len(b) != 6 || b[3] != ':' || b[0] != '+' && b[0] != '-' {
		return 0, false
	}
	hours, ok1 := number(b[1:3], 0, 23)
	minutes, ok2 := number(b[4:6], 0, 59)
	offset := time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
	if b[0] == '-' {
		offset = -offset
	}
	return offset, ok1 && ok2
}

// number reads digits as a number within bounds.
func number(b []byte, least, most int) (int, bool) {
	n := 0
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, n >= least && n <= most
}

// validConfiguration says whether PostgreSQL can store the object: no NUL in its texts.
func validConfiguration(raw []byte) bool {
	for i := 0; i < len(raw); i++ {
		if raw[i] == '\\' {
			if r, ok := hex4(raw[i:]); ok && r == 0 {
				return false
			}
			i++ // the escaped character; a backslash is one
		}
	}
	return true
}
