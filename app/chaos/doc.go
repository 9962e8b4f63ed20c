// Package chaos breaks what dg depends on (database, imports, migrations, each statement in turn),
// attacks it (slow and hostile clients, one organisation's load, smuggled requests, requests for
// hidden reports) and looks for leaks; outage_test.go has the checks. tenant_test.go runs every route
// and command, and proves that each statement is scoped to an organisation. With DG_CHAOS=1, as in
// make chaos, the tests have their full sizes. Each test proves a promise of /docs/security.
package chaos
