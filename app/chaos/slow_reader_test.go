package chaos

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
)

// slowReader is a client that reads an export at 100 KB/s until it is told to read on, and keeps
// what it gets.
type slowReader struct {
	kind, id string
	fast     chan struct{} // closed: read on
	ended    chan error    // how it ended for the client; nil is whole
	got      bytes.Buffer
}

// exportReaders begin an export and return when its first byte has come.
var exportReaders = []func(r *slowReader, t *testing.T, url, token string){
	func(r *slowReader, t *testing.T, url, token string) { r.inGo(t, url, token, "identity") },
	func(r *slowReader, t *testing.T, url, token string) { r.inGo(t, url, token, "gzip") },
	(*slowReader).inCurl,
}

func (r *slowReader) inGo(t *testing.T, url, token, encoding string) {
	r.kind = "Go, " + encoding
	response := apptest.Ask(t, apptest.SmallWindowClient(), url, token, "X-Request-Id", r.id,
		"Accept-Encoding", encoding)
	require.Equal(t, http.StatusOK, response.StatusCode)
	r.follow(t, response.Body, response.Body.Close)
}

// inCurl reads what curl writes to a pipe: curl waits while that is full. Without curl it is
// another client in Go.
func (r *slowReader) inCurl(t *testing.T, url, token string) {
	if _, err := exec.LookPath("curl"); err != nil {
		r.inGo(t, url, token, "identity")
		return
	}
	r.kind = "curl"
	cmd := exec.CommandContext(t.Context(), "curl", "-sS", "-f", "-H",
		"Authorization: Bearer "+token, "-H", "X-Request-Id: "+r.id, url)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	r.follow(t, out, cmd.Wait)
}

func (r *slowReader) follow(t *testing.T, body io.Reader, end func() error) {
	_, err := io.CopyN(&r.got, body, 1)
	require.NoError(t, err, r.kind)
	go func() {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for err == nil {
			select {
			case <-tick.C:
				_, err = io.CopyN(&r.got, body, 10_000)
			case <-r.fast:
				if _, err = io.Copy(&r.got, body); err == nil {
					err = io.EOF
				}
			}
		}
		if failed := end(); err == io.EOF { // itself: the end of the body
			err = failed
		}
		r.ended <- err
	}()
}

// readOn reads the rest at once.
func (r *slowReader) readOn(t *testing.T) error {
	close(r.fast)
	select {
	case err := <-r.ended:
		return err
	case <-time.After(time.Minute):
		t.Errorf("%s does not end", r.kind)
		return nil
	}
}

// text is what it got, which is whole.
func (r *slowReader) text(t *testing.T) string {
	if !strings.HasSuffix(r.kind, "gzip") {
		return r.got.String()
	}
	z, err := gzip.NewReader(&r.got)
	require.NoError(t, err)
	text, err := io.ReadAll(z)
	require.NoError(t, err)
	return string(text)
}
