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
	_, err := io.ReadFull(c, make([]byte, 1000))
	require.NoError(t, err)
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

func TestDisconnectIsNoticed(t *testing.T) {
	t.Parallel()
	for name, yields := range map[string]int{
		"before the first row": 0, "after the first block": 64 << 10, "while rows flow": -1,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := newFakeSource(noise(max(0, yields)), blocked)
			opened := make(chan struct{})
			b := serve(t, Options{},
				streamRoute(StreamOptions{Gzip: true}, func(ctx context.Context) (body.Source, error) {
					fake.ctx = ctx
					close(opened)
					if yields < 0 {
						return endlessSource{fake}, nil
					}
					return fake, nil
				}))
			c := b.dial(t)
			_, _ = io.WriteString(c, "GET /x"+host+"\r\n")
			within10s(t, opened, "the source to be opened")
			c.Close()
			fake.wantEnding(t, body.ErrClientGone)
		})
	}
}

// A cancelled query may yield no more rows without an error. The file must not look complete.
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
