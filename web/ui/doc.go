// Package ui is what the packages of screens share. Their Handlers embed one or both of:
//
//   - Pages renders a view in the layout of all screens, from the templates of this package and of
//     the screen's.
//   - Guard finds the Principal of a request: the person, their organisation and role.
//
// Further files have forms, pages of lists, days, the format of numbers and dates, charts, notices
// and cookies. Styles and scripts are in static/. Code of a single package is not here.
//
// A form has the address of its page, to which the sign-in leads back after the session has ended.
//
// The forms of new keys, of replacements and of the reporting mode take a recent password, or ask for
// it (Guard.Reauthenticate).
//
// Decisions:
//   - html/template without gofiber/template, whose layouts take one lock for all pages.
//   - The session cookie is __Host- and Secure, also on http://127.0.0.1. Chromium and Firefox
//     accept that, Safari does not.
package ui
