package httpserver

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"

	"dg/platform/httpserver/body"
)

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
