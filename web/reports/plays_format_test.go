package reports_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/web/internal/webtest"
)

// The form of the download suggests the format of the reader's Excel, or CSV without a language.
func TestDownloadSuggestsTheFormatOfTheLanguage(t *testing.T) {
	t.Parallel()
	w, o, b := webtest.StartAsOwner(t)
	report := o.At("/reports/%s", w.Played(o))
	for language, want := range map[string]string{
		"":                             "csv",
		"*":                            "csv",
		"en-GB,en;q=0.9":               "excel-comma",
		"en":                           "excel-comma",
		"ja":                           "excel-comma",
		"es-MX":                        "excel-comma",
		"fr-FR,fr;q=0.8,en-US;q=0.5":   "excel-semicolon",
		"de":                           "excel-semicolon",
		"ES-es":                        "excel-semicolon",
		"de-CH":                        "excel-semicolon-point",
		`"><script>`:                   "csv",
		strings.Repeat("fr", 2000):     "csv",
		"fr;q=0.5, en;q=0.1, de;q=0.2": "excel-semicolon",
	} {
		p := b.In(language, report).Is(t, 200)
		require.Equal(t, 1, strings.Count(p.Body, `<option value="`+want+`" selected>`), "%q", language)
	}
}

// The file has the chosen format under the same name. An unknown format is refused before an entry
// is recorded.
func TestDownloadForExcel(t *testing.T) {
	t.Parallel()
	w, o, b := webtest.StartAsOwner(t)
	fork := w.Played(o)
	path := o.At("/reports/%s/plays.csv", fork)
	plain := b.Get(path + "?format=csv")
	require.Equal(t, b.Get(path).Body, plain.Body)
	for format, header := range map[string]string{
		"excel-comma":           "playId,forkId,",
		"excel-semicolon":       "playId;forkId;",
		"excel-semicolon-point": "playId;forkId;",
	} {
		p := b.Get(path+"?format="+format).Is(t, 200)
		require.True(t, strings.HasPrefix(p.Body, "\uFEFF"+header), "%.40q", p.Body)
		require.Equal(t, strings.Count(plain.Body, "\n"), strings.Count(p.Body, "\n"))
		require.Equal(t, plain.Header.Get("Content-Disposition"),
			p.Header.Get("Content-Disposition"))
	}
	w.UntilFinished(t, o, 5)
	before := len(w.ExportsOf(t, o))
	b.Get(path+"?format=xlsx").Is(t, 400).Has(t,
		"The format is unknown. Choose one beside “Download”.")
	require.Len(t, w.ExportsOf(t, o), before)
}
