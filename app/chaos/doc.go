// Package chaos breaks what dg depends on (the database, imports, each commit in turn), attacks it
// (slow and hostile clients, smuggled requests, requests for hidden reports) and looks for leaks;
// outage_test.go has the checks. tenant_test.go sends the statements of every route, and proves that
// each is scoped to an organisation. With DG_CHAOS=1, as in make chaos, the tests have their full
// sizes. promises.md or mechanisms.md names each test.
package chaos
