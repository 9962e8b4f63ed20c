package browsertest

import (
	"fmt"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
)

// watch is what is known of a page from the browser's events, which come in order and before the answers to commands
// that were sent later.
type watch struct {
	mu       sync.Mutex
	changed  chan struct{} // closed and replaced when loading changes
	loading  bool
	coming   bool // a load was asked for and has not begun
	address  string
	status   int
	loader   cdp.LoaderID                       // of the document
	requests map[network.RequestID]cdp.LoaderID // whose request it is
	bytes    map[cdp.LoaderID]int

	complaints, forgiven []string
	asked                int
	leave                bool
	onDialog             func(leave bool)
}

func newWatch() *watch {
	return &watch{
		changed: make(chan struct{}), address: "about:blank",
		requests: map[network.RequestID]cdp.LoaderID{}, bytes: map[cdp.LoaderID]int{},
	}
}

// loaded says whether no load is under way, and else gives what is closed when that may have changed.
func (w *watch) loaded() (bool, <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.loading && !w.coming, w.changed
}

// Status is the HTTP status of the page.
func (w *watch) Status() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.status
}

// TransferSize is how many bytes came over the network for the page: all its files with their headers, redirects too.
func (w *watch) TransferSize() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.bytes[w.loader]
}

// LeavePrompts is how often the browser asked whether to leave a page.
func (w *watch) LeavePrompts() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.asked
}

func (w *watch) event(event any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e := event.(type) {
	case *page.EventFrameRequestedNavigation:
		if e.Disposition == page.ClientNavigationDispositionCurrentTab {
			w.now(w.loading, true)
		}
	case *page.EventFrameStartedLoading:
		w.now(true, false)
	case *page.EventFrameStoppedLoading:
		w.now(false, false)
	case *page.EventNavigatedWithinDocument:
		w.address = e.URL
		w.now(w.loading, false)
	case *page.EventFrameNavigated:
		if e.Frame.ParentID == "" {
			w.address, w.loader = e.Frame.URL+e.Frame.URLFragment, e.Frame.LoaderID
		}
	case *page.EventJavascriptDialogOpening:
		w.dialog(e)
	case *page.EventJavascriptDialogClosed:
		if !e.Result {
			w.now(false, false)
		}
	default:
		w.traffic(event)
		w.complaint(event)
	}
}

func (w *watch) now(loading, coming bool) {
	w.loading, w.coming = loading, coming
	close(w.changed)
	w.changed = make(chan struct{})
}

func (w *watch) dialog(e *page.EventJavascriptDialogOpening) {
	leave := w.leave
	if e.Type == page.DialogTypeBeforeunload {
		w.asked++
	} else {
		leave = true
		w.complaints = append(w.complaints, fmt.Sprintf("it opened the browser's own %s: %s", e.Type, e.Message))
	}
	go w.onDialog(leave)
}

// traffic counts bytes and reads the status.
func (w *watch) traffic(event any) {
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		w.requests[e.RequestID] = e.LoaderID
		if e.RedirectResponse != nil {
			w.bytes[e.LoaderID] += int(e.RedirectResponse.EncodedDataLength)
		}
	case *network.EventLoadingFinished:
		if loader, ok := w.requests[e.RequestID]; ok {
			w.bytes[loader] += int(e.EncodedDataLength)
		}
	case *network.EventResponseReceived:
		if e.Type == network.ResourceTypeDocument {
			w.status = int(e.Response.Status)
		}
	}
}

func (w *watch) complaint(event any) {
	switch e := event.(type) {
	case *log.EventEntryAdded:
		// The page itself may be an error: its request has the id of its loader.
		id := e.Entry.NetworkRequestID
		document := id != "" && w.requests[id] == cdp.LoaderID(id)
		if e.Entry.Level == log.EntryLevelError && !document {
			w.complaints = append(w.complaints, strings.TrimSpace(fmt.Sprintf("%s %s", e.Entry.Text, e.Entry.URL)))
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeAssert {
			w.complaints = append(w.complaints, "console: "+words(e.Args))
		}
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			text += " " + e.ExceptionDetails.Exception.Description
		}
		w.complaints = append(w.complaints, text)
	}
}

func words(args []*runtime.RemoteObject) string {
	all := make([]string, len(args))
	for i, a := range args {
		all[i] = a.Description
		if a.Description == "" {
			all[i] = string(a.Value)
		}
	}
	return strings.Join(all, " ")
}
