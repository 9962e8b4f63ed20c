// Package publicapi is the reporting API, /api/v1: its document, its routes, its wire form. It owns no table.
//
// A request goes: guard (in or out of /api/v1/, authentication, rate) → route → scope → fork → parameters → answer, in the
// order of decisions, "Order of checks". The order is the code's order: guard is one middleware in front of every route
// of the program, route checks the scope, forkOf the fork, and a handler the rest.
//
// openapi.yaml is the contract and is written first. The client of the tests is generated from it, and the tests check
// every request and response of theirs against it, on the whole program (app/assembly): what stands beside the API must
// never answer inside it.
//
// Trades:
//   - Routes are four lines by hand rather than generated: generated ones read the query before a handler runs, and so
//     would answer 400 where the order of checks asks for 403 or 404.
//   - Bodies are appended by hand (wire.go) rather than marshalled from generated types: formats are then exactly those
//     of the contract (three decimals of a second, "[]" and never null), and a list of 100,000 players costs a tenth.
//   - HEAD of the statistics computes them, to send the same headers as GET.
package publicapi
