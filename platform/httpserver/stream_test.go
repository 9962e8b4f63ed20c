package httpserver

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"

	"dg/platform/apperr"
)

// fakeSource yields bytes and then fails, ends, or blocks.
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

func (s *fakeSource) open(ctx context.Context) (Source, error) {
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

// streams serves each source under its name.
func streams(
	t *testing.T, o Options, so StreamOptions, sources map[string]*fakeSource,
) *testServer {
	so.ContentType = "text/csv; charset=utf-8"
	so.Gzip = true
	if so.Header == nil {
		so.Header = map[string]string{
			"Cache-Control":       "no-store",
			"Content-Disposition": "attachment",
		}
	}
	return serve(t, o, func(app *fiber.App) {
		app.Get("/:name", func(c *fiber.Ctx) error {
			return Stream(c, sources[c.Params("name")].open, so)
		})
	})
}

// wantEnding checks that the source was closed exactly once, after the end of its context.
func (s *fakeSource) wantEnding(t *testing.T, is error) {
	t.Helper()
	e := within10s(t, s.ended, "the source to be closed")
	if !errors.Is(e.err, is) || (is == nil) != (e.err == nil) {
		t.Errorf("the source was told %v, want %v", e.err, is)
	}
	if !e.ctxDead {
		t.Error("Close came before the context ended")
	}
	select {
	case e := <-s.ended:
		t.Errorf("closed twice: %v", e)
	default:
	}
}

func TestWholeFileArrives(t *testing.T) {
	finished := make(chan string, 1)
	sources := map[string]*fakeSource{}
	sizes := []int{0, 1, 64<<10 - 1, 64 << 10, 64<<10 + 1, 10 << 20}
	for _, n := range sizes {
		for _, enc := range []string{"", "gzip"} {
			sources[fmt.Sprint(enc, n)] = newFakeSource(noise(n), nil)
		}
	}
	b := streams(t, Options{}, StreamOptions{
		Finished: func(n int64, err error) { finished <- fmt.Sprint(n, err) },
	}, sources)
	for _, n := range sizes {
		for _, enc := range []string{"", "gzip"} {
			name := fmt.Sprint(enc, n)
			t.Run(name, func(t *testing.T) {
				a := b.get(t, "/"+name, "Accept-Encoding", enc)
				if a.err != nil || a.StatusCode != 200 || a.Header.Get("Content-Encoding") != enc {
					t.Fatalf("%d %v %v", a.StatusCode, a.err, a.Header)
				}
				if want := fmt.Sprint(len(a.body), error(nil)); within10s(t, finished,
					"Finished") != want {
					t.Errorf("Finished was not told %s", want)
				}
				body := a.body
				if enc == "gzip" {
					r, err := gzip.NewReader(strings.NewReader(a.body))
					require.NoError(t, err)
					plain, err := io.ReadAll(r)
					require.NoError(t, err)
					body = string(plain)
				}
				if sha256.Sum256([]byte(body)) != sha256.Sum256(noise(n)) {
					t.Errorf("%d bytes, not the file", len(body))
				}
				if a.Header.Get("Cache-Control") != "no-store, no-transform" ||
					a.Header.Get("X-Request-Id") == "" ||
					a.Header.Get("Vary") != "Authorization, Accept-Encoding" ||
					a.Header.Get("Content-Disposition") != "attachment" {
					t.Errorf("headers %v", a.Header)
				}
				sources[name].wantEnding(t, nil)
			})
		}
	}
}

var errRows = errors.New("the rows broke")

// rules.md, CSV: a transfer that breaks off is an error of the client.
func TestLateErrorBreaksTheStream(t *testing.T) {
	ends := map[string]func(context.Context) error{
		"error":       func(context.Context) error { return errRows },
		"wrapped-eof": func(context.Context) error { return fmt.Errorf("%w: %w", errRows, io.EOF) },
		"panic":       func(context.Context) error { panic(errRows) },
		"nothing":     func(context.Context) error { return nil },
	}
	for name, end := range ends {
		for _, enc := range []string{"", "gzip"} {
			for _, size := range []int{64 << 10, 300_000} {
				t.Run(fmt.Sprint(name, enc, size), func(t *testing.T) {
					forGo := newFakeSource(noise(size), end)
					forCurl := newFakeSource(noise(size), end)
					b := streams(t, Options{}, StreamOptions{},
						map[string]*fakeSource{"go": forGo, "curl": forCurl})
					a := b.get(t, "/go", "Accept-Encoding", enc)
					if a.StatusCode != 200 || !errors.Is(a.err, syscall.ECONNRESET) {
						t.Errorf("Go's client saw %d, %v", a.StatusCode, a.err)
					}
					e := within10s(t, forGo.ended, "the source to be closed")
					if e.err == nil || errors.Is(e.err, ErrClientGone) ||
						errors.Is(e.err, errRows) != (name == "error" || name == "wrapped-eof") {
						t.Errorf("the source was told %v", e.err)
					}
					if exit := curl(t, b.url+"/curl", enc); exit != 56 {
						t.Errorf("curl left with %d, want 56", exit)
					}
				})
			}
		}
	}
}

// curl returns curl's exit code, 56 after a reset.
func curl(t *testing.T, url, enc string) int {
	t.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("curl is missing")
		}
		t.Skip("curl is missing")
	}
	args := []string{"-s", "-o", os.DevNull, "-m", "20", url}
	if enc != "" {
		// not --compressed, whose own exit code would win
		args = append(args, "-H", "Accept-Encoding: "+enc)
	}
	err := exec.CommandContext(t.Context(), "curl", args...).Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	require.NoError(t, err)
	return 0
}

