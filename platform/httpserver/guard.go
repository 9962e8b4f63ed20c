package httpserver

import (
	"bytes"
	"slices"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"dg/platform/apperr"
)

const (
	maxTarget = 4 << 10  // bytes of the request target; a longer one gets 414
	maxHeader = 16 << 10 // bytes of all header lines; more get 431
	maxBody   = 64 << 10 // bytes of a body; a longer one gets 413
)

// Behind a proxy, most of these faults can allow request smuggling.
const (
	faultLine     = "Header lines must end with CRLF, unfolded. A key must not end with a line break."
	faultChunked  = "Transfer-Encoding is not supported. Send the body with its Content-Length."
	faultBody     = "GET and HEAD requests take no body."
	faultFragment = "The path must not contain a fragment. Leave out # and what follows it."
)

// errRangeUnsupported refuses to resume a download: rows may have changed since. Without the error,
// wget would append a whole response to its partial file.
var errRangeUnsupported = apperr.New(apperr.Validation,
	"This answer cannot be resumed. Delete the part that you have, and ask again without the Range header.")

func checkRange(c *fiber.Ctx) error {
	if len(c.Context().Request.Header.Peek(fiber.HeaderRange)) > 0 {
		return errRangeUnsupported
	}
	return nil
}

func checkRequest(r *fasthttp.Request) error {
	target := r.Header.RequestURI()
	switch proto := string(r.Header.Protocol()); {
	case proto != "HTTP/1.1" && proto != "HTTP/1.0": // fasthttp would answer HTTP/9.9 with 200
		return fiber.ErrHTTPVersionNotSupported
	case len(target) > maxTarget:
		return fiber.ErrRequestURITooLong
	case len(r.Header.RawHeaders()) > maxHeader:
		return fiber.ErrRequestHeaderFieldsTooLarge
	case bytes.IndexByte(target, '#') >= 0:
		return apperr.New(apperr.Validation, faultFragment)
	}
	if fault := framingFault(&r.Header); fault != "" {
		return apperr.New(apperr.Validation, "%s", fault)
	}
	return nil
}

// framingFault returns a message if the headers have a fault that fasthttp tolerates, such as a bare
// LF, a folded line or a Transfer-Encoding. fasthttp itself rejects two Content-Length headers.
func framingFault(h *fasthttp.RequestHeader) string {
	for line := range bytes.Lines(h.RawHeaders()) {
		text, crlf := bytes.CutSuffix(line, []byte("\r\n"))
		if !crlf || len(text) > 0 && (text[0] == ' ' || text[0] == '\t') {
			return faultLine
		}
		name, value, _ := bytes.Cut(text, []byte(":"))
		switch name = bytes.TrimSpace(name); {
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			return faultChunked
		case bytes.EqualFold(name, []byte("Content-Length")) && (h.IsGet() || h.IsHead()) &&
			string(bytes.TrimSpace(value)) != "0":
			return faultBody
		}
	}
	return ""
}

// isKnownMethod reports whether fiber has the method. It excludes CONNECT, which is for proxies.
func isKnownMethod(m string) bool {
	return m != fiber.MethodConnect && slices.Contains(fiber.DefaultMethods, m)
}
