package httpserver

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"

	"dg/platform/httpserver/body"
)

// counted makes n pieces of 100 bytes; the one numbered broken panics.
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

// askPieces asks over a connection of its own and returns what came of the body, and why no more
// came.
func (s *testServer) askPieces(
	t *testing.T, path, protocol, accept string,
) (*http.Response, string, error) {
	t.Helper()
	c := s.dial(t)
	_, _ = fmt.Fprintf(c,
		"GET %s %s\r\nHost: x\r\nAccept-Encoding: %s\r\nConnection: close\r\n\r\n",
		path, protocol, accept)
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	require.NoError(t, err)
	defer response.Body.Close()
	body := io.Reader(response.Body)
	if response.Header.Get("Content-Encoding") == "gzip" {
		if body, err = gzip.NewReader(body); err != nil {
			return response, "", err
		}
	}
	all, err := io.ReadAll(body)
	return response, string(all), err
}

// A body is the same however it is sent: small with its length, large in chunks, and over HTTP/1.0,
// which has none, with a length.
func TestBodyOfPieces(t *testing.T) {
	b := piecesServer(t)
	for _, n := range []int{0, 1, 600, body.BlockSize / 100, body.BlockSize/100 + 1, 20_000} {
		for _, protocol := range []string{"HTTP/1.0", "HTTP/1.1"} {
			for _, accept := range []string{"identity", "gzip"} {
				response, got, err := b.askPieces(t, fmt.Sprintf("/%d/-1", n), protocol, accept)
				chunked := n*100 >= body.BlockSize && protocol == "HTTP/1.1"
				if err != nil || got != whole(n) || (response.ContentLength < 0) != chunked ||
					response.Header.Get("Cache-Control") != cachePrivate ||
					(response.Header.Get("Content-Encoding") == "gzip") != (accept == "gzip" &&
						n*100 >= minGzip) {
					t.Errorf("%d pieces, %s, %s: %d bytes of %d, length %d, %v, %v", n, protocol,
						accept, len(got), n*100, response.ContentLength, response.Header, err)
				}
			}
		}
	}
}

// What fails in the first block is an error response, what fails later breaks the transfer; the
// server lives on.
func TestPieceThatPanics(t *testing.T) {
	b := piecesServer(t)
	if response, body, _ := b.askPieces(t, "/20000/3", "HTTP/1.1",
		"identity"); response.StatusCode != 500 {
		t.Errorf("%d %.100s", response.StatusCode, body)
	}
	for _, accept := range []string{"identity", "gzip"} {
		if response, body, err := b.askPieces(t, "/20000/15000", "HTTP/1.1", accept); err == nil ||
			response.StatusCode != 200 || !strings.HasPrefix(whole(15_000), body) {
			t.Errorf("%s: %d bytes, %v", accept, len(body), err)
		}
	}
	if response, _, err := b.askPieces(t, "/20000/15000", "HTTP/1.0",
		"identity"); response.StatusCode != 500 {
		t.Errorf("over HTTP/1.0: %d %v", response.StatusCode, err)
	}
	if response, _, err := b.askPieces(t, "/1/-1", "HTTP/1.1",
		"identity"); response.StatusCode != 200 || err != nil {
		t.Errorf("afterwards: %d %v", response.StatusCode, err)
	}
}
