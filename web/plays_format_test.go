package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The form of the download suggests the format of the reader's Excel, and CSV to who names no language.
func TestDownloadSuggestsTheFormatOfTheLanguage(t *testing.T) {
	t.Parallel()
	w := start(t)
	o := w.organisation("acme")
	report := o.at("/reports/%s", w.played(o))
	b := w.signedIn(t, o.owner)
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
		p := b.send(http.MethodGet, report, "", http.Header{"Sec-Fetch-Site": {"same-origin"}, "Accept-Language": {language}})
		require.Equal(t, http.StatusOK, p.StatusCode)
		require.Equal(t, 1, strings.Count(p.body, `<option value="`+want+`" selected>`), "%q", language)
	}
}

// The chosen format is what is sent, under the same name; an unknown one is refused before anything is recorded.
func TestDownloadForExcel(t *testing.T) {
	t.Parallel()
	w := start(t)
	o := w.organisation("acme")
	fork := w.played(o)
	path := o.at("/reports/%s/plays.csv", fork)
	b := w.signedIn(t, o.owner)
	plain := b.get(path + "?format=csv")
	require.Equal(t, b.get(path).body, plain.body)
	for format, header := range map[string]string{"excel-comma": "playId,forkId,", "excel-semicolon": "playId;forkId;", "excel-semicolon-point": "playId;forkId;"} {
		p := b.get(path + "?format=" + format)
		require.Equal(t, http.StatusOK, p.StatusCode)
		require.True(t, strings.HasPrefix(p.body, "\uFEFF"+header), "%.40q", p.body)
		require.Equal(t, strings.Count(plain.body, "\n"), strings.Count(p.body, "\n"))
		require.Equal(t, plain.Header.Get("Content-Disposition"), p.Header.Get("Content-Disposition"))
	}
	w.untilFinished(t, o, 5)
	before := len(w.exportsOf(t, o))
	p := b.get(path + "?format=xlsx")
	require.Equal(t, http.StatusBadRequest, p.StatusCode)
	require.Contains(t, p.body, "The format is unknown. Choose one beside “Download”.")
	require.Len(t, w.exportsOf(t, o), before)
}
