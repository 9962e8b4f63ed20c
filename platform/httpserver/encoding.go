package httpserver

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/klauspost/compress/gzip"
	"github.com/valyala/fasthttp"
)

// minGzip is the smallest body to compress, in bytes: below it gzip saves at most one packet.
const minGzip = 1400

func encodeBody(c *fiber.Ctx, plain []byte) []byte {
	if len(plain) < minGzip || !acceptsGzip(&c.Context().Request.Header) {
		return plain
	}
	c.Set(fiber.HeaderContentEncoding, "gzip")
	w := gzipWriters.Get().(*gzip.Writer)
	defer gzipWriters.Put(w)
	return compress(w, plain)
}

func newGzipWriter(level int) *gzip.Writer {
	w, err := gzip.NewWriterLevel(nil, level)
	if err != nil {
		panic(err) // levels are constants
	}
	return w
}

func compress(w *gzip.Writer, body []byte) []byte {
	buf := bytes.NewBuffer(make([]byte, 0, len(body)/3+64))
	w.Reset(buf)
	_, _ = w.Write(body) // a bytes.Buffer returns no error
	_ = w.Close()
	return buf.Bytes()
}

// gzipPattern matches an Accept-Encoding that lists gzip with a weight above zero. It ignores "*".
var gzipPattern = regexp.MustCompile(
	`(?i)(?:^|,)\s*(?:x-)?gzip\s*(?:;\s*q=(?:1(?:\.0*)?|0?\.\d*[1-9]\d*)\s*)?(?:,|$)`)

func acceptsGzip(h *fasthttp.RequestHeader) bool {
	return gzipPattern.Match(bytes.Join(h.PeekAll(fiber.HeaderAcceptEncoding), []byte(",")))
}

// SendPage responds with an HTML page, compressed if it is long and the browser accepts gzip.
func SendPage(c *fiber.Ctx, status int, html []byte) error {
	c.Status(status)
	c.Set(fiber.HeaderVary, fiber.HeaderAcceptEncoding)
	c.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
	c.Context().Response.SetBodyRaw(encodeBody(c, html))
	return nil
}

// File is a static file, such as a stylesheet, a script or a picture.
type File struct {
	Body, Gzipped []byte
	MediaType     string
	CacheControl  string
	Version       string // changes whenever Body does
}

// NewFile returns a file that clients revalidate at each use. It compresses the body in advance, at
// the highest level.
func NewFile(body []byte, mediaType string) File {
	sum := sha256.Sum256(body)
	gzipped := compress(newGzipWriter(gzip.BestCompression), body)
	return File{body, gzipped, mediaType, "no-cache", hex.EncodeToString(sum[:6])}
}

// SendFile responds with a file, or with 304 if If-None-Match has its ETag.
func SendFile(c *fiber.Ctx, f File) error {
	etag := ETag(c, f.Version)
	c.Set(fiber.HeaderCacheControl, f.CacheControl)
	c.Set(fiber.HeaderVary, fiber.HeaderAcceptEncoding)
	c.Set(fiber.HeaderETag, etag)
	if NotModified(c, etag) {
		c.Status(fiber.StatusNotModified)
		return nil
	}
	c.Set(fiber.HeaderContentType, f.MediaType)
	body := f.Body
	if acceptsGzip(&c.Context().Request.Header) {
		c.Set(fiber.HeaderContentEncoding, "gzip")
		body = f.Gzipped
	}
	c.Context().Response.SetBodyRaw(body)
	return nil
}

// gzipVersion must rise when the bytes of a compressed body change: ETags promise identical bytes.
const gzipVersion = "2"

// ETag returns a strong ETag for version, which must change whenever the body may change. It
// depends on the accepted content coding, because a strong ETag promises identical bytes.
func ETag(c *fiber.Ctx, version ...string) string {
	sum := sha256.Sum256([]byte(gzipVersion + strings.Join(version, "\n")))
	tag := base64.RawURLEncoding.EncodeToString(sum[:16])
	if acceptsGzip(&c.Context().Request.Header) {
		tag += "-gzip"
	}
	return `"` + tag + `"`
}

// NotModified reports whether If-None-Match contains etag or is "*". Call it only if the resource
// exists. A search in the header suffices, because ETags are hashes.
func NotModified(c *fiber.Ctx, etag string) bool {
	headerLines := c.Context().Request.Header.PeekAll(fiber.HeaderIfNoneMatch)
	return slices.ContainsFunc(headerLines, func(line []byte) bool {
		return string(bytes.TrimSpace(line)) == "*" || bytes.Contains(line, []byte(etag))
	})
}

// SendNotModified responds with 304 and the headers that RFC 9110 requires of it.
func SendNotModified(c *fiber.Ctx, etag string) error {
	setHeaders(c, etag)
	c.Status(fiber.StatusNotModified)
	return nil
}

// SendJSON responds with a JSON body, which must not change afterwards, and with etag unless that
// is "". It compresses a long body if the client accepts gzip. A body above BlockSize is sent in
// blocks; with a Range header the client gets 400 instead. SendJSON calls onSent once: when a body
// in blocks was sent or aborted, or immediately for any other body.
func SendJSON(c *fiber.Ctx, body []byte, etag string, onSent func()) error {
	ctx := c.Context()
	body = encodeBody(c, body)
	blocks := len(body) > BlockSize && !ctx.IsHead()
	if err := checkRange(c); blocks && err != nil {
		onSent()
		return err
	}
	setJSONHeaders(c, etag)
	if blocks {
		newStream(c, &bodySource{bytes.NewBuffer(body), onSent}).send(ctx, len(body))
		return nil
	}
	ctx.Response.SetBodyRaw(body)
	onSent()
	return nil
}

// JSONHead responds to HEAD with the headers of SendJSON that do not depend on the body.
func JSONHead(c *fiber.Ctx, etag string) error {
	setJSONHeaders(c, etag)
	c.Context().Response.Header.SetContentLength(-1)
	return nil
}

func setJSONHeaders(c *fiber.Ctx, etag string) {
	setHeaders(c, etag)
	c.Context().Response.Header.SetContentType(contentJSON)
	c.Status(fiber.StatusOK)
}

func setHeaders(c *fiber.Ctx, etag string) {
	h := &c.Context().Response.Header
	if etag != "" {
		h.Set(fiber.HeaderETag, etag)
	}
	h.Set(fiber.HeaderCacheControl, cachePrivate)
	h.Set(fiber.HeaderVary, varyOn)
}

type bodySource struct {
	unsent *bytes.Buffer
	onSent func()
}

func (s *bodySource) Next() ([]byte, error) {
	if block := s.unsent.Next(BlockSize); len(block) > 0 {
		return block, nil
	}
	return nil, io.EOF
}

func (s *bodySource) Close(int64, error) { s.onSent() }
