package httpserver

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"
)

func TestAcceptEncoding(t *testing.T) {
	for accept, want := range map[string]bool{
		"":                  false,
		"gzip":              true,
		"GZIP":              true,
		"x-gzip":            true,
		"br, gzip, deflate": true,
		"br":                false,
		"identity":          false,
		"gzip;q=0":          false,
		"gzip;q=0.0":        false,
		"gzip; q=0.001":     true,
		"gzip;q=1.000":      true,
		"gzip ; Q=0.5":      true,
		"gzip;q=0.5, *;q=0": true,
		"gzip;q=x":          false,
		"gzip;q=2":          false,
		"gzipped":           false,
		",,gzip,":           true,
		"*":                 false,
	} {
		h := &fasthttp.RequestHeader{}
		h.Set(fiber.HeaderAcceptEncoding, accept)
		require.Equal(t, want, acceptsGzip(h), accept)
	}
}

func jsonServer(t *testing.T, body []byte) *testServer {
	return serve(t, Options{}, func(app *fiber.App) {
		app.All("/j", func(c *fiber.Ctx) error {
			tag := ETag(c, "org1", "7")
			if NotModified(c, tag) {
				return SendNotModified(c, tag)
			}
			return SendJSON(c, body, tag, nil)
		})
	})
}

func TestJSONWithTagAndCompression(t *testing.T) {
	body := []byte(`{"items":"` + strings.Repeat("abcdefgh", 1000) + `"}`)
	b := jsonServer(t, body)

	plain := b.get(t, "/j")
	require.Equal(t, string(body), plain.body)
	require.Empty(t, plain.Header.Get("Content-Encoding"))
	zipped := b.get(t, "/j", "Accept-Encoding", "gzip")
	require.Equal(t, body, zipped.plain(t))
	for _, a := range []answer{plain, zipped} {
		a.wantHeader(t, map[string]string{
			"Vary":          "Authorization, Accept-Encoding",
			"Cache-Control": "private, no-cache",
			"Content-Type":  "application/json; charset=utf-8",
		})
	}
	tag := plain.Header.Get("ETag")
	ztag := zipped.Header.Get("ETag")
	require.Regexp(t, `^"[^"]+"$`, tag)
	require.Equal(t, strings.TrimSuffix(tag, `"`)+`-gzip"`, ztag)
	for _, c := range []struct {
		method, accept, match string
		status                int
	}{
		{"GET", "", tag, 304}, {"HEAD", "", tag, 304}, {"GET", "", "W/" + tag, 304},
		{"GET", "", "*", 304},
		{"GET", "", `"x", ` + tag, 304}, {"GET", "gzip", ztag, 304}, {"GET", "gzip", tag, 200},
		{"GET", "", ztag, 200},
		{"GET", "", `"x"`, 200},
	} {
		a := b.do(t, c.method, "/j", "Accept-Encoding", c.accept, "If-None-Match", `"other,"`,
			"If-None-Match", c.match)
		require.Equal(t, c.status, a.StatusCode, "%+v", c)
		if a.StatusCode == 304 {
			require.Empty(t, a.body+a.Header.Get("Content-Type"))
			require.NotEmpty(t, a.Header.Get("X-Request-Id"))
			a.wantHeader(t, map[string]string{
				"ETag":          map[string]string{"": tag, "gzip": ztag}[c.accept],
				"Vary":          "Authorization, Accept-Encoding",
				"Cache-Control": "private, no-cache",
			})
		}
	}
	dated := b.get(t, "/j", "If-Modified-Since", "Fri, 31 Dec 2199 00:00:00 GMT")
	require.Equal(t, 200, dated.StatusCode)
	head := b.do(t, "HEAD", "/j", "Accept-Encoding", "gzip")
	require.Empty(t, head.body)
	for _, k := range []string{
		"Content-Length", "Content-Encoding", "ETag", "Content-Type", "Vary", "Cache-Control",
	} {
		require.Equal(t, zipped.Header.Get(k), head.Header.Get(k), k)
	}
}

// A body of megabytes is sent in blocks with its length. Its end is told once.
func TestLargeBodyHasItsLength(t *testing.T) {
	body := bytes.Repeat([]byte("0123456789abcdef"), 4<<20/16)
	sent := make(chan struct{}, 2)
	b := serve(t, Options{}, func(app *fiber.App) {
		app.Get("/j", func(c *fiber.Ctx) error {
			return SendJSON(c, body, "", func() { sent <- struct{}{} })
		})
	})
	a := b.get(t, "/j")
	a.wantHeader(t, map[string]string{"Content-Length": "4194304"})
	require.True(t, bytes.Equal(body, []byte(a.body)))
	eventually(t, "the log line", func() bool {
		return strings.Contains(b.logs.String(), `"bytes":4194304`)
	})
	require.Len(t, sent, 1)
}
