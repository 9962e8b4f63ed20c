package httpserver

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"

	"dg/platform/httpserver/body"
)

func TestAcceptEncoding(t *testing.T) {
	for accept, want := range map[string]bool{
		"":                           false,
		"gzip":                       true,
		"GZIP":                       true,
		"x-gzip":                     true,
		"br, gzip, deflate":          true,
		"br":                         false,
		"identity":                   false,
		"gzip;q=0":                   false,
		"gzip;q=0.0":                 false,
		"gzip; q=0.001":              true,
		"gzip;q=1.000":               true,
		"gzip ; Q=0.5":               true,
		"*":                          true,
		"*;q=0":                      false,
		"*;q=0.5, gzip;q=0":          false,
		"gzip;q=0.5, *;q=0":          true,
		"gzip;q=0.5, identity":       false,
		"gzip;q=0.5, identity;q=0.5": true,
		"identity;q=0.5, *":          true,
		"gzip;q=x":                   false,
		"gzip;q=-1":                  false,
		"gzip;q=2":                   false,
		"gzip;q=NaN":                 false,
		"gzipped":                    false,
		",,gzip,":                    true,
	} {
		require.Equal(t, want, prefersGzip(accept), accept)
	}
}

func TestIfNoneMatchIsComparedWeakly(t *testing.T) {
	for want, lists := range map[bool][]string{
		true: {`"a"`, `W/"a"`, `"b", "a"`, `"b","c" , W/"a"`, `*`, `"a,b", "a"`, `, ,"a"`},
		false: {
			``, `a`, `"a`, `"b"`, `"A"`, `"a,b"`, `"b,"a""`, `w/"a"`, `"b", *`,
		},
	} {
		for _, list := range lists {
			require.Equal(t, want, listHasTag(list, `"a"`), list)
		}
	}
}

