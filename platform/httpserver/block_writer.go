package httpserver

import (
	"errors"
	"fmt"
	"io"

	"github.com/gofiber/fiber/v2"
)

// StreamThreshold is the size above which a JSON body is sent block by block: with one write
// deadline for all of it, a client that takes longer for 12 MB would be cut off.
const StreamThreshold = blockSize

// blockWriter sends a body block by block, each with its own write deadline. fasthttp loses an
// error that comes with bytes, one that is io.EOF itself, and one that only closing returns:
// WriteTo's errors come alone and are wrapped.
type blockWriter struct {
	next     func() ([]byte, error) // returns io.EOF itself after the last block
	deadline *writeDeadline
	sent     int64
	complete bool // all blocks were written
}

// SupportsBodyWriteTo makes fasthttp call WriteTo, where each Write is one chunk, and never Read.
func (*blockWriter) SupportsBodyWriteTo() bool { return true }

// Read exists for fasthttp's type of a body. It must not return io.EOF, which would end a chunked
// body properly.
func (*blockWriter) Read([]byte) (int, error) {
	return 0, errors.New("httpserver: a body is sent with WriteTo")
}

// WriteTo sends the body.
func (w *blockWriter) WriteTo(out io.Writer) (int64, error) {
	w.deadline.resetOnClose(true)
	for {
		block, err := w.next()
		//nolint:errorlint // a wrapped io.EOF is a lost connection, not the end
		if err != nil && err != io.EOF {
			return w.sent, err
		}
		// At the end too: the final chunk may wait for room as well.
		if expired := w.deadline.extend(); expired != nil {
			return w.sent, fmt.Errorf("send a block: %w", expired)
		}
		if err != nil {
			w.complete = true
			return w.sent, nil //nolint:nilerr // it is io.EOF
		}
		n, err := out.Write(block)
		w.sent += int64(n)
		if err != nil {
			return w.sent, fmt.Errorf("send a block: %w", err)
		}
	}
}

// blocksBody is a body without a source of errors: it is in memory, or made of what is.
type blocksBody struct {
	blockWriter
	rec     *requestRecord
	status  int
	release func()
}

// sendBlocks sets the body whose blocks next returns, of a known length or -1. From here on the
// lease holds that many bytes. The record ends with the last block; release is called then.
func sendBlocks(c *fiber.Ctx, next func() ([]byte, error), size int, held int64, release func()) {
	ctx := c.Context()
	rec := recordOf(ctx)
	rec.lease.Keep(held)
	rec.streaming = true
	b := &blocksBody{rec: rec, status: ctx.Response.StatusCode(), release: release}
	b.next = next
	b.deadline = newWriteDeadline(rec.srv.base, ctx.Conn(), rec.srv.opts.WriteTimeout)
	if !rec.authenticated {
		setSendBuffer(ctx.Conn(), publicSendBuffer)
	}
	ctx.Response.SetBodyStream(b, size)
}

// blocksOf returns the blocks of a body that is wholly in memory.
func blocksOf(body []byte) func() ([]byte, error) {
	return func() ([]byte, error) {
		if len(body) == 0 {
			return nil, io.EOF
		}
		n := min(blockSize, len(body))
		block := body[:n]
		body = body[n:]
		return block, nil
	}
}

// CloseWithError ends the record. fasthttp calls it once, when the body is sent or broken off.
func (b *blocksBody) CloseWithError(err error) error {
	b.deadline.release(b.complete && err == nil) // after a panic of next the error is nil
	b.next = nil
	if b.release != nil {
		b.release()
	}
	b.rec.end(b.status, b.sent, err)
	return nil
}
