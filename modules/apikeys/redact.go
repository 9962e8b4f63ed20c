package apikeys

import (
	"encoding/hex"
	"regexp"
	"strings"
)

// secretForm matches what may be a secret: any text after a key's id, and any text as long as a
// secret's random part, because the separators may be mistyped.
var secretForm = regexp.MustCompile(`(?i)(dg_+live_+[0-9a-z]{22}_+)[0-9a-z]+|[0-9a-z]{43,}`)

// Redact removes the secrets of tokens from a text for logs, such as a path with a pasted key. It
// finds percent-encoded secrets too, and then returns the text decoded.
func Redact(s string) string {
	plain := s
	if strings.Contains(s, "%") {
		plain = unescape(s)
	}
	redacted := secretForm.ReplaceAllString(plain, "$1…")
	if redacted == plain {
		return s
	}
	return redacted
}

// unescape removes nested percent-encoding in one pass: it decodes again after each byte.
func unescape(s string) string {
	out := make([]byte, 0, len(s))
	for i := range len(s) {
		out = append(out, s[i])
		for n := len(out); n >= 3 && out[n-3] == '%'; n = len(out) {
			if _, err := hex.Decode(out[n-3:n-2], out[n-2:n]); err != nil {
				break
			}
			out = out[:n-2]
		}
	}
	return string(out)
}
