package httpserver

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/klauspost/compress/gzip"
	"github.com/valyala/fasthttp"
)

// minGzip is the size below which gzip saves no packet.
const minGzip = 1400

// encode returns the body in the coding that the client asks for and sets the header.
func encode(c *fiber.Ctx, plain []byte) []byte {
	if len(plain) < minGzip || !gzipAccepted(&c.Context().Request.Header) {
		return plain
	}
	c.Set(fiber.HeaderContentEncoding, "gzip")
	return Gzip(plain)
}

// Gzip compresses a body at once.
func Gzip(body []byte) []byte {
	buf := bytes.NewBuffer(make([]byte, 0, len(body)/3+64))
	w := gzipWriters.Get().(*gzip.Writer)
	defer gzipWriters.Put(w)
	w.Reset(buf)
	_, _ = w.Write(body) // a bytes.Buffer never fails
	_ = w.Close()
	return buf.Bytes()
}

// gzipAccepted reports whether the client prefers gzip to the plain body.
func gzipAccepted(h *fasthttp.RequestHeader) bool {
	return prefersGzip(string(bytes.Join(h.PeekAll(fiber.HeaderAcceptEncoding), []byte(","))))
}

// prefersGzip reads Accept-Encoding (RFC 9110, section 12.5.3): gzip needs a weight above zero, its
// own or the star's, and not below identity's. Fiber's AcceptsEncodings ignores "gzip;q=0" with a
// star.
func prefersGzip(accept string) bool {
	const unset = -1.0
	gz := unset
	star := unset
	identity := unset
	for item := range strings.SplitSeq(accept, ",") {
		coding, params, _ := strings.Cut(item, ";")
		q := weight(params)
		switch strings.ToLower(strings.TrimSpace(coding)) {
		case "gzip", "x-gzip":
			gz = max(gz, q)
		case "*":
			star = max(star, q)
		case "identity":
			identity = max(identity, q)
		}
	}
	if gz == unset {
		gz = star
	}
	return gz > 0 && gz >= identity
}

// weight reads ";q=0.5". An invalid weight counts as zero: the coding is not used.
func weight(params string) float64 {
	for p := range strings.SplitSeq(params, ";") {
		name, value, ok := strings.Cut(p, "=")
		if !ok || !strings.EqualFold(strings.TrimSpace(name), "q") {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil || !(q >= 0 && q <= 1) {
			return 0
		}
		return q
	}
	return 1
}
