package httpserver

import (
	"errors"
	"fmt"
	"io"

	"github.com/gofiber/fiber/v2"
)

// StreamThreshold is the size above which a JSON body is sent block by block: with one write deadline for all of
// it, a client that takes longer for 12 MB would be cut off.
const StreamThreshold = blockSize

// blockWriter sends a body block by block, each with its own write deadline. fasthttp loses an error that comes with
// bytes, one that is io.EOF itself, and one that only closing returns: WriteTo's errors come alone and are wrapped.
type blockWriter struct {
	next     func() ([]byte, error) // returns io.EOF itself after the last block
	deadline *writeDeadline
	sent     int64
	complete bool // all blocks were written
}

// SupportsBodyWriteTo makes fasthttp call WriteTo, where each Write is one chunk, and never Read.
func (*blockWriter) SupportsBodyWriteTo() bool { return true }

// Read exists for fasthttp's type of a body. It must not return io.EOF, which would end a chunked body properly.
func (*blockWriter) Read([]byte) (int, error) {
	return 0, errors.New("httpserver: a body is sent with WriteTo")
}

// WriteTo sends the body.
func (w *blockWriter) WriteTo(out io.Writer) (int64, error) {
	for {
		block, err := w.next()
		if err != nil && err != io.EOF { //nolint:errorlint // a wrapped io.EOF is a lost connection, not the end
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

// bufferedBody is a body that is wholly in memory.
type bufferedBody struct {
	blockWriter
	rec    *requestRecord
	status int
	rest   []byte
}

// sendBlocks sets body as a stream of known length. Its record ends with its last block.
func sendBlocks(c *fiber.Ctx, rec *requestRecord, body []byte) {
	ctx := c.Context()
	rec.lease.Keep(int64(len(body)))
	rec.streaming = true
	b := &bufferedBody{rec: rec, status: ctx.Response.StatusCode(), rest: body}
	b.next = b.nextBlock
	b.deadline = newWriteDeadline(rec.srv.base, ctx.Conn(), rec.srv.opts.WriteTimeout)
	if !rec.authenticated {
		setSendBuffer(ctx.Conn(), publicSendBuffer)
	}
	ctx.Response.SetBodyStream(b, len(body))
}

func (b *bufferedBody) nextBlock() ([]byte, error) {
	if len(b.rest) == 0 {
		return nil, io.EOF
	}
	n := min(blockSize, len(b.rest))
	block := b.rest[:n]
	b.rest = b.rest[n:]
	return block, nil
}

// CloseWithError ends the record. fasthttp calls it once, when the body is sent or broken off.
func (b *bufferedBody) CloseWithError(err error) error {
	b.deadline.release()
	b.rest = nil
	b.rec.end(b.status, b.sent, err)
	return nil
}
