// Package publicapi is the reporting API, /api/v1: its OpenAPI document, routes and wire format. It
// owns no table.
//
// rules.md has the rules and the order of checks; openapi.yaml and errors.yaml are the contract.
//
// Two independent checks isolate organisations. After authentication, every statement but the
// look-ups of owners is scoped to the caller's organisation. The policy is asked about the owner of
// the loaded resource (tenants_test.go of app/assembly).
//
// Mount is one middleware before every route of any fiber.App: it matches paths itself, keeps no
// string that fiber reuses, and writes the API's errors (package httpserver).
//
// Trade-offs:
//   - Routes are written by hand: generated ones parse the query first, and would respond 400
//     before 403 or 404.
//   - Statistics are appended by hand, because encoding/json takes ten times as long.
//   - A JSON body is built before it is sent: it has a Content-Length, and errors precede its first
//     byte. Large bodies wait for their share of memory (API.send).
package publicapi
