// Package browsertest gives a test a page in a real browser.
//
// All tests of a process share one headless Chromium. Each Page has a browser context of its own
// (cookies, cache, storage), which closes with its test. The browser ends with the test process,
// killed or not, and its folder is removed (see launch.go): TestMain needs no call. DG_CHROMIUM
// names the browser to use.
//
// A method that fails ends the test with a sentence. Each waits for what it needs, at most for
// timeout: Open, Click and Press until the load that they began is over, the others until their
// element is there. Wait with WaitFor for what a script does later.
//
// A page must not have errors: errors in the console, exceptions and what the
// Content-Security-Policy blocks fail the test when it ends, unless AllowError names them. A page
// that is itself an error (404) is none. Start the server before the page: the page must end first.
//
// A selector is CSS, and may end in :text("…"), which keeps the elements with exactly that text. It
// must match one visible element.
//
// axe.min.js is axe-core 4.14.1, unchanged, under the Mozilla Public License 2.0
// (axe-core.LICENSE). It is not part of the program.
package browsertest
