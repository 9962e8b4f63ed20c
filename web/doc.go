// Package web is the screens. routes.go is the table of them; each wing is a package:
//
//   - account: sign-in, and the account of a person
//   - reports: the reports of an organisation
//   - keys, auditlog, organisation: its settings
//   - docs: the documentation of the API
//
// A wing knows package ui and modules, never another wing. A screen is a handler, a view (a layout
// with the template's data) and a template of the same name. No package here owns a table.
//
// A request passes prepare (headers, a place among those of its organisation), rejectCrossOrigin
// (forms and downloads start from a page of this site), and the guard, which reads session, role and
// two-step verification: a revocation takes effect with the next request. The policy in configs/
// authorises each loaded object by its owner. A screen offers only what the policy allows.
//
// A committed change is answered as done, whatever fails after it. The next page confirms it once.
//
// Decisions:
//   - Pages are no-store, so that going back after the sign-out shows nothing.
//   - Unknown organisations and those of others get the same answer: 404.
//   - Screens have no rate: those of an organisation take turns with those of others.
package web
