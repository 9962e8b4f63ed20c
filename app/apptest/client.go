package apptest

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// NewClient returns a client that opens a new connection for each request and follows no redirect.
func NewClient() *http.Client { return newClientWithDial((&net.Dialer{}).DialContext) }

func newClientWithDial(dial func(ctx context.Context, network, address string) (net.Conn, error)) *http.Client {
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext:        dial,
			DisableCompression: true,
			DisableKeepAlives:  true,
			ReadBufferSize:     4 << 10,
		},
	}
}

// SmallWindowClient returns a client with a small receive window: the server soon blocks if the client does not read.
func SmallWindowClient() *http.Client {
	return newClientWithDial(func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if tcp, ok := conn.(*net.TCPConn); ok {
			err = tcp.SetReadBuffer(16 << 10)
		}
		return conn, err
	})
}

func ReadAll(t *testing.T, response *http.Response) string {
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return string(body)
}

// ReadSlowly reads a body at 200 KB/s in the background. The channel receives the error at its end, such as io.EOF.
func ReadSlowly(body io.Reader) <-chan error {
	done := make(chan error, 1)
	go func() {
		var err error
		for ; err == nil; <-time.After(50 * time.Millisecond) {
			_, err = io.CopyN(io.Discard, body, 10_000)
		}
		done <- err
	}()
	return done
}

// Get sends a GET with a key ("": none) and headers as name, value pairs.
func Get(t *testing.T, c *http.Client, url, token string, headers ...string) *http.Response {
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := c.Do(request)
	require.NoError(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}
