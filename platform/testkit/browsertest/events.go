package browsertest

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
)

// events is what the browser's events tell of a page. They come in order, and before the answers to
// later commands.
type events struct {
	mu        sync.Mutex
	loading   bool
	requested bool // a load was requested and has not begun
	address   string
	document  network.RequestID // the last request for a page

	errors, allowed     []string
	leavePrompts        int
	dismissLeavePrompts bool // the reader dismissLeavePrompts on the page
	onDialog            func(accept bool)
}

// loaded reports whether no load is under way.
func (w *events) loaded() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.loading && !w.requested
}

// lastAddress returns where the page is, without asking a page that may hang.
func (w *events) lastAddress() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.address
}

// LeavePrompts returns how often the browser asked whether to leave a page.
func (w *events) LeavePrompts() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.leavePrompts
}

// DismissLeavePrompts makes the reader stay when the browser asks whether to leave the page
// (beforeunload). The default is to leave. LeavePrompts counts the prompts.
func (w *events) DismissLeavePrompts() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dismissLeavePrompts = true
}

// AllowError allows errors that contain the text.
func (w *events) AllowError(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.allowed = append(w.allowed, text)
}

// faults returns the errors so far that are not allowed.
func (w *events) faults() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(w.errors), func(e string) bool {
		return slices.ContainsFunc(w.allowed, func(text string) bool {
			return strings.Contains(e, text)
		})
	})
}

// handle takes the next event.
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
	case *page.EventFrameNavigated:
		if e.Frame.ParentID == "" {
			w.address = e.Frame.URL + e.Frame.URLFragment
		}
	case *page.EventJavascriptDialogOpening:
		w.handleDialog(e)
	case *page.EventJavascriptDialogClosed:
		if !e.Result {
			w.loading = false
			w.requested = false
		}
	default:
		w.handleError(event)
	}
}

func (w *events) handleDialog(e *page.EventJavascriptDialogOpening) {
	accept := true
	if e.Type == page.DialogTypeBeforeunload {
		w.leavePrompts++
		accept = !w.dismissLeavePrompts
	} else {
		w.errors = append(w.errors,
			fmt.Sprintf("it opened the browser's own %s: %s", e.Type, e.Message))
	}
	go w.onDialog(accept)
}

func (w *events) handleError(event any) {
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if e.Type == network.ResourceTypeDocument {
			w.document = e.RequestID
		}
	case *log.EventEntryAdded:
		// The page itself may be an error page.
		id := e.Entry.NetworkRequestID
		if e.Entry.Level == log.EntryLevelError && (id == "" || id != w.document) {
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
