package browsertest

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// events tracks the page's state by the browser's events. They arrive before the responses to later
// commands.
type events struct {
	ctx       context.Context // context of the tab
	mu        sync.Mutex
	loading   bool
	requested bool // a load was requested but has not begun

	documentRequests []network.RequestID // requests whose error responses are no faults
	errors           []string
	mayLeave         func() bool // answers the prompt whether to leave the page; nil: yes
}

func (w *events) isLoading() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.loading || w.requested
}

// OnLeavePrompt sets the answer to the browser's question whether to leave the page (beforeunload).
// The default is to leave.
func (w *events) OnLeavePrompt(mayLeave func() bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.mayLeave = mayLeave
}

// faults returns the errors so far and clears them.
func (w *events) faults() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	faults := w.errors
	w.errors = nil
	return faults
}

func (w *events) handle(event any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e := event.(type) {
	case *page.EventFrameRequestedNavigation:
		w.requested = e.Disposition == page.ClientNavigationDispositionCurrentTab
	case *page.EventFrameStartedLoading:
		w.loading = true
		w.requested = false
	case *page.EventFrameStoppedLoading:
		w.loading = false
		w.requested = false
	case *page.EventNavigatedWithinDocument:
		w.requested = false
	case *page.EventJavascriptDialogOpening:
		accept := e.Type != page.DialogTypeBeforeunload || w.mayLeave == nil || w.mayLeave()
		// The error can be ignored: the page is closing, or the action that waits for the dialog fails.
		go func() {
			_, _ = chromedp.Call(w.ctx, page.HandleJavaScriptDialog,
				page.HandleJavaScriptDialogParams{Accept: accept})
		}()
	case *page.EventJavascriptDialogClosed:
		if !e.Result {
			w.loading = false
			w.requested = false
		}
	default:
		w.handleError(event)
	}
}

func (w *events) handleError(event any) {
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if e.Type == network.ResourceTypeDocument || e.Request.Method == http.MethodPost {
			w.documentRequests = append(w.documentRequests, e.RequestID)
		}
	case *log.EventEntryAdded:
		// An error status of a document or a form is not a fault.
		if e.Entry.Level == log.EntryLevelError &&
			!slices.Contains(w.documentRequests, e.Entry.NetworkRequestID) {
			w.errors = append(w.errors,
				strings.TrimSpace(fmt.Sprintf("%s %s", e.Entry.Text, e.Entry.URL)))
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError ||
			e.Type == runtime.ConsoleAPICalledTypeAssert {
			w.errors = append(w.errors, "console: "+quoted(e.Args))
		}
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			text += " " + e.ExceptionDetails.Exception.Description
		}
		w.errors = append(w.errors, text)
	}
}
