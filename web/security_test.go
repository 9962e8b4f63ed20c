package web_test

import (
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
	require.Contains(t, page.body, "Tell the operator of this service")
}

// The page is for customers: it names no test, no file and no SQL. Links to its sections stay.
func TestSecurityPageIsForCustomers(t *testing.T) {
	t.Parallel()
	w := start(t)
	page := w.browser(t).get("/docs/security").body
	require.NotRegexp(t, `Test[A-Z]|make chaos|\.go\b|SQL|DG_[A-Z]|[Rr]ow-level`, page)
	for _, id := range []string{
		"isolation", "privacy", "revocation-and-audit", "limits", "outage", "restart", "secrets",
		"screens-and-files", "owners", "report",
	} {
		require.Contains(t, page, `<h2 id="`+id+`">`)
	}
}
