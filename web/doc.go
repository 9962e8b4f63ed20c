// Package web serves the screens; routes.go is the table of their routes. A package of screens
// imports ui and modules, never another package of screens. A screen is a handler, a view (a layout
// with the template's data) and a template. No package here owns a table.
//
// A request passes prepare (headers, a slot among those of its organisation), rejectCrossOrigin
// (forms and downloads start from a page of this site) and the guard. The guard reads session, role
// and two-step verification each time: a lost role takes effect with the next request. The policy
// in configs/ authorises each loaded object by its owner.
//
// Once a change is committed the response reports success, even if a later step fails.
//
// Decisions:
//   - An unknown organisation and one without the person get the same 404: slugs cannot be probed.
//   - Screens have no rate limit: limit.Requests bounds the concurrent requests of an organisation.
package web
