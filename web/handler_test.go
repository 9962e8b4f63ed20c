package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/platform/testkit"
	"dg/web/internal/webtest"
)

func TestShortPathRedirectsToTheOrganisation(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
	slash := w.Organisation(`a/b "<c> é?#%`)

	testkit.RequireRedirect(t, "/sign-in?next=%2Fsettings%2Fapi-keys",
		w.Browser(t).Get("/settings/api-keys"))
	owner := w.SignedIn(t, acme.Owner)
	testkit.RequireRedirect(t, "/o/acme/reports", owner.Get("/"))
	testkit.RequireRedirect(t, "/o/acme/settings/audit-log", owner.Get("/settings/audit-log"))
	testkit.RequireRedirect(t, "/account", w.SignedIn(t, acme.Member).Get("/reports"))
	testkit.RequireRedirect(t, slash.At("/reports"), w.SignedIn(t, slash.Owner).Get("/"))

	// A person of two organisations chooses.
	w.DB.Join(acme.ID, slash.Owner.ID, "admin")
	both := w.SignedIn(t, slash.Owner).Get("/settings").Is(t, 200)
	both.Has(t, `href="/o/acme/settings/api-keys"`, `href="`+slash.At("/settings/api-keys")+`"`)
}

// A file is cached for ever under the version of its content, and revalidated without the version.
func TestStaticFilesAreCached(t *testing.T) {
	t.Parallel()
	b := webtest.Start(t).Browser(t)
	sheet := testkit.Find(t, `href="(/static/dg\.css\?v=[0-9a-f]+)"`, b.Get("/nowhere").Body)
	kept := b.Get(sheet)
	require.Equal(t, "text/css; charset=utf-8", kept.Header.Get("Content-Type"))
	require.Contains(t, kept.Header.Get("Cache-Control"), "immutable")
	plain := b.Get("/static/dg.css?v=older")
	require.Equal(t, "no-cache", plain.Header.Get("Cache-Control"))
	b.Send(http.MethodGet, "/static/dg.css", "",
		http.Header{"If-None-Match": {plain.Header.Get("ETag")}}).Is(t, 304)
	b.Get("/static/../site.go").Is(t, 404)
}

// rules.md, Formats: a malformed id is an unknown id. An organisation is found by its exact slug,
// however the address encodes it.
func TestMalformedSlugIsNotFound(t *testing.T) {
	t.Parallel()
	w, acme, b := webtest.StartAsOwner(t)
	for _, slug := range []string{
		"%00", "ac%00me", "%ff", "acme%2F", "%2Facme", "%2561cme", "ACME", "acme%20",
		"%E2%80%AEacme", "acme%E2%80%8B", "acme;", "..%2facme", "%2e%2e", strings.Repeat("a", 3000),
	} {
		b.Get("/o/"+slug+"/reports").Is(t, 404).Has(t, "not found")
	}
	b.Get("/o/%61cme/reports").Is(t, 200)
	encoded := func(id string) string { return fmt.Sprintf("%%%02x", id[0]) + id[1:] }
	key := w.NewKey(t, acme, "BI", apikeys.ForksRead)
	b.Get(acme.At("/settings/api-keys/")+encoded(key.ID)).Is(t, 200)
	b.Get(acme.At("/settings/api-keys/")+encoded(key.ID)+"/revoke").Is(t, 200)
	b.Get(acme.At("/reports/")+encoded(w.Played(acme))).Is(t, 200)
	for _, path := range []string{
		"//acme/reports", "/o//acme/reports", "/o/acme/./reports", "/o/acme/x/../reports",
		"/o/acme/reports/", "/o/acme%2Freports",
	} {
		b.Get(path).Is(t, 404)
	}
}
