// Package ui is what the wings of the screens share. A wing's Handler embeds one or both of the
// types that carry it:
//
//   - Pages renders a view in the layout that surrounds every screen. Its templates are those of
//     this package and of the wing.
//   - Guard finds the Principal of a request: who asks, in which organisation, with which role.
//
// Beside them are forms, pages of lists, days, the reader's way of writing numbers and dates
// (Locale), axes, notices and cookies. Styles and script are in static/. What belongs to one wing
// only is not here.
//
// The product's own sign-in replaces this one at Authenticator (session.go).
//
// A form that is sent after its session has ended is shown again after the sign-in, with its text
// (draft.go): a form has the address of its page, names its person, and lists the fields that are
// kept.
//
// The forms of new keys, of replacements and of the reporting mode take a password that was entered recently, or ask
// for it (reauthentication.go).
//
// Decisions:
//   - html/template without gofiber/template, whose layouts take one lock for all pages.
//   - The session cookie is __Host- and Secure, also on http://127.0.0.1. Chromium and Firefox
//     accept that, Safari does not.
package ui
