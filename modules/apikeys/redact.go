package apikeys

import (
	"encoding/hex"
	"regexp"
	"strings"
)

// secretForm finds what may be a secret: what follows a key's id, however short, and whatever is as long as the random part
// of one, since a separator may have been written in any way.
var secretForm = regexp.MustCompile(`(?i)(dg_+live_+[0-9a-z]{22}_+)[0-9a-z]+|[0-9a-z]{43,}`)

// Redact takes the secrets of tokens out of a text, such as a path into which somebody pasted a key: a log may have it
// then. A text that holds one comes back with its percent-encoding undone, which may have hidden it; any other as it is.
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

// unescape undoes percent-encoding until none is left, in one pass: what has been decoded is looked at again together with
// what follows.
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
