// Package ui has what the packages of screens share. Their Handlers embed one or both of:
//
//   - Pages renders a view in the layout of all screens. Its templates are those of this package
//     and of the screen's package.
//   - Guard finds the Principal of a request: the person, their organisation and role.
//
// Other files have forms, paging of lists, formats of numbers and dates, charts, notices and
// cookies. Styles and scripts are in static/. Code that only one package uses is not here.
//
// A form posts to the address of its page. If the session has ended, the sign-in therefore leads
// back to the page.
//
// Creating a key, replacing one and changing the reporting mode need a recently entered password
// (Guard.Reauthenticate).
//
// Decisions:
//   - html/template is used without gofiber/template, whose layouts take one lock for all pages.
//   - The session cookie is __Host- and Secure, also on http://127.0.0.1. Chromium and Firefox
//     accept such a cookie there, Safari does not.
package ui
