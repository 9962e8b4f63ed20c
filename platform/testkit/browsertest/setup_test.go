package browsertest

import (
	"compress/gzip"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// site serves pages by path. A page begins with what a page of ours has.
func site(t *testing.T, pages map[string]string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, ok := pages[r.URL.Path]
		switch {
		case r.URL.Path == "/style.css":
			w.Header().Set("Content-Type", "text/css")
			w.Header().Set("Cache-Control", "max-age=3600")
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = io.WriteString(z, "body { margin: 0 }"+strings.Repeat(" ", 200_000))
			_ = z.Close()
			return
		case r.URL.Path == "/sent":
			<-time.After(150 * time.Millisecond) // slower than any round trip to the page
			page = "<p id=sent>" + r.Method + " " + html.EscapeString(r.FormValue("name")) + "</p>"
		case r.URL.Path == "/favicon.ico":
			w.WriteHeader(http.StatusNoContent)
			return
		case r.URL.Path == "/moved":
			http.Redirect(w, r, "/", http.StatusSeeOther)
			return
		case !ok:
			w.WriteHeader(http.StatusNotFound)
			page = "<h1>Nothing here</h1>"
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if strings.HasPrefix(r.URL.Path, "/strict") {
			w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'")
		}
		_, _ = io.WriteString(w,
			"<!doctype html><html lang=en><title>Test</title><main>"+page+"</main></html>")
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// openSite returns a page that shows the site's first one. It closes before its site does.
func openSite(t *testing.T, pages map[string]string) *Page {
	t.Helper()
	at := site(t, pages)
	p := New(t)
	p.Open(at)
	return p
}