func jsonServer(t *testing.T, body []byte) *testServer {
	return serve(t, Options{}, func(app *fiber.App) {
		app.All("/j", func(c *fiber.Ctx) error {
			tag := ETag(c, "org1", "7")
			if NotModified(c, tag) {
				return SendNotModified(c, tag)
			}
			return SendJSON(c, body, JSONOptions{ETag: tag})
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
		{"GET", "", `"x"`, 200}, {"POST", "", tag, 200},
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

func TestETagDiffersByVersions(t *testing.T) {
	b := serve(t, Options{}, func(app *fiber.App) {
		app.Get("/a", func(c *fiber.Ctx) error { return c.SendString(ETag(c, "ab", "c")) })
		app.Get("/b", func(c *fiber.Ctx) error { return c.SendString(ETag(c, "a", "bc")) })
		app.Get("/c", func(c *fiber.Ctx) error { return c.SendString(ETag(c, "abc")) })
	})
	tags := map[string]bool{
		b.get(t, "/a").body: true,
		b.get(t, "/b").body: true,
		b.get(t, "/c").body: true,
	}
	require.Len(t, tags, 3)
}

// A body of megabytes has more than one write deadline.
func TestLargeBodyReachesSlowReader(t *testing.T) {
	body := bytes.Repeat([]byte("0123456789abcdef"), 4<<20/16)
	b := serve(t, Options{WriteTimeout: time.Second}, func(app *fiber.App) {
		app.Get("/j", func(c *fiber.Ctx) error { return SendJSON(c, body, JSONOptions{}) })
	})
	c := b.dial(t)
	// above loopback's segment size, or the sender stalls
	_ = c.(*net.TCPConn).SetReadBuffer(256 << 10)
	_, _ = io.WriteString(c, "GET /j HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	got := slowly(t, c, 64<<10, 40*time.Millisecond)
	_, rest, _ := strings.Cut(string(got), "\r\n\r\n")
	require.Len(t, rest, len(body))
	require.True(t, bytes.Equal(body, []byte(rest)))
	eventually(t, "the log line", func() bool {
		return strings.Contains(b.logs.String(), `"bytes":4194304`)
	})
}

// slowly reads size bytes at a time, with a rest in between.
func slowly(t *testing.T, c net.Conn, size int, rest time.Duration) []byte {
	t.Helper()
	var all []byte
	buf := make([]byte, size)
	tick := time.NewTicker(rest)
	defer tick.Stop()
	for {
		n, err := io.ReadFull(c, buf)
		all = append(all, buf[:n]...)
		if err != nil {
			return all
		}
		<-tick.C
	}
}

// counted makes n pieces of 100 bytes. The piece with the number broken panics.
func counted(n, broken int) func() body.Pieces {
	return func() body.Pieces {
		i := 0
		return func(b []byte) []byte {
			if i == broken {
				panic("no")
			}
			if i++; i > n {
				return b
			}
			return fmt.Appendf(b, "%099d\n", i)
		}
	}
}

func whole(n int) string {
	var b []byte
	for pieces, had := counted(n, -1)(), -1; len(b) > had; {
		had = len(b)
		b = pieces(b)
	}
	return string(b)
}

func piecesServer(t *testing.T) *testServer {
	return serve(t, Options{}, func(app *fiber.App) {
		app.Get("/:n/:broken", func(c *fiber.Ctx) error {
			n, _ := c.ParamsInt("n")
			broken, _ := c.ParamsInt("broken")
			return SendJSONPieces(c, counted(n, broken), 0)
		})
	})
}

// askPieces requests a body over a new connection. The answer has the decompressed part that came,
// and the error that ended it.
func (s *testServer) askPieces(t *testing.T, path, protocol, accept string) answer {
	t.Helper()
	c := s.dial(t)
	_, _ = fmt.Fprintf(c,
		"GET %s %s\r\nHost: x\r\nAccept-Encoding: %s\r\nConnection: close\r\n\r\n",
		path, protocol, accept)
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	require.NoError(t, err)
	if response.Header.Get("Content-Encoding") == "gzip" {
		if response.Body, err = gzip.NewReader(response.Body); err != nil {
			return answer{Response: response, err: err}
		}
	}
	return readAnswer(response)
}

// A small body is sent with its length, a large one in chunks, or with a length over HTTP/1.0. Its
// content is the same.
func TestBodyOfPieces(t *testing.T) {
	b := piecesServer(t)
	for _, n := range []int{0, 1, 600, body.BlockSize / 100, body.BlockSize/100 + 1, 20_000} {
		for _, protocol := range []string{"HTTP/1.0", "HTTP/1.1"} {
			for _, accept := range []string{"identity", "gzip"} {
				name := fmt.Sprintf("%d pieces, %s, %s", n, protocol, accept)
				a := b.askPieces(t, fmt.Sprintf("/%d/-1", n), protocol, accept)
				require.NoError(t, a.err, name)
				require.Equal(t, whole(n), a.body, name)
				chunked := n*100 >= body.BlockSize && protocol == "HTTP/1.1"
				require.Equal(t, chunked, a.ContentLength < 0, name)
				require.Equal(t, cachePrivate, a.Header.Get("Cache-Control"), name)
				require.Equal(t, accept == "gzip" && n*100 >= minGzip,
					a.Header.Get("Content-Encoding") == "gzip", name)
			}
		}
	}
}

// A panic in the first block is an error response, and a later one breaks the transfer. The server
// goes on.
func TestPieceThatPanics(t *testing.T) {
	b := piecesServer(t)
	require.Equal(t, 500, b.askPieces(t, "/20000/3", "HTTP/1.1", "identity").StatusCode)
	for _, accept := range []string{"identity", "gzip"} {
		a := b.askPieces(t, "/20000/15000", "HTTP/1.1", accept)
		require.Error(t, a.err, accept)
		require.Equal(t, 200, a.StatusCode)
		require.True(t, strings.HasPrefix(whole(15_000), a.body), accept)
	}
	require.Equal(t, 500, b.askPieces(t, "/20000/15000", "HTTP/1.0", "identity").StatusCode)
	require.NoError(t, b.askPieces(t, "/1/-1", "HTTP/1.1", "identity").err)
}
