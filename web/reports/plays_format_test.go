package reports_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/web/internal/webtest"
)

// The file has the chosen format under the same name. An unknown format is refused before an entry
// is recorded.
func TestDownloadForExcel(t *testing.T) {
	t.Parallel()
	w, o, b := webtest.StartAsOwner(t)
	fork := w.Played(o)
	path := o.At("/reports/%s/plays.csv", fork)
	plain := b.Get(path + "?format=")
	p := b.Get(path+"?format=excel-semicolon").Is(t, 200)
	require.True(t, strings.HasPrefix(p.Body, "\uFEFFplayId;forkId;"), "%.40q", p.Body)
	require.Equal(t, strings.Count(plain.Body, "\n"), strings.Count(p.Body, "\n"))
	require.Equal(t, plain.Header.Get("Content-Disposition"), p.Header.Get("Content-Disposition"))
	w.UntilFinished(t, o, 2)
	before := len(w.ExportsOf(t, o))
	b.Get(path+"?format=xlsx").Is(t, 400).Has(t,
		"The format is unknown. Choose one beside “Download”.")
	require.Len(t, w.ExportsOf(t, o), before)
}
