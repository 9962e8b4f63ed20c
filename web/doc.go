// Package web serves the screens. routes.go is the table of their routes. The packages of screens:
//
//   - account: the sign-in, and a person's account
//   - reports: the list of an organisation's forks, and the report of each
//   - keys, auditlog, organisation: the settings of an organisation
//   - docs: the documentation of the API
//
// These packages import ui and modules, never one another. A screen is a handler, a view (a layout
// with the template's data) and a template. No package here owns a table.
//
// A request passes prepare (headers, a slot among those of its organisation), rejectCrossOrigin
// (forms and downloads start from a page of this site) and the guard. The guard reads session, role
// and two-step verification each time: a lost role takes effect with the next request. The policy
// in configs/ authorises each loaded object by its owner. Screens offer only what the policy
// allows.
//
// Once a change is committed the response reports success, even if a later step fails. A notice on
// the next page confirms the change once (ui.Flash).
//
// Decisions:
//   - Pages are no-store, so that the browser's Back button shows nothing after the sign-out.
//   - An unknown organisation and one without the person get the same 404: slugs cannot be probed.
//   - Screens have no rate limit: limit.Requests bounds the concurrent requests of an organisation.
package web
