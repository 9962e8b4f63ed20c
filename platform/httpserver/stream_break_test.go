package httpserver

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
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

func (s endlessSource) Next(buf []byte) ([]byte, error) {
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

func TestStalledClientIsCutOff(t *testing.T) {
	b, s := rowsForever(t, Options{}, StreamOptions{WriteTimeout: 200 * time.Millisecond})
	b.begin(t, "/x")
	s.wantEnding(t, ErrClientStalled)
	eventually(t, "the log line", func() bool {
		return strings.Contains(b.logs.String(), "it stopped reading")
	})
}

// A steady client is served however long the whole file takes.
func TestSlowSteadyReaderGetsTheWholeFile(t *testing.T) {
	s := newFakeSource(noise(4<<20), nil)
	b := streams(t, Options{}, StreamOptions{WriteTimeout: time.Second},
		map[string]*fakeSource{"x": s})
	c := b.dial(t)
	// above loopback's segment size, or the sender stalls
	_ = c.(*net.TCPConn).SetReadBuffer(256 << 10)
	began := time.Now()
	_, _ = io.WriteString(c, "GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	all := slowly(t, c, 64<<10, 40*time.Millisecond)
	if took := time.Since(began); took < 1500*time.Millisecond {
		t.Fatalf("not slow: %s", took)
	}
	resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(all)), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil || !bytes.Equal(got, noise(4<<20)) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	s.wantEnding(t, nil)
}

// rules.md, CSV: a running export is broken off when its key is revoked.
func TestEndedContextBreaksAStream(t *testing.T) {
	revoked := errors.New("the key was revoked")
	for name, slow := range map[string]bool{"in a write": false, "in a query": true} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			s := endless()
			b := serve(t, Options{},
				streamRoute(StreamOptions{Context: ctx, WriteTimeout: time.Minute},
					func(ctx context.Context) (Source, error) {
						s.ctx = ctx
						if slow {
							s.rest = noise(64 << 10)
							s.then = blocked
							return s, nil
						}
						return endlessSource{s}, nil
					}))
			c := b.begin(t, "/x")
			if !slow {
				eventually(t, "the write to block", func() bool { return writeIsBlocked(b) })
			}
			cancel(revoked)
			s.wantEnding(t, revoked) // long before the write would time out
			if _, err := io.ReadAll(c); !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("the client saw %v", err)
			}
		})
	}
}

func TestDeadlineBreaksAStream(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	b, s := rowsForever(t, Options{}, StreamOptions{Context: ctx})
	a := b.get(t, "/x")
	if !errors.Is(a.err, syscall.ECONNRESET) {
		t.Errorf("the client saw %v", a.err)
	}
	s.wantEnding(t, context.DeadlineExceeded)
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
