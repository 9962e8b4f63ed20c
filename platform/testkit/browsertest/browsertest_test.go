package browsertest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Errors of the page, its console and its requests are faults. An error status of the page itself is not.
func TestErrorsOfThePageAreFound(t *testing.T) {
	t.Parallel()
	pages := map[string]struct{ body, wantFault string }{
		"/strict":    {`<p style="color: red">x</p>`, "Content Security Policy"},
		"/throws":    {`<script>throw new Error('out of order')</script>`, "out of order"},
		"/console":   {`<script>console.error('so it', {a: 1}); console.warn('fine')</script>`, "so it"},
		"/missing":   {`<img src="/none.png" alt=none>`, "404"},
		"/blameless": {`<p>x</p>`, ""},
		"/none":      {"", ""}, // a response with status 404
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/strict" {
			w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'")
		}
		if pages[r.URL.Path].body == "" && r.URL.Path != "/favicon.ico" {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = io.WriteString(w, "<!doctype html><title>Test</title>"+pages[r.URL.Path].body)
	}))
	t.Cleanup(server.Close)
	for path, page := range pages {
		p := New(t)
		p.Open(server.URL + path)
		Eval[any](p, `new Promise((done) => setTimeout(done))`)
		faults := p.faults()
		if page.wantFault == "" {
			assert.Empty(t, faults, path)
			continue
		}
		require.Len(t, faults, 1, path)
		assert.Contains(t, faults[0], page.wantFault)
	}
}
