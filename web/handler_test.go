package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

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

// Requests without a sign-in are sampled in the access log.
func TestRequestsOfSignedInPeopleAreAllLogged(t *testing.T) {
	t.Parallel()
	w, _, owner := webtest.StartAsOwner(t)
	nobody := w.Browser(t)
	for range 60 {
		owner.Get("/account").Is(t, 200)
	}
	sent := 0
	require.Eventually(t, func() bool {
		sent++
		nobody.Get("/nowhere").Is(t, 404)
		return strings.Count(w.Logged.String(), "path=/nowhere") < sent-10 // some may not be logged yet
	}, time.Minute, time.Millisecond)
	require.Equal(t, 60, strings.Count(w.Logged.String(), "path=/account"))
}
