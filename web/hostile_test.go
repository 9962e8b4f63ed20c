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
	w := webtest.Start(t)
	acme := w.Organisation("acme")
	b := w.SignedIn(t, acme.Owner)
	for _, slug := range []string{"%00", "ac%00me", "%ff", "acme%2F", "%2Facme", "%2561cme", "ACME",
		"acme%20", "%E2%80%AEacme", "acme%E2%80%8B",
		"acme;", "..%2facme", "%2e%2e", strings.Repeat("a", 3000)} {
		p := b.Get("/o/" + slug + "/reports")
		require.Equal(t, http.StatusNotFound, p.StatusCode, slug)
		require.Contains(t, p.Body, "not found", slug)
	}
	require.Equal(t, http.StatusOK, b.Get("/o/%61cme/reports").StatusCode)
	for _, path := range []string{
		"//acme/reports", "/o//acme/reports", "/o/acme/./reports", "/o/acme/x/../reports",
		"/o/acme/reports/", "/o/acme%2Freports",
	} {
		require.Equal(t, http.StatusNotFound, b.Get(path).StatusCode, path)
	}
}

// rules.md, Order of checks: the ids of another organisation are unknown, wherever they are sent.
func TestForeignIDsAreNotFound(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	acme := w.Organisation("acme")
	other := w.Organisation("other")
	fork := w.Fork(acme).ID
	foreignFork := w.Fork(other).ID
	foreignGroup := w.DB.GroupNamed(other.ID, "theirs")
	theirs := w.SignedIn(t, other.Owner)
	require.Equal(t, http.StatusSeeOther,
		theirs.Post(other.At("/settings/organisation/reporting-mode"), webtest.ToNominative(other)).
			StatusCode)
	entry := w.LogOf(t, other)[0].ID
	session := webtest.RegexpFind(t, `name="session" value="([0-9a-f]+)"`,
		theirs.Get("/account").Body)

	b := w.SignedIn(t, acme.Owner)
	for _, path := range []string{
		acme.At("/reports/%s", foreignFork), acme.At("/reports/%s/plays.csv", foreignFork),
		acme.At("/reports/%s?groupId=%s", fork, foreignGroup),
		acme.At("/reports/%s/plays.csv?groupId=%s", fork, foreignGroup),
		acme.At("/settings/audit-log?entry=%d", entry), other.At("/reports"),
		other.At("/settings/audit-log.csv"), other.At("/reports/%s", foreignFork),
	} {
		p := b.Get(path)
		require.Equal(t, http.StatusNotFound, p.StatusCode, path)
		require.NotContains(t, p.Body, other.Name, path)
		require.NotContains(t, p.Body, "theirs", path)
	}
	require.Equal(t, http.StatusBadRequest,
		b.Get(acme.At("/settings/audit-log?actor=%s", other.Owner.ID)).StatusCode)
	for _, beside := range []string{"before", "after"} {
		require.NotContains(t, b.Get(acme.At("/settings/audit-log?%s=%d", beside, entry)).Body,
			"Reporting mode changed</span>")
	}
	require.Equal(t, http.StatusSeeOther,
		b.Post("/account", url.Values{"session": {session}}).StatusCode)
	require.Equal(t, http.StatusOK, theirs.Get("/account").StatusCode,
		"somebody else's session goes on")
}

// A form is its body: what an address says of a field, which anybody can make a link of and servers
// log, is not taken.
func TestFormFieldsInTheQueryAreIgnored(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	acme := w.Organisation("acme")
	b := w.SignedIn(t, acme.Owner)
	path := acme.At("/settings/organisation/reporting-mode")
	p := b.Post(path+"?mode=nominative", url.Values{"mode": {"pseudonymous"}})
	require.Equal(t, http.StatusSeeOther, p.StatusCode)
	require.Empty(t, w.LogOf(t, acme), "the body's mode, which it was already")
	p = w.Browser(t).
		Post("/sign-in?password="+url.QueryEscape(fixtures.Password),
			url.Values{"email": {acme.Owner.Email}})
	require.NotEqual(t, http.StatusSeeOther, p.StatusCode, "a password")
}

// HEAD gets what GET gets but the body, on every screen.
func TestHeadMatchesGetOnEveryScreen(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	acme := w.Organisation("acme")
	fork := w.Fork(acme).ID
	b := w.SignedIn(t, acme.Owner)
	for _, path := range []string{"/", "/account", "/account/password", "/account/two-step",
		"/docs",
		"/sign-in", "/nowhere", acme.At("/reports"), acme.At("/reports/%s", fork),
		acme.At("/reports/%s/plays.csv", fork), acme.At("/settings/audit-log"),
		acme.At("/settings/audit-log.csv"), acme.At("/settings/organisation"),
		acme.At("/settings/organisation/reporting-mode"), acme.At("/settings/api-keys"),
		acme.At("/settings/api-keys/new")} {
		got := b.Get(path)
		head := b.Send(http.MethodHead, path, "", webtest.FromHere)
		require.Equal(t, got.StatusCode, head.StatusCode, path)
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
