package httpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime/debug"
	"sync"

	"github.com/gofiber/fiber/v2"
)

// streamBody is the body of a stream: what its source yields, compressed where the client asks.
type streamBody struct {
	blockWriter
	rec    *requestRecord
	opts   StreamOptions
	src    Source
	ctx    context.Context
	cancel context.CancelCauseFunc
	unhook func() bool // from the server's base context
	gzip   *gzipBlocks // nil: the body is sent plain

	buf    *[]byte // the block that the source fills
	primed bool    // buf holds a block that is not sent yet
	wide   bool    // the client reads: the kernel holds more for it
	ended  bool    // the source has come to its end
	fault  error   // of the source or its context, not of the connection
	once   sync.Once
}

var buffers = sync.Pool{New: func() any {
	// room for the row that crosses the end of the block
	b := make([]byte, 0, blockSize+blockSize/8)
	return &b
}}

func newStreamBody(rec *requestRecord, conn net.Conn, o StreamOptions, compress bool) *streamBody {
	parent := o.Context
	if parent == nil {
		parent = rec.srv.base
	}
	b := &streamBody{rec: rec, opts: o, buf: buffers.Get().(*[]byte)}
	b.next = b.nextBlock
	b.ctx, b.cancel = context.WithCancelCause(rec.withSpan(parent))
	b.unhook = context.AfterFunc(rec.srv.base, func() { b.cancel(ErrStopped) })
	b.deadline = newWriteDeadline(b.ctx, conn, o.WriteTimeout)
	setSendBuffer(conn, firstSendBuffer)
	if compress {
		b.gzip = newGzipBlocks()
	}
	go watchDisconnect(b.ctx, conn, func() { b.cancel(ErrClientGone) })
	return b
}

// start opens the source and fills the first block. After an error the stream is over.
func (b *streamBody) start(open func(context.Context) (Source, error)) error {
	err := b.open(open)
	if err == nil {
		err = b.fill()
	}
	if err != nil {
		err = b.withCause(err)
		b.finish(err)
	}
	return err
}

func (b *streamBody) open(open func(context.Context) (Source, error)) (err error) {
	defer recoverAsError(&err)
	src, err := open(b.ctx)
	if err == nil {
		b.src = src
	}
	return err
}

// fill asks the source until there is a block or the file ends.
func (b *streamBody) fill() error {
	buf := (*b.buf)[:0]
	defer func() { *b.buf = buf }()
	for len(buf) < blockSize && !b.ended {
		got, err := b.nextPiece(buf)
		switch {
		case err == io.EOF: //nolint:errorlint // a wrapped io.EOF is a lost connection, not the end
			if b.ctx.Err() != nil {
				// a cancelled query may look like one that came to its end
				return context.Cause(b.ctx)
			}
			b.ended = true
		case err != nil:
			return err
		case len(got) <= len(buf):
			return errors.New("the source returned neither bytes nor an error")
		}
		if len(got) > len(buf) {
			buf = got
		}
	}
	b.primed = true
	return nil
}

func (b *streamBody) nextPiece(buf []byte) (got []byte, err error) {
	defer recoverAsError(&err)
	return b.src.Next(buf)
}

// nextBlock returns the next block to send, and io.EOF itself after the last one.
func (b *streamBody) nextBlock() ([]byte, error) {
	if !b.wide && b.sent >= blockSize {
		b.wide = true
		setSendBuffer(b.deadline.conn, sendBuffer)
	}
	for b.primed || !b.ended {
		var err error
		if !b.primed {
			err = b.fill()
		}
		b.primed = false
		out := *b.buf
		if err == nil && b.gzip != nil {
			out, err = b.gzip.encode(out, b.ended)
		}
		if err != nil {
			b.fault = b.withCause(err)
			return nil, fmt.Errorf("read the source: %w", b.fault)
		}
		if len(out) > 0 {
			return out, nil
		}
	}
	return nil, io.EOF
}

// withCause prefixes an error with the context's cause: a query fails because its context ended.
func (b *streamBody) withCause(err error) error {
	cause := context.Cause(b.ctx)
	if cause == nil || errors.Is(err, cause) {
		return err
	}
	return fmt.Errorf("%w: %w", cause, err)
}

// CloseWithError ends the stream and its record. fasthttp calls it once, with the error of writing
// the body; a plain Close would not get that.
func (b *streamBody) CloseWithError(writeErr error) error {
	result := b.result(writeErr)
	b.finish(result)
	b.rec.end(fiber.StatusOK, b.sent, result)
	return result
}

// result returns the outcome of the file for Close and Finished.
func (b *streamBody) result(writeErr error) error {
	switch {
	case b.complete && writeErr == nil:
		return nil
	case b.fault != nil:
		return b.fault
	case b.ctx.Err() != nil:
		return context.Cause(b.ctx)
	case writeErr == nil:
		return ErrClientGone // never sent
	case errors.Is(writeErr, os.ErrDeadlineExceeded):
		return ErrClientStalled
	default:
		return fmt.Errorf("%w: %w", ErrClientGone, writeErr)
	}
}

// finish releases what the stream holds, once.
func (b *streamBody) finish(result error) {
	b.once.Do(func() {
		// Before cancel, which would expire it: the response's last bytes are still to be sent.
		b.deadline.release(result == nil)
		// Before Close: closing rows reads the rest of them unless their context has ended.
		b.cancel(result)
		b.unhook()
		if b.src != nil {
			b.recovering("closing a source", func() { b.src.Close(result) })
			if b.opts.Finished != nil {
				b.recovering("finishing a stream", func() { b.opts.Finished(b.sent, result) })
			}
		}
		if b.gzip != nil {
			b.gzip.release()
		}
		buffers.Put(b.buf)
	})
}

// recovering logs a panic of f, which would end the process here.
func (b *streamBody) recovering(what string, f func()) {
	defer func() {
		if p := recover(); p != nil {
			b.rec.srv.log.Error("panic in "+what, "request_id", b.rec.id, "panic", fmt.Sprint(p),
				"stack", string(debug.Stack()))
		}
	}()
	f()
}

// recoverAsError is deferred: it turns a panic into an error.
func recoverAsError(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("panic in the source: %v\n%s", p, debug.Stack())
	}
}
