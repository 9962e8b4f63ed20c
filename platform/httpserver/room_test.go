package httpserver

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// The response is the error body of the API. Package connlimit proves who is evicted; these tests
// prove that the server says what its connections do.
func TestNewConnectionIsRejectedWhenNoneIsIdle(t *testing.T) {
	c := newFullServer(t, Options{MaxConnections: 2})
	busy := c.busy("127.0.0.2")
	c.busy("127.0.0.3")
	response, body, err := c.from("127.0.0.4").ask()
	if err != nil || !response.Close || response.Header.Get("Retry-After") == "" ||
		response.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%v, %v", response, err)
	}
	answer{Response: response, body: body}.wantError(t, 503, "unavailable", "ERR_UNAVAILABLE")
	c.leave <- struct{}{}
	c.leave <- struct{}{}
	if response, err := http.ReadResponse(busy.in, nil); err != nil || response.StatusCode != 200 {
		t.Errorf("a connection in the middle of a request: %v", err)
	}
	eventually(t, "room", func() bool {
		response, _, err := c.from("127.0.0.4").ask()
		return err == nil && response.StatusCode == 200
	})
	if strings.Contains(c.logs.String(), `"status":400`) {
		t.Errorf("a connection that made room is in the log: %s", c.logs)
	}
}

func TestSlowlyArrivingRequestIsEvicted(t *testing.T) {
	c := newFullServer(t, Options{MaxConnections: 2})
	_, _ = io.WriteString(c.from("127.0.0.2"), "GET /ok HTTP/1.1\r\nHo")
	c.busy("127.0.0.3")
	eventually(t, "room", func() bool {
		response, _, err := c.from("127.0.0.4").ask()
		return err == nil && response.StatusCode == 200
	})
}

// Otherwise slow readers of public responses would hold all connections.
func TestSlowReaderOfAPublicAnswerIsEvicted(t *testing.T) {
	c := newFullServer(t, Options{MaxConnections: 2})
	known := c.reads("127.0.0.2", "/large-known")
	slow := c.reads("127.0.0.3", "/large")
	eventually(t, "room", func() bool {
		response, _, err := c.from("127.0.0.4").ask()
		return err == nil && response.StatusCode == 200
	})
	if n, err := io.Copy(io.Discard, slow); err == nil && n >= largeBody {
		t.Error("the slow reader of a public answer got all of it")
	}
	if response, err := http.ReadResponse(known.in, nil); err != nil {
		t.Error(err)
	} else if n, err := io.Copy(io.Discard, response.Body); n != largeBody {
		t.Errorf("a client that is known got %d bytes: %v", n, err)
	}
}
