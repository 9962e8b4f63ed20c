package system

import (
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// A service that redirects elsewhere gets an error from each program, and elsewhere gets no request,
// so that no key arrives. A program whose address was edited to plain http does not start.
func checkRedirects(t *testing.T, b *cookbook) {
	var arrived atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		arrived.Add(1)
	}))
	t.Cleanup(elsewhere.Close)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL+r.URL.RequestURI(), http.StatusFound)
	}))
	t.Cleanup(service.Close)
	refuses := func(t *testing.T, r cookedRecipe, text string, plain bool) {
		t.Helper()
		r.skipIfAbsent(t)
		folder := t.TempDir()
		at := func(base string) string { return strings.ReplaceAll(text, b.URL, base) }
		arrived.Store(0)
		out, err := r.start(t, folder, at(service.URL), b.token)
		require.Zero(t, arrived.Load(), "%s", out)
		if r.file != startLanguages["curl"].file || strings.Contains(text, "plays.csv") {
			require.Error(t, err, "%s", out)
		}
		file, _ := os.ReadFile(filepath.Join(folder, "plays.csv"))
		require.Empty(t, file)
		if plain {
			out, err = r.start(t, folder, at("http://dg.invalid"), b.token)
			require.Error(t, err, "%s", out)
			require.Regexp(t, `https://|"http" (not supported or )?disabled`, out)
		}
	}
	nightly := syncRecipe
	nightly.id = "nightly-sync"
	nightly.command = "python3 sync.py --dest csv --to copy"
	recipes := []cookedRecipe{nightly}
	for _, r := range tableRecipes(t) {
		recipes = append(recipes, r.cookedRecipe)
	}
	for _, r := range recipes {
		t.Run(r.id, func(t *testing.T) { refuses(t, r, b.recipe(r.id), true) })
	}
	for _, step := range startText.FindAllStringSubmatch(b.reader.Get("/docs"), -1) {
		if r, ok := startLanguages[step[2]]; ok {
			t.Run(step[1]+" "+step[2], func(t *testing.T) { refuses(t, r, html.UnescapeString(step[3]), false) })
		}
	}
}
