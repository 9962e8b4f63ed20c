package httpserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/gofiber/fiber/v2"
)

// CloseWithError is called by fasthttp when the answer is out, with the error of writing it. (A plain Close would
// not be told.) A panic here would end the process.
func (t *transfer) CloseWithError(writeErr error) error {
	outcome := t.outcome(writeErr)
	t.conclude(outcome)
	t.x.end(fiber.StatusOK, t.sent, outcome)
	return outcome
}

// outcome says what became of the file.
func (t *transfer) outcome(writeErr error) error {
	switch {
	case t.whole && writeErr == nil:
		return nil
	case t.fault != nil:
		return t.fault
	case t.ctx.Err() != nil:
		return context.Cause(t.ctx)
	case writeErr == nil:
		return ErrClientGone // never sent
	case errors.Is(writeErr, os.ErrDeadlineExceeded):
		return ErrClientStalled
	default:
		return fmt.Errorf("%w: %w", ErrClientGone, writeErr)
	}
}

// conclude ends the transfer, once.
func (t *transfer) conclude(outcome error) {
	t.once.Do(func() {
		t.brk.release()   // before cancel, which would trip it: the answer's last bytes are still to go
		t.cancel(outcome) // before Close: closing rows reads the rest of them unless their context has ended
		t.unhook()
		if t.src != nil {
			t.quietly("closing a source", func() { t.src.Close(outcome) })
			if t.opts.Finished != nil {
				t.quietly("finishing a stream", func() { t.opts.Finished(t.sent, outcome) })
			}
		}
		if t.enc != nil {
			t.enc.release()
		}
		blocks.Put(t.raw)
	})
}

// quietly keeps a panic from ending the process.
func (t *transfer) quietly(what string, f func()) {
	defer func() {
		if p := recover(); p != nil {
			t.x.srv.log.Error("panic in "+what, "request_id", t.x.id,
				"panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		}
	}()
	f()
}

// asError turns a panic into an error. It is deferred.
func asError(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("panic in the source: %v\n%s", p, debug.Stack())
	}
}
