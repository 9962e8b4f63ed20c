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
	require.ErrorIs(t, <-blocked, os.ErrDeadlineExceeded)
	require.ErrorIs(t, d.extend(), errStopped)
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
	d.expire() // a call that began before release
	go func() { _, _ = theirs.Read(make([]byte, 8)) }()
	_, err := ours.Write([]byte("next"))
	require.NoError(t, err)
}
