// Package browsertest gives a test a page in a real browser.
//
// All tests of a process share one headless Chromium (DG_CHROMIUM names another program). Each Page
// has its own browser context with cookies, cache and storage, which closes with its test. The
// browser and its folder end with the test process, also if it is killed. TestMain needs no call.
//
// An action waits until its element is there, and until a load that it began is over. Wait with
// WaitFor for later changes by scripts. Do performs any action of chromedp, and Eval any script.
//
// Errors in the console, exceptions and violations of the Content-Security-Policy fail the test at
// its end. An error page (404) is not an error. Start the server before the page: the page must
// close first.
//
// A selector is CSS, and may end in :text("…"), which keeps the elements with exactly that text. It
// must match one visible element.
//
// axe.min.js is axe-core 4.14.1, unchanged, under the Mozilla Public License 2.0
// (axe-core.LICENSE). It is not part of the program.
package browsertest
