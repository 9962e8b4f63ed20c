// Package web is the screens. routes.go lists them all and mounts the wings, a package each:
//
//   - account: sign-in, and the account of a person
//   - reports: the reports of an organisation
//   - keys, auditlog, organisation: its settings
//   - docs: the documentation of the API
//
// A wing knows package ui and modules, never another wing. It has a Handler, in account and keys two;
// the interfaces of the modules that it calls (ports.go); and for each screen a Go file and a template
// of the same name. A handler reads the request, calls the modules and renders a view: a layout with
// the template's data. No package here owns a table.
//
// Every request of a screen behind the sign-in passes, in this order:
//   - prepare (middleware.go): security headers, the queue of its organisation, the request for the
//     audit log;
//   - rejectCrossOrigin (middleware.go): forms and downloads start from a page of this site only;
//   - anyone, person or member (authenticate.go): the person, their organisation and role.
//
// No request of the API passes them. Session, role and two-step verification are read for every
// request, so a revocation takes effect with the next one. The policy in configs/ authorises each
// loaded object by its owner: a statement without its organisation shows nothing of another. A screen
// offers only what the policy allows.
//
// A committed change is answered as done, whatever fails after it. The next page confirms it once.
//
// Screens have no rate: those of an organisation take turns with those of others, before the session
// is read (middleware.go) and before the work (screens.go).
//
// /o/<slug>/… is a screen of an organisation. Mount lists short paths that redirect there: error pages
// and the documentation know no organisation.
//
// Decisions:
//   - Pages are no-store, so that going back after the sign-out shows nothing.
//   - Unknown organisations and those of others get the same answer: 404.
package web
