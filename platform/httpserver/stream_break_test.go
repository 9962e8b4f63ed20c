package httpserver

import (
	"context"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"

	"dg/platform/httpserver/body"

	"github.com/stretchr/testify/require"
)

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
	s := newFakeSource(nil, nil)
	return serve(t, o, streamRoute(so, func(ctx context.Context) (body.Source, error) {
		s.ctx = ctx
		return endlessSource{s}, nil
	})), s
}

// Before the first row, between blocks and while rows flow.
func TestDisconnectIsNoticed(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]body.Source{
		"before the first row":  newFakeSource(nil, blocked),
		"after the first block": newFakeSource(noise(64<<10), blocked),
		"while rows flow":       endlessSource{newFakeSource(nil, nil)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake, isFake := source.(*fakeSource)
			if !isFake {
				fake = source.(endlessSource).fakeSource
			}
			opened := make(chan struct{})
			b := serve(t, Options{},
				streamRoute(StreamOptions{Gzip: true}, func(ctx context.Context) (body.Source, error) {
					fake.ctx = ctx
					close(opened)
					return source, nil
				}))
			c := b.dial(t)
			_, _ = io.WriteString(c, "GET /x"+host+"\r\n")
			within10s(t, opened, "the source to be opened")
			c.Close()
			fake.wantEnding(t, body.ErrClientGone)
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
		a := streams(t, StreamOptions{Context: ctx}, s).get(t, "/x")
		if size < body.BlockSize {
			a.wantError(t, 503)
		} else {
			require.ErrorIs(t, a.err, syscall.ECONNRESET)
		}
		s.wantEnding(t, context.Canceled)
	}
}

func TestPanicInCloseIsLogged(t *testing.T) {
	closed := make(chan struct{}, 2)
	b := serve(t, Options{}, streamRoute(StreamOptions{Finished: func(int64, error) {
		closed <- struct{}{}
		panic("in Finished")
	}}, func(ctx context.Context) (body.Source, error) {
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
