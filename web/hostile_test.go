package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/fixtures"
	"dg/web/internal/webtest"
)

// rules.md, Formats: a malformed id is an unknown id. An organisation is found by its exact slug,
// however the address encodes it.
func TestMalformedSlugIsNotFound(t *testing.T) {
	t.Parallel()
	_, _, b := webtest.StartAsOwner(t)
	for _, slug := range []string{
		"%00", "ac%00me", "%ff", "acme%2F", "%2Facme", "%2561cme", "ACME", "acme%20",
		"%E2%80%AEacme", "acme%E2%80%8B", "acme;", "..%2facme", "%2e%2e", strings.Repeat("a", 3000),
	} {
		b.Get("/o/"+slug+"/reports").Is(t, 404).Has(t, "not found")
	}
	b.Get("/o/%61cme/reports").Is(t, 200)
	for _, path := range []string{
		"//acme/reports", "/o//acme/reports", "/o/acme/./reports", "/o/acme/x/../reports",
		"/o/acme/reports/", "/o/acme%2Freports",
	} {
		b.Get(path).Is(t, 404)
	}
}

// rules.md, Order of checks: the ids of another organisation are unknown, wherever they are sent.
func TestForeignIDsAreNotFound(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
	other := w.Organisation("other")
	fork := w.Fork(acme).ID
	foreignFork := w.Fork(other).ID
	foreignGroup := w.DB.GroupNamed(other.ID, "theirs")
	theirs := w.SignedIn(t, other.Owner)
	theirs.Post(other.At("/settings/organisation/reporting-mode"),
		webtest.ToNominative(other)).Is(t, 303)
	entry := w.LogOf(t, other)[0].ID

	b := w.SignedIn(t, acme.Owner)
	for _, path := range []string{
		acme.At("/reports/%s", foreignFork), acme.At("/reports/%s/plays.csv", foreignFork),
		acme.At("/reports/%s?groupId=%s", fork, foreignGroup),
		acme.At("/reports/%s/plays.csv?groupId=%s", fork, foreignGroup),
		other.At("/reports"),
		other.At("/settings/audit-log.csv"), other.At("/reports/%s", foreignFork),
	} {
		b.Get(path).Is(t, 404).Lacks(t, other.Name, "theirs")
	}
	b.Get(acme.At("/settings/audit-log?person=%s", other.Owner.ID)).Is(t, 400)
	for _, beside := range []string{"before", "after"} {
		b.Get(acme.At("/settings/audit-log?%s=%d", beside, entry)).Lacks(t,
			"Reporting mode changed</span>")
	}
}

// Fields in the address are ignored: links contain addresses, and servers log them.
func TestFormFieldsInTheQueryAreIgnored(t *testing.T) {
	t.Parallel()
	w, acme, b := webtest.StartAsOwner(t)
	path := acme.At("/settings/organisation/reporting-mode")
	b.Post(path+"?mode=nominative", url.Values{"mode": {"pseudonymous"}}).Is(t, 303)
	require.Empty(t, w.LogOf(t, acme), "the mode of the body is not new")
	w.Browser(t).Post("/sign-in?password="+url.QueryEscape(fixtures.Password),
		url.Values{"email": {acme.Owner.Email}}).Is(t, 401)
}

// HEAD is answered on every screen with the status and headers of GET, and makes no export.
func TestHeadMatchesGetOnEveryScreen(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
	fork := w.Fork(acme).ID
	b := w.SignedIn(t, acme.Owner)
	for _, path := range []string{
		"/", "/account", "/account/password", "/account/two-step", "/docs", "/sign-in", "/nowhere",
		acme.At("/reports"), acme.At("/reports/%s", fork), acme.At("/reports/%s/plays.csv", fork),
		acme.At("/settings/audit-log"), acme.At("/settings/audit-log.csv"),
		acme.At("/settings/organisation"), acme.At("/settings/organisation/reporting-mode"),
		acme.At("/settings/api-keys"), acme.At("/settings/api-keys/new"),
	} {
		got := b.Get(path)
		head := b.Send(http.MethodHead, path, "", webtest.FromHere).Is(t, got.StatusCode)
		require.Empty(t, head.Body, path)
		for _, name := range []string{
			"Cache-Control", "Content-Type", "Content-Security-Policy", "X-Frame-Options",
			"Location",
		} {
			require.Equal(t, got.Header.Get(name), head.Header.Get(name), "%s of %s", name, path)
		}
		require.Contains(t, got.Header.Get("Cache-Control"), "no-store", path)
	}
	w.UntilFinished(t, acme, 1)
	require.Len(t, w.ExportsOf(t, acme), 2, "one export, of GET")
}
