package body

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"runtime/debug"
	"time"
)

// Causes of a truncated body, besides the cause of its context and the source's own errors.
var (
	// ErrClientGone means that the client left before it had the whole body.
	ErrClientGone = errors.New("the client is gone")
	// ErrClientStalled means that the client stopped reading. It is an ErrClientGone as well.
	ErrClientStalled = fmt.Errorf("%w: it stopped reading", ErrClientGone)
)

// Options say how a body is sent.
type Options struct {
	// Context breaks the body off when it ends, with context.Cause as the reason, even in the
	// middle of a write.
	Context context.Context
	Conn    net.Conn
	// Timeout is how long the client may take for one block.
	Timeout time.Duration
	// SendBuffer bounds the kernel's send buffer; FirstSendBuffer does until the first block is
	// sent, and may be 0.
	SendBuffer, FirstSendBuffer int
	// Log gets the panics of Source.Close and Done, which would end the process.
	Log *slog.Logger
	// Done is called once for an opened source, after its Close: with the bytes sent (after
	// compression) and the error that Close got.
	Done func(sent int64, err error)
}

// Body is a response body that is sent block by block. It is closed by a failed Open, and else by
// CloseWithError, which fasthttp calls.
type Body struct {
	blocks
	opts     Options
	cancel   context.CancelCauseFunc
	deadline *deadline // nil before the body is sent
	sent     int64
	complete bool  // all blocks were written
	fault    error // of the source or its context, not of the connection
}

// New returns a body without a source.
func New(o Options) *Body {
	b := &Body{opts: o}
	b.buf = buffers.Get().(*[]byte)
	b.ctx, b.cancel = context.WithCancelCause(o.Context)
	return b
}

// Context ends with the body.
func (b *Body) Context() context.Context { return b.ctx }

// Cancel breaks the body off.
func (b *Body) Cancel(cause error) { b.cancel(cause) }

// Open opens the source and fills the first block.
func (b *Body) Open(open func(context.Context) (Source, error)) error {
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

func (b *Body) open(open func(context.Context) (Source, error)) (err error) {
	defer recoverAsError(&err)
	source, err := open(b.ctx)
	if err == nil {
		b.source = source
	}
	return err
}

// First returns the first block, and whether it is the whole body. It is valid until the next one.
func (b *Body) First() (block []byte, whole bool) { return *b.buf, b.ended }

// Compress makes the body a gzip file.
func (b *Body) Compress() { b.gzip = newGzipBlocks() }

// Size makes a whole body to learn its length.
func Size(source Source, compress bool) (size int, err error) {
	b := New(Options{Context: context.Background(), Done: func(int64, error) {}})
	err = b.Open(func(context.Context) (Source, error) { return source, nil })
	if err != nil {
		return 0, err
	}
	defer b.finish(nil)
	if compress {
		b.Compress()
	}
	for {
		block, err := b.next()
		if err == io.EOF { //nolint:errorlint // a wrapped io.EOF is an error
			return size, nil
		}
		if err != nil {
			return 0, err
		}
		size += len(block)
	}
}

// SupportsBodyWriteTo makes fasthttp call WriteTo, where each Write is one chunk, and never Read.
func (*Body) SupportsBodyWriteTo() bool { return true }

// Read exists for fasthttp's type of a body. It must not return io.EOF, which would end a chunked
// body properly.
func (*Body) Read([]byte) (int, error) {
	return 0, errors.New("body: it is sent with WriteTo")
}

// WriteTo sends the body.
func (b *Body) WriteTo(out io.Writer) (int64, error) {
	b.deadline = newDeadline(b.ctx, b.opts.Conn, b.opts.Timeout)
	setSendBuffer(b.opts.Conn, cmp.Or(b.opts.FirstSendBuffer, b.opts.SendBuffer))
	wide := b.opts.FirstSendBuffer == 0
	for {
		if !wide && b.sent >= BlockSize {
			wide = true
			setSendBuffer(b.opts.Conn, b.opts.SendBuffer)
		}
		block, err := b.next()
		//nolint:errorlint // a wrapped io.EOF is a lost connection, not the end
		if err != nil && err != io.EOF {
			b.fault = b.withCause(err)
			return b.sent, fmt.Errorf("read the source: %w", b.fault)
		}
		// At the end too: the final chunk may wait for room as well.
		if expired := b.deadline.extend(); expired != nil {
			return b.sent, fmt.Errorf("send a block: %w", expired)
		}
		if err != nil {
			b.complete = true
			return b.sent, nil //nolint:nilerr // it is io.EOF
		}
		n, err := out.Write(block)
		b.sent += int64(n)
		if err != nil {
			return b.sent, fmt.Errorf("send a block: %w", err)
		}
	}
}

// withCause prefixes an error with the context's cause: a query fails because its context ended.
func (b *Body) withCause(err error) error {
	cause := context.Cause(b.ctx)
	if cause == nil || errors.Is(err, cause) {
		return err
	}
	return fmt.Errorf("%w: %w", cause, err)
}

// CloseWithError ends the body. fasthttp calls it once, with the error of writing the body; a plain
// Close would not get that.
func (b *Body) CloseWithError(writeErr error) error {
	result := b.result(writeErr)
	b.finish(result)
	return result
}

// result returns the outcome of the body.
func (b *Body) result(writeErr error) error {
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

// finish releases what the body holds.
func (b *Body) finish(result error) {
	if b.deadline != nil {
		// Before cancel, which would expire it: the response's last bytes are still to be sent.
		b.deadline.release(result == nil)
	}
	// Before Close: closing rows reads the rest of them unless their context has ended.
	b.cancel(result)
	if b.source != nil {
		b.recovering("closing a source", func() { b.source.Close(result) })
		b.recovering("finishing a body", func() { b.opts.Done(b.sent, result) })
	}
	b.release()
}

// recovering logs a panic of f, which would end the process here.
func (b *Body) recovering(what string, f func()) {
	defer func() {
		if p := recover(); p != nil {
			b.opts.Log.Error("panic in "+what, "panic", fmt.Sprint(p), "stack",
				string(debug.Stack()))
		}
	}()
	f()
}
