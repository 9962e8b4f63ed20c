package httpserver

import (
	"bytes"
	"strings"
)

// Framing faults, each of which allows request smuggling behind a proxy.
const (
	faultLineEnding = "The request line and header lines must end with CRLF."
	faultFolded     = "Header lines must not be folded. Send each header on one line."
	faultLengths    = "Send Content-Length only once."
	faultChunked    = "Transfer-Encoding is not supported. Send the body with its Content-Length."
	faultFragment   = "The path must not contain a fragment. Leave out # and what follows it."
)

func faultBody(method string) string { return method + " requests take no body." }

var (
	contentLength    = []byte("Content-Length")
	transferEncoding = []byte("Transfer-Encoding")
)

// framingFault returns the framing fault of a request, or "". fasthttp silently accepts lines
// without CR, a length with chunks and "Transfer-Encoding: identity". It refuses a second
// Content-Length.
func framingFault(method string, headers []byte) string {
	bodiless := method == "GET" || method == "HEAD"
	for line := range bytes.Lines(headers) {
		text, crlf := bytes.CutSuffix(line, []byte("\r\n"))
		switch {
		case !crlf:
			return faultLineEnding
		case len(text) == 0:
			return ""
		case text[0] == ' ' || text[0] == '\t':
			return faultFolded
		}
		name, value, _ := bytes.Cut(text, []byte(":"))
		name = bytes.TrimSpace(name)
		value = bytes.TrimSpace(value)
		isLength := bytes.EqualFold(name, contentLength)
		isEncoding := bytes.EqualFold(name, transferEncoding)
		switch {
		case bodiless && (isEncoding || isLength && string(value) != "0"):
			return faultBody(method)
		case isEncoding:
			return faultChunked
		}
	}
	return ""
}

const expectContinue = "100-continue"

// unknownExpectation reports whether a header line Expect asks for anything else than 100 Continue.
func unknownExpectation(headers []byte) bool {
	for line := range bytes.Lines(headers) {
		name, value, _ := strings.Cut(string(line), ":")
		if strings.EqualFold(name, "Expect") &&
			!strings.EqualFold(strings.TrimSpace(value), expectContinue) {
			return true
		}
	}
	return false
}
