// Package web is the screens. routes.go is the table of them. They are in packages:
//
//   - account: sign-in, and the account of a person
//   - reports: the reports of an organisation
//   - keys, auditlog, organisation: its settings
//   - docs: the documentation of the API
//
// These packages import ui and modules, never one another. A screen is a handler, a view (a layout
// with the template's data) and a template of the same name. No package here owns a table.
//
// A request passes prepare (headers, a slot among those of its organisation), rejectCrossOrigin
// (forms and downloads start from a page of this site), and the guard, which reads session, role
// and two-step verification: a revocation takes effect with the next request. The policy in
// configs/ authorises each loaded object by its owner. A screen offers only what the policy allows.
//
// After the commit of a change the response confirms it, even if a later step fails. The next page
// confirms it once.
//
// Decisions:
//   - Pages are no-store, so that going back after the sign-out shows nothing.
//   - Unknown organisations and those of others get the same response: 404.
//   - Screens have no rate limit: limit.Requests shares the connections among organisations.
package web
