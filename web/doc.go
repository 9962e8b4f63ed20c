// Package web serves the screens; routes.go is the table of their routes. Packages of screens, such
// as web/account, do not import one another. A screen is a handler, a view (a layout with the
// template's data) and a template. No package here owns a table.
//
// prepare sets headers and takes a slot of limit.Requests. rejectCrossOrigin refuses forms and
// downloads that another site starts. ui/guard.go reads the session and the role from the database,
// so that a lost role takes effect with the next request. The policy in configs/ authorises loaded
// objects by their owner.
//
// After a change is committed, a failed read does not turn the response into an error.
//
// Decisions:
//   - Another's organisation gets the same 404 as an unknown one, so that slugs cannot be probed.
//   - Screens have no limit of requests per minute: limit.Requests bounds the concurrent ones.
package web
