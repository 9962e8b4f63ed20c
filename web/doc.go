// Package web is the screens: sign-in, an organisation's reports and settings, and the API's page. It owns no table.
//
// A screen is a file of Go, named after it, and a template of the same name. Its handler reads the request, calls the
// modules and shows a view: the template's data, with a layout in it (layout.go) for what stands around every screen. The
// markup, words and classes are those of the design kit, whose stylesheet and script are in static/.
//
// What every request of a screen passes, in this order (routes.go; no other request does, least of all one of the API): the headers of headers.go; for what changes something, the guard of
// csrf.go; then, by the kind of its route, a visit (visit.go): who is signed in, in which organisation, with which role.
// Session, role and two-step verification are read at each request, so what is taken away is gone at the next one. What a
// person may do is decided by the one policy in configs/, in visit.may, for the permission and for the offer of it alike.
//
// Addresses: /o/<organisation's slug>/… is a screen of an organisation; the same path without that prefix finds the
// reader's organisation, which is how texts that know none (errors, the API's page) can point to a screen.
//
// Downloads begin on their screen only (downloads.go).
//
// The seam to the product's own sign-in is Authenticator.
//
// Trades:
//   - html/template alone, without gofiber/template: of that nothing would be used but its loader, and its layouts take
//     one lock for all pages at once.
//   - Every page of somebody signed in is no-store: going back loads it again, and nobody reads it after a sign-out.
//   - The session's cookie is __Host- and Secure, also on http://127.0.0.1, where Chromium and Firefox keep it and Safari
//     does not: on a Mac, try the demo in one of the others.
//   - An organisation that does not exist and one of which the reader is no member are answered alike: 404.
package web
