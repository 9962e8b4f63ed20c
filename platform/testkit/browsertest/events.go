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

// pageState follows the browser's events, which arrive before the responses to later commands.
type pageState struct {
	ctx       context.Context // context of the tab
	mu        sync.Mutex
	loading   bool
	requested bool // a load was requested but has not begun

	documentRequests []network.RequestID // requests whose error responses are no faults
	errors           []string
	mayLeave         func() bool // answers the prompt whether to leave the page; nil: yes
}

func (s *pageState) isLoading() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.loading || s.requested
}

// OnLeavePrompt sets the answer to the browser's question whether to leave the page (beforeunload).
// The default is to leave.
func (s *pageState) OnLeavePrompt(mayLeave func() bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mayLeave = mayLeave
}

// faults returns the errors so far and clears them.
func (s *pageState) faults() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	faults := s.errors
	s.errors = nil
	return faults
}

func (s *pageState) handle(event any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e := event.(type) {
	case *page.EventFrameRequestedNavigation:
		s.requested = e.Disposition == page.ClientNavigationDispositionCurrentTab
	case *page.EventFrameStartedLoading:
		s.loading = true
		s.requested = false
	case *page.EventFrameStoppedLoading:
		s.loading = false
		s.requested = false
	case *page.EventNavigatedWithinDocument:
		s.requested = false
	case *page.EventJavascriptDialogOpening:
		accept := e.Type != page.DialogTypeBeforeunload || s.mayLeave == nil || s.mayLeave()
		// The error can be ignored: the page is closing, or the action that waits for the dialog fails.
		go func() {
			_, _ = chromedp.Call(s.ctx, page.HandleJavaScriptDialog,
				page.HandleJavaScriptDialogParams{Accept: accept})
		}()
	case *page.EventJavascriptDialogClosed:
		if !e.Result {
			s.loading = false
			s.requested = false
		}
	default:
		s.handleError(event)
	}
}

func (s *pageState) handleError(event any) {
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if e.Type == network.ResourceTypeDocument || e.Request.Method == http.MethodPost {
			s.documentRequests = append(s.documentRequests, e.RequestID)
		}
	case *log.EventEntryAdded:
		// An error status of a document or a form is not a fault.
		if e.Entry.Level == log.EntryLevelError &&
			!slices.Contains(s.documentRequests, e.Entry.NetworkRequestID) {
			s.errors = append(s.errors,
				strings.TrimSpace(fmt.Sprintf("%s %s", e.Entry.Text, e.Entry.URL)))
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError ||
			e.Type == runtime.ConsoleAPICalledTypeAssert {
			s.errors = append(s.errors, "console: "+quoted(e.Args))
		}
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			text += " " + e.ExceptionDetails.Exception.Description
		}
		s.errors = append(s.errors, text)
	}
}
