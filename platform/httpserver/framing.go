package httpserver

import (
	"bytes"
)

var (
	contentLength    = []byte("Content-Length")
	transferEncoding = []byte("Transfer-Encoding")
)

// soundFraming reads the header lines as they came, since what fasthttp makes of them no longer shows an empty
// chunked body, two lengths that contradict each other, or "Transfer-Encoding: identity". Each of these lets a proxy
// in front see another end of the request than we do.
func soundFraming(method, raw []byte) bool {
	var lengths, encodings int
	lengthIsZero, chunked := true, true
	for line := range bytes.Lines(raw) {
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			break
		}
		if line[0] == ' ' || line[0] == '\t' {
			return false // a folded line
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		name, value = bytes.TrimSpace(name), bytes.TrimSpace(value)
		switch {
		case bytes.EqualFold(name, contentLength):
			lengths++
			lengthIsZero = string(value) == "0"
		case bytes.EqualFold(name, transferEncoding):
			encodings++
			chunked = bytes.EqualFold(value, []byte("chunked"))
		}
	}
	if m := string(method); m == "GET" || m == "HEAD" {
		return encodings == 0 && lengths <= 1 && lengthIsZero
	}
	return encodings+lengths <= 1 && chunked
}