func TestEarlyErrorIsAnErrorResponse(t *testing.T) {
	denied := apperr.New(apperr.Validation, "Give a shorter period.")
	t.Run("at the first block", func(t *testing.T) {
		s := newFakeSource(noise(60_000), func(context.Context) error { return denied })
		b := streams(t, Options{}, StreamOptions{}, map[string]*fakeSource{"x": s})
		a := b.get(t, "/x", "Accept-Encoding", "gzip")
		a.wantError(t, 400, "invalid-argument", "ERR_VALIDATION")
		if a.Header.Get("Content-Disposition") != "" || a.Header.Get("Content-Encoding") != "" {
			t.Errorf("headers of the file: %v", a.Header)
		}
		s.wantEnding(t, denied)
	})
	t.Run("at open", func(t *testing.T) {
		for want, open := range map[int]func(context.Context) (Source, error){
			400: func(context.Context) (Source, error) { return nil, denied },
			500: func(context.Context) (Source, error) { panic("internals") },
		} {
			b := serve(t, Options{}, func(app *fiber.App) {
				app.Get("/", func(c *fiber.Ctx) error { return Stream(c, open, StreamOptions{}) })
			})
			if a := b.get(t, "/"); a.StatusCode != want || strings.Contains(a.body, "internals") {
				t.Errorf("%d %s", a.StatusCode, a.body)
			}
		}
	})
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
	b.get(t, "/x").wantError(t, 503, "unavailable", "ERR_UNAVAILABLE")
	s.wantEnding(t, ErrClientGone)
}

func TestHTTP10GetsNoFile(t *testing.T) {
	s := newFakeSource(noise(10), nil)
	b := streams(t, Options{}, StreamOptions{}, map[string]*fakeSource{"x": s})
	b.raw(t, "GET /x HTTP/1.0\r\n\r\n").wantError(t, 505, "invalid-argument", "ERR_VALIDATION")
	if s.ctx != nil {
		t.Error("the source was opened")
	}
}

func TestHeadSendsTheHeadersAndOpensNothing(t *testing.T) {
	s := newFakeSource(noise(10), nil)
	b := streams(t, Options{}, StreamOptions{}, map[string]*fakeSource{"x": s})
	a := b.do(t, http.MethodHead, "/x", "Accept-Encoding", "gzip")
	if a.StatusCode != 200 || a.body != "" ||
		a.Header.Get("Content-Type") != "text/csv; charset=utf-8" ||
		a.Header.Get("Content-Encoding") != "gzip" || a.Header.Get("Content-Length") != "" {
		t.Errorf("%d %v", a.StatusCode, a.Header)
	}
	c := b.dial(t)
	const again = " /x HTTP/1.1\r\nHost: x\r\n"
	_, _ = io.WriteString(c, "HEAD"+again+"\r\nHEAD"+again+"Connection: close\r\n\r\n")
	all, _ := io.ReadAll(c)
	if bytes.Count(all, []byte("HTTP/1.1 200 OK\r\n")) != 2 ||
		bytes.Count(all, []byte("\r\n\r\n")) != 2 ||
		!bytes.HasSuffix(all, []byte("\r\n\r\n")) || bytes.Contains(all, []byte("\r\n\r\n\r\n")) {
		t.Errorf("stray bytes: %q", all)
	}
	if s.ctx != nil {
		t.Error("the source was opened")
	}
}
