package web_test

import (
	"strings"
	"testing"

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
