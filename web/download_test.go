package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit"
)

// A link on another site or in a mail starts no download in the reader's name: the answer is a page
// that leads to the screen, and the log has no entry. A sign-in continues to the screen.
func TestDownloadFromElsewhereIsRejected(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.SignedIn(t, h.acme.Owner)
	files := map[string]string{} // the page of each
	for _, s := range screens {
		path, isFile := strings.CutSuffix(strings.TrimSuffix(h.at(t, s), "/plays.csv"), ".csv")
		if !isFile && !strings.HasSuffix(s.Path, ".csv") {
			continue
		}
		const query = "?from=2026-01-01&to=2026-01-07"
		file := h.at(t, s) + query
		for _, elsewhere := range []http.Header{
			{"Sec-Fetch-Site": {"cross-site"}}, {"Sec-Fetch-Site": {"same-site"}},
			{"Sec-Fetch-Site": {"none"}}, {"Referer": {"https://evil.example/" + h.Base}}, {},
			{"Sec-Fetch-Site": {"cross-site"}, "Referer": {h.Base + path}}, {"Referer": {path}},
		} {
			b.Send(http.MethodGet, file, "", elsewhere).Is(t, 403).Has(t, "nothing was downloaded",
				`href="`+path+strings.ReplaceAll(query, "&", "&amp;"))
		}
		files[file] = h.Base + path
		signedOut := h.Browser(t)
		signedOut.Send(http.MethodGet, file, "", http.Header{}).Is(t, 403)
		testkit.RequireRedirect(t, "/sign-in?"+url.Values{"next": {path + query}}.Encode(),
			signedOut.Get(file))
	}
	require.Zero(t, h.DB.Count(`audit_entries where action like '%export%'`))
	require.NotEmpty(t, files)
	for file, page := range files { // a browser without Sec-Fetch-Site, such as iOS before 16.4
		p := b.Send(http.MethodGet, file, "", http.Header{"Referer": {page}})
		require.Contains(t, p.Header.Get("Content-Type"), "csv")
	}
}
