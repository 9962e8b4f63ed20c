// Package web serves the screens; routes.go is the table of their routes. Packages of screens, such
// as web/account, do not import one another. A screen is a handler, a view (a layout with the
// template's data) and a template. No package here owns a table.
//
// A request first passes prepare: headers and, with a session cookie, a slot of limit.Requests.
// rejectCrossOrigin then refuses forms and downloads that do not start from a page of this site.
// Screens behind the sign-in pass the guard last. It reads session, role and two-step verification
// each time, so a lost role takes effect with the next request. The policy in configs/ authorises
// loaded objects, such as forks and keys, by the organisation that owns them.
//
// After a change is committed, a failed read does not turn the response into an error.
//
// Decisions:
//   - An unknown organisation and one without the person get the same 404: slugs cannot be probed.
//   - Screens have no limit of requests per minute: limit.Requests bounds the concurrent ones.
package web
