// Package browsertest gives a test a page in a real browser, with few methods, so that a journey reads as a person would
// tell it.
//
// All tests of a process share one headless Chromium; each Page is in a browser context of its own (cookies, cache,
// storage), which goes with its test. There is nothing to call in TestMain: the browser ends when the test process does,
// killed or not, and its folder goes with it (see launch.go). DG_CHROMIUM names the browser to use, else it is found.
//
// A method that cannot do its deed ends the test with a sentence. Each waits for what it needs, no longer than patience:
// Open, Click and Press until the load that they began is over, the others until their element is there. What a script
// does later is waited for with WaitFor.
//
// A page must not complain: errors in the console, exceptions and what the Content-Security-Policy blocks fail the test
// when it ends, unless AllowError names them. A page that is itself an error (404) is no complaint. Start the server before
// the page: what ends first must be the page.
//
// A selector is CSS. It may end in :text("…"), which keeps the elements with exactly that text. It must name one visible
// element: where it names several, the sentence says how many.
//
// axe.min.js is axe-core 4.14.1, unchanged, under the Mozilla Public License 2.0 (axe-core.LICENSE). It is a tool of the
// tests and not part of the program.
package browsertest
