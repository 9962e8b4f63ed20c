package httpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
)

// transfer is one stream on its way: the body that fasthttp sends. fasthttp loses an error that comes with bytes,
// one that is exactly io.EOF, and one that only Close returns; so errors here are sticky, come alone and are wrapped.
type transfer struct {
	x      *exchange
	opts   StreamOptions
	src    Source
	ctx    context.Context
	cancel context.CancelCauseFunc
	unhook func() bool // from the server's base context
	brk    *breaker
	enc    encoder

	raw    *[]byte // the block that the source fills
	primed bool    // raw holds the first block, which start filled
	ended  bool    // the source has come to its end

	rest  []byte // what Read has not given out yet
	err   error  // sticky; io.EOF after the last block
	fault error  // what went wrong on our side, the source or its context; not on the connection
	sent  int64
	whole bool // everything was taken, the end included
	once  sync.Once
}

var blocks = sync.Pool{New: func() any {
	b := make([]byte, 0, blockSize+blockSize/8) // room for the row that crosses the line
	return &b
}}

func newTransfer(x *exchange, conn net.Conn, o StreamOptions, compress bool) *transfer {
	parent := o.Context
	if parent == nil {
		parent = x.srv.base
	}
	t := &transfer{x: x, opts: o, raw: blocks.Get().(*[]byte)}
	t.ctx, t.cancel = context.WithCancelCause(parent)
	t.unhook = context.AfterFunc(x.srv.base, func() { t.cancel(ErrStopped) })
	t.brk = newBreaker(t.ctx, conn, o.WriteTimeout)
	if compress {
		t.enc = newGzipEncoder()
	}
	go watch(t.ctx, conn, func() { t.cancel(ErrClientGone) })
	return t
}

// start opens the source and fills the first block. After an error the transfer is over.
func (t *transfer) start(open func(context.Context) (Source, error)) error {
	err := t.open(open)
	if err == nil {
		err = t.fill()
		t.primed = true
	}
	if err == nil {
		return nil
	}
	err = t.because(err)
	t.conclude(err)
	return err
}

func (t *transfer) open(open func(context.Context) (Source, error)) (err error) {
	defer asError(&err)
	src, err := open(t.ctx)
	if err == nil {
		t.src = src
	}
	return err
}

// fill asks the source until there is a block or the file ends.
func (t *transfer) fill() error {
	buf := (*t.raw)[:0]
	defer func() { *t.raw = buf }()
	for len(buf) < blockSize && !t.ended {
		got, err := t.next(buf)
		switch {
		case err == io.EOF: //nolint:errorlint // a wrapped io.EOF is a lost connection, not the end
			if t.ctx.Err() != nil {
				// A query that was cancelled may look like one that came to its end.
				return context.Cause(t.ctx)
			}
			t.ended = true
		case err != nil:
			return err
		case len(got) <= len(buf):
			return errors.New("the source gave nothing and no end")
		}
		if len(got) > len(buf) {
			buf = got
		}
	}
	return nil
}

func (t *transfer) next(buf []byte) (got []byte, err error) {
	defer asError(&err)
	return t.src.Next(buf)
}

// because puts the reason in front of an error that only follows from it: a query fails because its context ended.
func (t *transfer) because(err error) error {
	if t.ctx.Err() == nil {
		return err
	}
	cause := context.Cause(t.ctx)
	if errors.Is(err, cause) {
		return err
	}
	return fmt.Errorf("%w: %w", cause, err)
}

// block is the next block to send; io.EOF after the last one.
func (t *transfer) block() ([]byte, error) {
	for t.err == nil {
		if !t.primed {
			if err := t.fill(); err != nil {
				t.fault = t.because(err)
				t.err = fmt.Errorf("stream: %w", t.fault)
				break
			}
		}
		t.primed = false
		if t.ended {
			t.err = io.EOF
		}
		out, err := *t.raw, error(nil)
		if t.enc != nil {
			out, err = t.enc.encode(*t.raw, t.ended)
		}
		if err != nil {
			t.fault = err
			t.err = fmt.Errorf("stream: %w", err)
			break
		}
		if len(out) > 0 {
			return out, nil
		}
	}
	return nil, t.err
}

// SupportsBodyWriteTo tells fasthttp that WriteTo does all that Read does.
func (t *transfer) SupportsBodyWriteTo() bool { return true }

// WriteTo sends the file; each Write is one chunk and has its own deadline.
func (t *transfer) WriteTo(w io.Writer) (int64, error) {
	for {
		b, err := t.block()
		if err != nil && err != io.EOF { //nolint:errorlint // the sticky end is io.EOF itself
			return t.sent, err
		}
		// Also before the chunk that ends the file: it may have to wait for room as well.
		if armErr := t.brk.arm(); armErr != nil {
			t.err = fmt.Errorf("stream: %w", armErr)
			return t.sent, t.err
		}
		if err != nil {
			t.whole = true
			return t.sent, nil //nolint:nilerr // it is io.EOF: the file is over
		}
		n, err := w.Write(b)
		t.sent += int64(n)
		if err != nil {
			t.err = fmt.Errorf("stream: %w", err)
			return t.sent, t.err
		}
	}
}

// Read is the same in fasthttp's other way of sending.
func (t *transfer) Read(p []byte) (int, error) {
	if len(t.rest) == 0 {
		b, err := t.block()
		if err == io.EOF { //nolint:errorlint // the sticky end is io.EOF itself
			t.whole = true
		}
		if err != nil {
			return 0, err
		}
		t.rest = b
	}
	if err := t.brk.arm(); err != nil {
		t.err = fmt.Errorf("stream: %w", err)
		t.rest = nil
		return 0, t.err
	}
	n := copy(p, t.rest)
	t.rest, t.sent = t.rest[n:], t.sent+int64(n)
	return n, nil
}
