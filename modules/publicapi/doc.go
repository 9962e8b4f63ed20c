// Package publicapi is the reporting API, /api/v1: its OpenAPI document, routes and wire format. It
// owns no table.
//
// rules.md has the rules; openapi.yaml and errors.yaml are the contract.
//
// The path of a request (rules.md, Order of checks):
//
//	serve            http.go           inside or outside /api/v1/
//	authenticate     authenticate.go   slot among requests, key, rate limit (package apikeys)
//	route            http.go           path, method, scope
//	forkOf           access.go         the fork and its owner
//	reportQuery      query.go          parameters, period
//	the handler      forks.go, reports.go: opens the report
//	authorizeGroup   access.go         the owner of the report's group; then the handler reads it
//	wire.go                            JSON of statistics; package reports writes the CSV
//
// Two independent checks isolate organisations. Every statement but the look-ups of owners is
// scoped to the caller's organisation. The policy is asked about the owner of the loaded resource
// (walls_test.go of app/assembly).
//
// Mount is one middleware before every route of any fiber.App: it matches paths itself, keeps no
// string of fiber's, and writes its own errors (package httpserver). The tests run the whole
// program (app/assembly) and check every request and response against the contract;
// app/otherprogram runs the API on a plain fiber.
//
// Trade-offs:
//   - Routes are written by hand: generated ones parse the query before the handler, which would
//     respond 400 before 403 or 404.
//   - Statistics are appended by hand, not marshalled: that takes a tenth of the time.
//   - A body is made whole, so that it has a Content-Length and errors come before the first byte.
//     Large bodies wait for their share of memory (API.send).
package publicapi
