package httpserver

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"

	"dg/platform/apperr"
	"dg/platform/httpserver/body"
)

// fakeSource yields bytes, and then ends, fails or blocks.
type fakeSource struct {
	ctx   context.Context
	rest  []byte
	step  int
	then  func(ctx context.Context) error // what comes after the bytes; nil is the end
	ended chan ending
}

// ending is what a source got at its Close.
type ending struct {
	err     error
	ctxDead bool
}

func newFakeSource(body []byte, then func(context.Context) error) *fakeSource {
	return &fakeSource{rest: body, step: 7000, then: then, ended: make(chan ending, 2)}
}

func (s *fakeSource) open(ctx context.Context) (body.Source, error) {
	s.ctx = ctx
	return s, nil
}

func (s *fakeSource) AppendNext(buf []byte) ([]byte, error) {
	if len(s.rest) == 0 {
		if s.then == nil {
			return buf, io.EOF
		}
		return buf, s.then(s.ctx)
	}
	n := min(s.step, len(s.rest))
	buf = append(buf, s.rest[:n]...)
	s.rest = s.rest[n:]
	return buf, nil
}

func (s *fakeSource) Close(err error) { s.ended <- ending{err, s.ctx.Err() != nil} }

// blocked is a slow query: it returns only when its context ends.
func blocked(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

func noise(n int) []byte {
	b := make([]byte, n)
	r := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range b {
		b[i] = "0123456789abcdef\n"[r.IntN(17)]
	}
	return b
}

// streams serves the source under /x, as a file that may be compressed.
func streams(t *testing.T, so StreamOptions, source *fakeSource) *testServer {
	so.ContentType = "text/csv; charset=utf-8"
	so.Gzip = true
	so.Header = map[string]string{
		"Cache-Control":       "no-store",
		"Content-Disposition": "attachment",
	}
	return serve(t, Options{}, streamRoute(so, source.open))
}

// streamRoute serves one stream under /x.
func streamRoute(so StreamOptions, open func(context.Context) (body.Source, error)) func(*fiber.App) {
	return func(app *fiber.App) {
		app.Get("/x", func(c *fiber.Ctx) error { return Stream(c, open, so) })
	}
}

// wantEnding checks that the source was closed exactly once, after the end of its context.
func (s *fakeSource) wantEnding(t *testing.T, is error) {
	t.Helper()
	e := within10s(t, s.ended, "the source to be closed")
	require.ErrorIs(t, e.err, is)
	require.True(t, e.ctxDead, "Close came before the context ended")
	require.Empty(t, s.ended, "closed twice")
}

func TestWholeFileArrives(t *testing.T) {
	for _, size := range []int{0, 1, 64<<10 - 1, 64 << 10, 64<<10 + 1, 10 << 20} {
		for _, enc := range []string{"", "gzip"} {
			t.Run(fmt.Sprint(enc, size), func(t *testing.T) {
				finished := make(chan string, 1)
				source := newFakeSource(noise(size), nil)
				b := streams(t, StreamOptions{
					Finished: func(n int64, err error) { finished <- fmt.Sprint(n, err) },
				}, source)
				a := b.get(t, "/x", "Accept-Encoding", enc)
				require.NoError(t, a.err)
				require.Equal(t, 200, a.StatusCode)
				require.Equal(t, fmt.Sprint(len(a.body), error(nil)), within10s(t, finished, "Finished"))
				require.True(t, bytes.Equal(noise(size), a.plain(t)), "it is not the file")
				a.wantHeader(t, map[string]string{
					"Content-Encoding":    enc,
					"Cache-Control":       "no-store, no-transform",
					"Vary":                "Authorization, Accept-Encoding",
					"Content-Disposition": "attachment",
				})
				require.NotEmpty(t, a.Header.Get("X-Request-Id"))
				source.wantEnding(t, nil)
			})
		}
	}
}

func TestEarlyErrorIsAnErrorResponse(t *testing.T) {
	denied := apperr.New(apperr.Validation, "Give a shorter period.")
	s := newFakeSource(noise(60_000), func(context.Context) error { return denied })
	a := streams(t, StreamOptions{}, s).get(t, "/x", "Accept-Encoding", "gzip")
	a.wantError(t, 400)
	require.Empty(t, a.Header.Get("Content-Disposition")+a.Header.Get("Content-Encoding"))
	s.wantEnding(t, denied)
	for want, open := range map[int]func(context.Context) (body.Source, error){
		400: func(context.Context) (body.Source, error) { return nil, denied },
		500: func(context.Context) (body.Source, error) { panic("internals") },
	} {
		a := serve(t, Options{}, streamRoute(StreamOptions{}, open)).get(t, "/x")
		a.wantError(t, want)
		require.NotContains(t, a.body, "internals")
	}
}

// Middleware may fail after the handler has set a file.
func TestUnsentFileIsClosed(t *testing.T) {
	s := newFakeSource(noise(200_000), nil)
	b := serve(t, Options{}, func(app *fiber.App) {
		app.Use(func(c *fiber.Ctx) error {
			if err := c.Next(); err != nil {
				return err
			}
			return apperr.New(apperr.Unavailable, "The audit could not be written.")
		})
		app.Get("/x", func(c *fiber.Ctx) error { return Stream(c, s.open, StreamOptions{}) })
	})
	b.get(t, "/x").wantError(t, 503)
	s.wantEnding(t, body.ErrClientGone)
}

// HTTP/1.0 gets no file, HEAD its headers without stray bytes. Neither opens the source.
func TestRequestWithoutABodyOpensNothing(t *testing.T) {
	s := newFakeSource(noise(10), nil)
	b := streams(t, StreamOptions{}, s)
	b.raw(t, "GET /x HTTP/1.0\r\n\r\n").wantError(t, 505)
	a := b.do(t, http.MethodHead, "/x", "Accept-Encoding", "gzip")
	require.Equal(t, 200, a.StatusCode)
	a.wantHeader(t, map[string]string{
		"Content-Type":     "text/csv; charset=utf-8",
		"Content-Encoding": "gzip",
		"Content-Length":   "",
	})
	c := b.dial(t)
	_, _ = io.WriteString(c, "HEAD /x"+host+"\r\nHEAD /x"+host+"Connection: close\r\n\r\n")
	all, _ := io.ReadAll(c)
	require.Regexp(t, `^(HTTP/1\.1 200 OK\r\n([A-Z][^\r\n]*\r\n)+\r\n){2}$`, string(all))
	require.Nil(t, s.ctx)
}

// Work that takes longer than AnswerTimeout gets 503, also a stream without a first block. A stream
// that has begun may take longer.
func TestAnswerBeginsWithinItsTimeout(t *testing.T) {
	const limit = 200 * time.Millisecond
	late := &fakeSource{ended: make(chan ending, 1), then: blocked}
	begun := &fakeSource{
		ended: make(chan ending, 1),
		rest:  noise(body.BlockSize),
		step:  body.BlockSize,
		then: func(ctx context.Context) error {
			select {
			case <-time.After(2 * limit): // longer than an answer may take to begin
				return io.EOF
			case <-ctx.Done():
				return ctx.Err()
			}
		},
	}
	s := serve(t, Options{AnswerTimeout: limit}, func(app *fiber.App) {
		app.Get("/work", func(c *fiber.Ctx) error { return blocked(c.UserContext()) })
		app.Get("/late", func(c *fiber.Ctx) error { return Stream(c, late.open, StreamOptions{}) })
		app.Get("/begun", func(c *fiber.Ctx) error {
			return Stream(c, begun.open, StreamOptions{})
		})
	})
	for path, want := range map[string]int{"/work": 503, "/late": 503, "/begun": 200} {
		a := s.get(t, path)
		require.NoError(t, a.err)
		require.Equal(t, want, a.StatusCode, path)
	}
	late.wantEnding(t, context.DeadlineExceeded)
	begun.wantEnding(t, nil)
}
