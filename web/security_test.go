package web_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Everybody can read what is promised and how to report a weakness, also while the database is away; the page of the API leads there.
func TestSecurityPageIsForEverybody(t *testing.T) {
	t.Parallel()
	w := start(t)
	require.Contains(t, w.browser(t).get("/docs").body, `<a href="/docs/security">`)
	signedIn := w.signedIn(t, w.organisation("acme").owner)
	require.Equal(t, 200, signedIn.get("/docs/security").StatusCode)
	w.db.DB.Close()
	page := w.browser(t).get("/docs/security")
	require.Equal(t, 200, page.StatusCode)
	rows := strings.Split(page.body, `<th role="rowheader" scope="row">`)[1:]
	require.Greater(t, len(rows), 20)
	for _, row := range rows {
		require.Regexp(t, `^[A-Z][^<]+</th><td role="cell" data-label="Promise"><span>[^<]+</span></td>`+
			`<td role="cell" data-label="Limit"><span>[^<]+</span></td><td role="cell" data-label="Tests"><span><code>Test`, row)
	}
	require.Contains(t, page.body, "whoever runs this service")
}
