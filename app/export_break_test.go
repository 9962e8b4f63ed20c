package main

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// countRows reads an export to its end and returns how many plays it holds.
func countRows(t *testing.T, response *http.Response, body io.Reader) int {
	t.Helper()
	if response.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(body)
		require.NoError(t, err)
		body = z
	}
	lines := 0
	for in := bufio.NewReaderSize(body, 256<<10); ; lines++ {
		_, err := in.ReadSlice('\n')
		if errors.Is(err, io.EOF) {
			return lines - 1
		}
		require.NoError(t, err)
	}
}

// reader is a client in the midst of an export; finish reads the rest and says how the client saw the end: "" is whole.
type reader struct {
	name  string
	begin func(t *testing.T, e *exporting, id string) (finish func() string)
}

// A failure after the first byte breaks the transfer, so that every client notices: curl exits with 18, Go says "unexpected
// EOF", Python IncompleteRead.
func (e *exporting) breaksVisibly(t *testing.T) {
	readers := []reader{
		{"Go", goReader("identity")}, {"Go, gzip", goReader("gzip")},
		{"curl", curlReader()}, {"curl, gzip", curlReader("-H", "Accept-Encoding: gzip")}, {"curl, compressed", curlReader("--compressed")},
		{"Python", pythonReader("identity")}, {"Python, gzip", pythonReader("gzip")},
	}
	for i, r := range readers {
		t.Run(r.name, func(t *testing.T) {
			id := fmt.Sprintf("broken-off-%d", i)
			finish := r.begin(t, e, id)
			// Until it is met at a query of the export: between two of them there is none.
			until(t, 5*time.Second, "no export runs", func() bool {
				return read[int](t, e.door, `select count(pg_terminate_backend(pid))`+exportBackends) == 1
			})
			// It may have to say so to a full socket first, and ends when the client reads.
			said := finish()
			until(t, 5*time.Second, "the database connection lives", func() bool { return e.running(t) == 0 })
			t.Log(said)
			require.NotEmpty(t, said, "a broken file looked whole")
			outcome, rows := e.finished(t, id)
			require.Equal(t, "failed", outcome)
			require.Less(t, rows, e.plays)
		})
	}
	// The same readers on a whole file: they do not call everything broken.
	for i, r := range readers {
		t.Run(r.name+", whole", func(t *testing.T) {
			require.Empty(t, r.begin(t, e, fmt.Sprintf("not-broken-%d", i))())
		})
	}
}

func goReader(encoding string) func(*testing.T, *exporting, string) func() string {
	return func(t *testing.T, e *exporting, id string) func() string {
		_, body := e.begin(t, id, "Accept-Encoding", encoding)
		return func() string {
			_, err := io.Copy(io.Discard, body)
			if err == nil {
				return ""
			}
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			return err.Error()
		}
	}
}

// pausing runs a client that writes what it gets to its standard output, which is not read until finish: it stops when
// the pipe is full.
func pausing(t *testing.T, name string, args ...string) func() string {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("SKIPPED, NOTHING WAS TESTED: there is no %s", name)
	}
	cmd := exec.CommandContext(t.Context(), name, args...)
	var stderr buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	out := bufio.NewReader(stdout)
	_, err = out.Peek(1)
	require.NoError(t, err, "%s", stderr.String())
	return func() string {
		_, err := io.Copy(io.Discard, out)
		require.NoError(t, err)
		if err := cmd.Wait(); err != nil {
			return err.Error() + " " + stderr.String()
		}
		return ""
	}
}

func curlReader(extra ...string) func(*testing.T, *exporting, string) func() string {
	return func(t *testing.T, e *exporting, id string) func() string {
		args := append([]string{"-sS", "-H", "Authorization: Bearer " + e.token, "-H", "X-Request-Id: " + id}, extra...)
		finish := pausing(t, "curl", append(args, e.url+e.path)...)
		return func() string {
			said := finish()
			if said != "" {
				require.Contains(t, said, "exit status 18")
			}
			return said
		}
	}
}

// pythonProgram passes on what it reads and fails with what the standard library says of a broken answer.
const pythonProgram = `
import http.client, shutil, sys, urllib.request
request = urllib.request.Request(sys.argv[1], headers={"Authorization": "Bearer " + sys.argv[2], "X-Request-Id": sys.argv[3], "Accept-Encoding": sys.argv[4]})
with urllib.request.urlopen(request) as response:
    while True:
        block = response.read(8192)
        if not block:
            break
        sys.stdout.buffer.write(block)
`

func pythonReader(encoding string) func(*testing.T, *exporting, string) func() string {
	return func(t *testing.T, e *exporting, id string) func() string {
		finish := pausing(t, "python3", "-c", pythonProgram, e.url+e.path, e.token, id, encoding)
		return func() string {
			said := finish()
			if said != "" {
				require.Contains(t, said, "IncompleteRead")
				return "IncompleteRead"
			}
			return said
		}
	}
}
