package httpserver

import (
	"fmt"
	"io"

	"github.com/gofiber/fiber/v2"
)

// StreamThreshold is the size from which a JSON body is sent block by block. One write deadline for all of it would cut
// off whoever takes longer than that for 12 MB of statistics.
const StreamThreshold = blockSize

// pacedBody is a body of known length with a write deadline for each block.
type pacedBody struct {
	x      *exchange
	brk    *breaker
	status int
	rest   []byte
	sent   int64
}

// sendPaced sets body as a stream of known length. Its record ends with its last block.
func sendPaced(c *fiber.Ctx, x *exchange, body []byte) {
	ctx := c.Context()
	x.lease.Keep(int64(len(body)))
	p := &pacedBody{x: x, status: ctx.Response.StatusCode(), rest: body}
	p.brk = newBreaker(x.srv.base, ctx.Conn(), x.srv.opts.WriteTimeout)
	x.streaming = true
	ctx.Response.SetBodyStream(p, len(body))
}

// Read is for fasthttp's other ways of sending; with WriteTo it is not used.
func (p *pacedBody) Read(b []byte) (int, error) {
	if len(p.rest) == 0 {
		return 0, io.EOF
	}
	if err := p.brk.arm(); err != nil {
		return 0, fmt.Errorf("paced body: %w", err)
	}
	n := copy(b, p.rest)
	p.rest, p.sent = p.rest[n:], p.sent+int64(n)
	return n, nil
}

// SupportsBodyWriteTo tells fasthttp that WriteTo does all that Read does.
func (p *pacedBody) SupportsBodyWriteTo() bool { return true }

// WriteTo sends block by block.
func (p *pacedBody) WriteTo(w io.Writer) (int64, error) {
	for len(p.rest) > 0 {
		if err := p.brk.arm(); err != nil {
			return p.sent, fmt.Errorf("paced body: %w", err)
		}
		n, err := w.Write(p.rest[:min(blockSize, len(p.rest))])
		p.rest, p.sent = p.rest[n:], p.sent+int64(n)
		if err != nil {
			return p.sent, fmt.Errorf("paced body: %w", err)
		}
	}
	return p.sent, nil
}

// CloseWithError ends the record. fasthttp calls it once, when the answer is out or broken.
func (p *pacedBody) CloseWithError(err error) error {
	p.brk.release()
	p.rest = nil
	p.x.end(p.status, p.sent, err)
	return nil
}
