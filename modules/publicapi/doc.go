// Package publicapi is the reporting API, /api/v1: its OpenAPI document, routes and wire format. It
// owns no table.
//
// rules.md has the rules and the order of checks; openapi.yaml and errors.yaml are the contract.
//
// Two independent checks isolate organisations (tenants_test.go of app/assembly). After
// authentication, every statement is scoped to the caller's organisation, except the look-ups of a
// resource's owner. The policy is then asked about the owner of the loaded resource.
//
// Trade-offs:
//   - Routes are written by hand: generated ones would parse the query first, and respond 400
//     before 403 or 404.
//   - A JSON body is built before it is sent, so that it has a Content-Length and an error can
//     still replace it. API.send bounds the memory of large bodies.
package publicapi
