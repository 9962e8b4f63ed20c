// Package chaos kills the database, interrupts imports and fails each commit in turn. It attacks dg
// with slow and hostile clients, smuggled requests, and requests for hidden reports. outage_test.go
// checks responses, audit entries and leaks. tenant_test.go proves that the statements of every
// route are scoped to an organisation. With DG_CHAOS=1, as in make chaos, the tests have their full
// sizes. promises.md or mechanisms.md names each test.
package chaos
