// Package web is the screens. routes.go lists them all and mounts the wings, a package each:
//
//   - account: sign-in, and the account of a person
//   - reports: the reports of an organisation
//   - keys, auditlog, organisation: its settings
//   - docs: the documentation of the API
//
// A wing knows package ui and modules, never another wing. It is a Handler, its ports (ports.go:
// what it calls of other modules), and a Go file and a template of the same name for each screen, with
// their tests beside them. A handler reads the request, calls the modules and renders a view: the template's data,
// with a layout. No package here owns a table.
//
// Every request of a screen behind the sign-in passes, in this order:
//   - prepare (middleware.go): security headers, the queue it waits in, the request for the audit
//     log;
//   - rejectCrossOrigin (middleware.go): forms and downloads start from a page of this site only;
//   - anyone, person or member (authenticate.go): who is signed in, in which organisation, with
//     which role.
//
// The policy is asked about the organisation that owns what was loaded: a statement that forgot the
// organisation shows nothing of another.
//
// A change that is committed is answered as done, whatever fails after it. The next page confirms
// it once.
//
// Screens have no rate: an organisation's take turns with those of others, before the session is
// read (middleware.go) and before the work (screens.go).
//
// No request of the API passes them. Session, role and two-step verification are read for every
// request, so a revocation takes effect with the next one. The policy in configs/ decides what a
// person may do, and a screen offers only what it allows.
//
// /o/<slug>/… is a screen of an organisation. Those that Mount lists redirect there
// without that prefix: error pages and the documentation know no organisation.
//
// Decisions:
//   - Pages are no-store: after the sign-out nobody reads them by going back.
//   - Unknown organisations and those of others get the same answer: 404.
package web
