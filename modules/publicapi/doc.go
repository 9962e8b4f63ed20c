// Package publicapi is the reporting API, /api/v1: its OpenAPI document, routes and wire format. It
// owns no table.
//
// rules.md has the rules. openapi.yaml and errors.yaml are the contract and are written first; a
// test writes examples.json from the demo. `make generate` derives openapi.json and the rows of
// errors in /docs.
//
// The path of a request (rules.md, Order of checks):
//
//	guard          authenticate.go   inside or outside /api/v1/, authentication, rate limit (package apikeys)
//	route          http.go           path, method, scope
//	forkOf         access.go         the fork and its owner
//	reportQuery    query.go          parameters, period
//	the handler    forks.go, stats.go, export.go: opens the report
//	authorize      access.go         the owner of the report's group; then the handler reads it
//	wire.go                          JSON; package reports writes the CSV
//
// ports.go declares the interfaces of other modules, so that another program can provide its own.
//
// Two independent checks isolate organisations: every statement but the lookups of owners is scoped
// to the caller's organisation, and the policy is asked about the owner of the loaded resource
// (walls_test.go of app/assembly).
//
// guard is middleware before every route of the program. The tests therefore run the whole program
// (app/assembly), and check every request and response against the contract.
//
// Trade-offs:
//   - Routes are written by hand: generated ones parse the query before the handler, which would
//     answer 400 before 403 or 404.
//   - Bodies are appended by hand, not marshalled: the format is exact (three decimals, "[]" and
//     never null), and a list of 100,000 players costs a tenth.
//   - Players of statistics are appended while they are sent, which bounds memory. Whatever can
//     fail happens before. A long response has no Content-Length.
//   - Encoded forks are cached by the organisation's version: a list of 50 forks takes a third of
//     the time, one of 2,000 a sixth.
package publicapi
