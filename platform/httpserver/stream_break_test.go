package httpserver

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"dg/platform/httpserver/body"
)

// endless returns the fakeSource of an endlessSource.
func endless() *fakeSource { return newFakeSource(nil, nil) }

// endlessSource yields rows without end, at the speed of the client.
type endlessSource struct{ *fakeSource }

func (s endlessSource) AppendNext(buf []byte) ([]byte, error) {
	return append(buf, someNoise...), nil
}

// someNoise is longer than gzip's window, so that its repetition does not compress.
var someNoise = noise(64 << 10)

// begin asks for a stream and reads its headers and first bytes.
func (b *testServer) begin(t *testing.T, path string, header ...string) net.Conn {
	t.Helper()
	c := b.dial(t)
	_, _ = io.WriteString(c,
		"GET "+path+" HTTP/1.1\r\nHost: x\r\n"+strings.Join(append(header, ""), "\r\n")+"\r\n")
	if _, err := io.ReadFull(c, make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	return c
}

// rowsForever serves an endless stream under /x.
func rowsForever(t *testing.T, o Options, so StreamOptions) (*testServer, *fakeSource) {
	s := endless()
	return serve(t, o, streamRoute(so, func(ctx context.Context) (Source, error) {
		s.ctx = ctx
		return endlessSource{s}, nil
	})), s
}

func TestDisconnectIsNoticedWhileRowsFlow(t *testing.T) {
	for _, header := range [][]string{nil, {"Accept-Encoding: gzip"}} {
		b, s := rowsForever(t, Options{}, StreamOptions{Gzip: true})
		c := b.begin(t, "/x", header...)
		left := time.Now()
		c.Close()
		s.wantEnding(t, ErrClientGone)
		if took := time.Since(left); took > 300*time.Millisecond {
			t.Errorf("noticed after %s", took)
		}
	}
}

func TestDisconnectIsNoticedDuringASlowQuery(t *testing.T) {
	for name, size := range map[string]int{
		"before the first row":  0,
		"after the first block": 64 << 10,
	} {
		t.Run(name, func(t *testing.T) {
			s := newFakeSource(noise(size), blocked)
			opened := make(chan struct{})
			b := serve(t, Options{},
				streamRoute(StreamOptions{}, func(ctx context.Context) (Source, error) {
					close(opened)
					return s.open(ctx)
				}))
			c := b.dial(t)
			_, _ = io.WriteString(c, "GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
			within10s(t, opened, "the source to be opened")
			left := time.Now()
			c.Close()
			s.wantEnding(t, ErrClientGone)
			if took := time.Since(left); took > 2*time.Second {
				t.Errorf("noticed after %s", took)
			}
		})
	}
}

// A cancelled query may just stop yielding rows: the file must not look whole.
func TestCancelledQueryIsNotTheEndOfTheFile(t *testing.T) {
	for _, size := range []int{10, 64 << 10} {
		ctx, cancel := context.WithCancel(t.Context())
		s := newFakeSource(noise(size), func(ctx context.Context) error {
			cancel()
			<-ctx.Done()
			return io.EOF
		})
		b := streams(t, Options{}, StreamOptions{Context: ctx}, map[string]*fakeSource{"x": s})
		a := b.get(t, "/x")
		if size < body.BlockSize {
			a.wantError(t, 503, "unavailable", "ERR_UNAVAILABLE")
		} else if !errors.Is(a.err, syscall.ECONNRESET) {
			t.Errorf("the client saw %v", a.err)
		}
		s.wantEnding(t, context.Canceled)
	}
}

func TestPanicInCloseIsLogged(t *testing.T) {
	closed := make(chan struct{}, 2)
	b := serve(t, Options{}, streamRoute(StreamOptions{Finished: func(int64, error) {
		closed <- struct{}{}
		panic("in Finished")
	}}, func(ctx context.Context) (Source, error) {
		return panicky{endlessSource{&fakeSource{ctx: ctx}}}, nil
	}))
	b.begin(t, "/x").Close()
	within10s(t, closed, "Finished")
	eventually(t, "two panics in the log", func() bool {
		return strings.Count(b.logs.String(), `"panic in `) == 2
	})
}

type panicky struct{ endlessSource }

func (panicky) Close(error) { panic("in Close") }
