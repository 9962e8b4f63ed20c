package body

import (
	"context"
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var errStopped = errors.New("stopped")

func TestExpiredWriteDeadlineStaysExpired(t *testing.T) {
	ours, theirs := net.Pipe()
	defer ours.Close()
	defer theirs.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	d := newDeadline(ctx, ours, time.Hour)
	require.NoError(t, d.extend())
	blocked := make(chan error, 1)
	go func() {
		_, err := ours.Write([]byte("nobody reads this"))
		blocked <- err
	}()
	cancel(errStopped)
	if err := <-blocked; !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the write ended with %v", err)
	}
	if err := d.extend(); !errors.Is(err, errStopped) {
		t.Errorf("armed again after the end: %v", err)
	}
}

// The next response on the connection has its own deadline.
func TestReleasedWriteDeadlineLeavesTheConnectionAlone(t *testing.T) {
	ours, theirs := net.Pipe()
	defer ours.Close()
	defer theirs.Close()
	ctx, cancel := context.WithCancel(t.Context())
	d := newDeadline(ctx, ours, time.Hour)
	require.NoError(t, d.extend())
	d.release(true)
	cancel()
	d.expire() // as one that was already under way when the answer ended
	go func() { _, _ = theirs.Read(make([]byte, 8)) }()
	if _, err := ours.Write([]byte("next")); err != nil {
		t.Errorf("the next answer: %v", err)
	}
}
