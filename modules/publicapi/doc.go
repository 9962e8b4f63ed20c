// Package publicapi is the reporting API, /api/v1: its OpenAPI document, its routes and its wire form. It owns no table.
//
// rules.md has the rules of the API. openapi.yaml and errors.yaml are its contract and are written first; examples.json is what
// the demo answers, and a test writes it. `make generate` generates from them openapi.json and postman.json, which the service
// serves, the client that the tests use, and the rows of errors in /docs.
//
// The path of a request, in the order of rules.md, Order of checks:
//
//	guard          authenticate.go   inside or outside /api/v1/, authentication, rate limit (package apikeys)
//	route          http.go           path, method, scope
//	forkOf         access.go         the fork and its owner
//	reportQuery    query.go          parameters, period, group
//	the handler    forks.go, stats.go, export.go
//	wire.go                          JSON; package reports writes the CSV
//
// ports.go declares what it calls of other modules: a program with others of its own provides these.
//
// Two walls keep organisations apart: every statement but the lookups of owners is scoped to the caller's organisation,
// and the policy is asked about the owner of what was loaded. Each holds alone (walls_internal_test.go, walls_test.go).
// A group has the first one only: the report that reads its members looks for it within the fork's organisation.
//
// guard is one middleware in front of every route of the program. The tests therefore run on the whole program
// (app/assembly), and check every request and response against the contract.
//
// Trade-offs:
//   - Routes are written by hand: generated ones read the query before a handler runs, and so would answer 400 when the order
//     of checks asks for 403 or 404.
//   - Bodies are appended by hand rather than marshalled from generated types: the formats are exactly those of the contract
//     (three decimals of a second, "[]" and never null), and a list of 100,000 players costs a tenth.
//   - The players of statistics are appended while they are sent: 14 MB at once were the most of what a report held. What can fail is
//     done before. A long answer has no length.
//   - Encoded forks are cached under the organisation's version: without the cache a list of 50 forks takes three times as
//     long, one of 2,000 six times.
package publicapi
