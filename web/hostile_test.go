package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"dg/platform/testkit/fixtures"
)

// rules.md, Formats: a malformed id is an unknown id. An organisation is found by its exact slug, however the address encodes it.
func TestMalformedSlugIsNotFound(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	b := w.signedIn(t, acme.owner)
	for _, slug := range []string{"%00", "ac%00me", "%ff", "acme%2F", "%2Facme", "%2561cme", "ACME", "acme%20", "%E2%80%AEacme", "acme%E2%80%8B",
		"acme;", "..%2facme", "%2e%2e", strings.Repeat("a", 3000)} {
		p := b.get("/o/" + slug + "/reports")
		require.Equal(t, http.StatusNotFound, p.StatusCode, slug)
		require.Contains(t, p.body, "not found", slug)
	}
	require.Equal(t, http.StatusOK, b.get("/o/%61cme/reports").StatusCode)
	for _, path := range []string{"//acme/reports", "/o//acme/reports", "/o/acme/./reports", "/o/acme/x/../reports", "/o/acme/reports/", "/o/acme%2Freports"} {
		require.Equal(t, http.StatusNotFound, b.get(path).StatusCode, path)
	}
}

// rules.md, Order of checks: the ids of another organisation are unknown, wherever they are sent.
func TestForeignIDsAreNotFound(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme, other := w.organisation("acme"), w.organisation("other")
	fork, foreignFork := w.fork(acme).ID, w.fork(other).ID
	foreignGroup := w.db.GroupNamed(other.ID, "theirs")
	theirs := w.signedIn(t, other.owner)
	require.Equal(t, http.StatusSeeOther, theirs.post(other.at("/settings/organisation/reporting-mode"), toNominative(other)).StatusCode)
	entry := w.logOf(t, other)[0].ID
	session := regexpFind(t, `name="session" value="([0-9a-f]+)"`, theirs.get("/account").body)

	b := w.signedIn(t, acme.owner)
	for _, path := range []string{
		acme.at("/reports/%s", foreignFork), acme.at("/reports/%s/plays.csv", foreignFork), acme.at("/reports/%s?groupId=%s", fork, foreignGroup),
		acme.at("/reports/%s/plays.csv?groupId=%s", fork, foreignGroup), acme.at("/settings/audit-log?entry=%d", entry), other.at("/reports"),
		other.at("/settings/audit-log.csv"), other.at("/reports/%s", foreignFork),
	} {
		p := b.get(path)
		require.Equal(t, http.StatusNotFound, p.StatusCode, path)
		require.NotContains(t, p.body, other.Name, path)
		require.NotContains(t, p.body, "theirs", path)
	}
	require.Equal(t, http.StatusBadRequest, b.get(acme.at("/settings/audit-log?actor=%s", other.owner.ID)).StatusCode)
	for _, beside := range []string{"before", "after"} {
		require.NotContains(t, b.get(acme.at("/settings/audit-log?%s=%d", beside, entry)).body, "Reporting mode changed</span>")
	}
	require.Equal(t, http.StatusSeeOther, b.post("/account", url.Values{"session": {session}}).StatusCode)
	require.Equal(t, http.StatusOK, theirs.get("/account").StatusCode, "somebody else's session goes on")
}

// A form is its body: what an address says of a field, which anybody can make a link of and servers log, is not taken.
func TestFormFieldsInTheQueryAreIgnored(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	b := w.signedIn(t, acme.owner)
	path := acme.at("/settings/organisation/reporting-mode")
	p := b.post(path+"?mode=nominative", url.Values{"mode": {"pseudonymous"}})
	require.Equal(t, http.StatusSeeOther, p.StatusCode)
	require.Empty(t, w.logOf(t, acme), "the body's mode, which it was already")
	p = w.browser(t).post("/sign-in?password="+url.QueryEscape(fixtures.Password), url.Values{"email": {acme.owner.Email}})
	require.NotEqual(t, http.StatusSeeOther, p.StatusCode, "a password")
}

func TestShortPathsLeadToExistingScreens(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	b := w.signedIn(t, acme.owner)
	for _, path := range []string{"/", "/reports", "/settings", "/settings/organisation", "/settings/api-keys", "/settings/api-keys/new", "/settings/audit-log"} {
		p := b.get(path)
		require.Equal(t, http.StatusSeeOther, p.StatusCode, path)
		require.Equal(t, http.StatusOK, b.get(p.Header.Get("Location")).StatusCode, path)
	}
}

// HEAD gets what GET gets but the body, on every screen.
func TestHeadMatchesGetOnEveryScreen(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	fork := w.fork(acme).ID
	b := w.signedIn(t, acme.owner)
	for _, path := range []string{"/", "/account", "/account/password", "/account/two-step", "/docs", "/sign-in", "/nowhere", acme.at("/reports"), acme.at("/reports/%s", fork),
		acme.at("/reports/%s/plays.csv", fork), acme.at("/settings/audit-log"), acme.at("/settings/audit-log.csv"), acme.at("/settings/organisation"),
		acme.at("/settings/organisation/reporting-mode"), acme.at("/settings/api-keys"), acme.at("/settings/api-keys/new")} {
		got, head := b.get(path), b.send(http.MethodHead, path, "", fromHere)
		require.Equal(t, got.StatusCode, head.StatusCode, path)
		require.Empty(t, head.body, path)
		for _, name := range []string{"Cache-Control", "Content-Type", "Content-Security-Policy", "X-Frame-Options", "Location"} {
			require.Equal(t, got.Header.Get(name), head.Header.Get(name), "%s of %s", name, path)
		}
		require.Contains(t, got.Header.Get("Cache-Control"), "no-store", path)
	}
	w.untilFinished(t, acme, 1)
	require.Len(t, w.exportsOf(t, acme), 2, "one export, of GET")
}

// rules.md, Formats: days are strict, on screens as in the API.
func TestMalformedDayIsRejected(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := w.organisation("acme")
	fork := w.fork(acme).ID
	b := w.signedIn(t, acme.owner)
	for _, query := range []string{"from=2026-01-01%ff&to=2026-01-02", "from=2026-01-01%00&to=2026-01-02", "from=2026-01-01" + strings.Repeat("%20", 60) + "&to=2026-01-02"} {
		require.Equal(t, http.StatusBadRequest, b.get(acme.at("/reports/%s?", fork)+query).StatusCode, query)
	}
	require.Equal(t, http.StatusNotFound, b.get(fmt.Sprintf("%s?groupId=%s%%ff", acme.at("/reports/%s", fork), uuid.NewString())).StatusCode)
}
