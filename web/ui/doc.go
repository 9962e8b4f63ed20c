// Package ui has what several packages of screens share. For example, Pages renders views, and methods
// of Services find the Principal of a request.
//
// A form posts to a path that shows the form's page on GET, except for /sign-out. If the session
// has ended, the sign-in therefore leads to that page.
//
// Creating a key, replacing one and changing the reporting mode need a recently entered password
// (Services.Reauthenticate).
//
// Decisions:
//   - html/template is used without gofiber/template, whose layouts take one lock for all pages.
//   - The session cookie is __Host- and Secure, also on http://127.0.0.1. Chromium and Firefox
//     accept such a cookie there, Safari does not.
package ui
