// Package web is the screens: sign-in, an organisation's reports and settings, and the API's documentation. It owns no table.
//
// A screen is a Go file and a template of the same name, one screen action in a file. routes.go lists them all. A handler reads
// the request, calls the modules and renders a view: the template's data, with a layout (layout.go). Styles and script are in
// static/. recipes/ holds the programs that /docs shows: app's tests copy them from the pages and run them. The reference is made
// from the OpenAPI document (reference_document.go).
//
// Every request of a screen passes, in this order:
//   - prepare (middleware.go): security headers, timeout, the request for the audit log;
//   - rejectCrossOrigin (middleware.go): forms and downloads start from a page of this site only;
//   - anyone, person or member (authenticate.go): who is signed in, in which organisation, with which role.
//
// What the screens call of other modules is in ports.go. The policy is asked about the organisation that owns what was loaded: a
// statement that forgot the organisation shows nothing of another.
//
// A change that is committed is answered as done, whatever fails after it. The next page confirms it once (notice.go).
//
// A form that is sent after its session has ended is shown again after the sign-in, with its text (draft.go): a form has the address
// of its page, names its person, and lists the fields that are kept.
//
// The forms of new keys and of the reporting mode take a password that was entered recently, or ask
// for it (reauthentication.go).
//
// A dashboard shows two reports: its period's, and the totals of the period before it (comparison.go). One is read after the other,
// so that no request waits for a place among the reports while it holds one.
//
// Screens have no rate: an organisation's take turns with those of others, before the session is read (middleware.go) and before
// the work (screens.go).
//
// No request of the API passes them. Session, role and two-step verification are read for every request, so a revocation takes
// effect with the next one. The policy in configs/ decides what a person may do, and a screen offers only what it allows.
//
// /o/<slug>/… is a screen of an organisation. The same path without that prefix redirects to the reader's organisation: error
// pages and the documentation, which know no organisation, link there.
//
// The product's own sign-in replaces this one at Authenticator (session.go).
//
// Decisions:
//   - html/template without gofiber/template, whose layouts take one lock for all pages.
//   - Pages are no-store: after the sign-out nobody reads them by going back.
//   - The session cookie is __Host- and Secure, also on http://127.0.0.1. Chromium and Firefox accept that, Safari does not.
//   - Unknown organisations and those of others get the same answer: 404.
package web
