package httpserver

import (
	"bytes"
)

var (
	contentLength    = []byte("Content-Length")
	transferEncoding = []byte("Transfer-Encoding")
)

// soundFraming reads the header lines as they came, since what fasthttp makes of them no longer shows a line that ends
// without a CR, two lengths that contradict each other, or "Transfer-Encoding: identity". Each of these lets a proxy in
// front see another end of the request than we do. So does what may stand beside a chunk's length, of which nothing is left
// to see either: no body is taken in chunks. Browsers send forms with their length, and nothing else has a body here.
func soundFraming(method, raw []byte) bool {
	lengths := 0
	lengthIsZero := true
	for line := range bytes.Lines(raw) {
		text, crlf := bytes.CutSuffix(line, []byte("\r\n"))
		if !crlf {
			return false
		}
		if len(text) == 0 {
			break
		}
		if text[0] == ' ' || text[0] == '\t' {
			return false // a folded line
		}
		name, value, _ := bytes.Cut(text, []byte(":"))
		name, value = bytes.TrimSpace(name), bytes.TrimSpace(value)
		switch {
		case bytes.EqualFold(name, contentLength):
			lengths++
			lengthIsZero = string(value) == "0"
		case bytes.EqualFold(name, transferEncoding):
			return false
		}
	}
	if m := string(method); m == "GET" || m == "HEAD" {
		return lengths <= 1 && lengthIsZero
	}
	return lengths <= 1
}
