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
