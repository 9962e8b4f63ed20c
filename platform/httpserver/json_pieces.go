package httpserver

import (
	"bytes"
	"io"

	"github.com/gofiber/fiber/v2"
)

// Pieces makes a body: each call appends the next piece to b, and nothing at the end.
type Pieces func(b []byte) []byte

// SendJSONPieces responds to GET as SendJSON does, but makes the body while it is sent, one block
// in memory at a time. The body is chunked. HTTP/1.0 needs a length, so that pieces is called
// twice. While the body is sent, the response's lease holds a block and held bytes.
func SendJSONPieces(c *fiber.Ctx, pieces func() Pieces, held int64) error {
	request := &c.Context().Request.Header
	b := newPieceBlocks(pieces())
	b.fill()
	if b.ended {
		defer b.release()
		return SendJSON(c, bytes.Clone(*b.buf), JSONOptions{})
	}
	compress := gzipAccepted(request)
	size := -1
	if !request.IsHTTP11() {
		var err error
		if size, err = sizeOf(pieces(), compress); err != nil {
			b.release()
			return err
		}
	}
	if compress {
		c.Set(fiber.HeaderContentEncoding, "gzip")
		b.gzip = newGzipBlocks()
	}
	JSONOptions{}.setHeaders(c)
	sendBlocks(c, b.next, size, held+int64(cap(*b.buf)), b.release)
	return nil
}

// sizeOf makes a whole body to learn its length.
func sizeOf(pieces Pieces, compress bool) (size int, err error) {
	b := newPieceBlocks(pieces)
	defer b.release()
	if compress {
		b.gzip = newGzipBlocks()
	}
	for err == nil {
		var block []byte
		block, err = b.next()
		size += len(block)
	}
	if err == io.EOF { //nolint:errorlint // a wrapped io.EOF is an error
		err = nil
	}
	return size, err
}

// pieceBlocks makes blocks of pieces.
type pieceBlocks struct {
	pieces Pieces
	gzip   *gzipBlocks // nil: the body is sent plain
	buf    *[]byte
	primed bool // buf holds a block that is not sent yet
	ended  bool
}

func newPieceBlocks(pieces Pieces) *pieceBlocks {
	return &pieceBlocks{pieces: pieces, buf: buffers.Get().(*[]byte)}
}

func (b *pieceBlocks) fill() {
	buf := (*b.buf)[:0]
	for len(buf) < blockSize && !b.ended {
		had := len(buf)
		buf = b.pieces(buf)
		b.ended = len(buf) == had
	}
	*b.buf = buf
	b.primed = true
}

// next returns the next block, and io.EOF itself after the last one. fasthttp turns a panic into an
// error.
func (b *pieceBlocks) next() (block []byte, err error) {
	for !b.ended {
		if !b.primed {
			b.fill()
		}
		b.primed = false
		out := *b.buf
		if b.gzip != nil {
			if out, err = b.gzip.encode(out, b.ended); err != nil {
				return nil, err
			}
		}
		if len(out) > 0 {
			return out, nil
		}
	}
	return nil, io.EOF
}

func (b *pieceBlocks) release() {
	if b.gzip != nil {
		b.gzip.release()
	}
	buffers.Put(b.buf)
}
