package docs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"dg/web/internal/webtest"
)

// Everybody can read what is promised and how to report a weakness, also while the database is
// away; the page of the API leads there.
func TestSecurityPageIsForEverybody(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	require.Contains(t, w.Browser(t).Get("/docs").Body, `<a href="/docs/security">`)
	signedIn := w.SignedIn(t, w.Organisation("acme").Owner)
	require.Equal(t, 200, signedIn.Get("/docs/security").StatusCode)
	w.DB.DB.Close()
	page := w.Browser(t).Get("/docs/security")
	require.Equal(t, 200, page.StatusCode)
	require.Contains(t, page.Body, "Tell the operator of this service")
}

// The page is for customers: it names no test, no file and no SQL. Links to its sections stay.
func TestSecurityPageIsForCustomers(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	page := w.Browser(t).Get("/docs/security").Body
	require.NotRegexp(t, `Test[A-Z]|make chaos|\.go\b|SQL|DG_[A-Z]|[Rr]ow-level`, page)
	for _, id := range []string{
		"isolation", "privacy", "revocation-and-audit", "limits", "outage", "restart", "secrets",
		"screens-and-files", "owners", "report",
	} {
		require.Contains(t, page, `<h2 id="`+id+`">`)
	}
}
