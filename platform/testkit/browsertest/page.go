package browsertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience is how long a thing may take. It is long because tests share a machine; nothing waits for it in vain but a
// test that fails.
const patience = 20 * time.Second

// Page is one tab. It is for one goroutine.
type Page struct {
	t   testing.TB
	ctx context.Context // of chromedp: the tab
	*watch
}

// Option changes how a page is.
type Option func(*Page)

// NoScript is for a reader whose browser runs no script. Eval works all the same.
func NoScript() Option {
	return func(p *Page) {
		do(p, "switch scripts off", emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	}
}

// New gives t a page of its own, empty, 1280 px wide, in the light scheme. It is closed when t and its subtests have
// ended, and its complaints fail t.
//
// Where there is no browser the test is skipped, and fails when the environment has CI.
func New(t testing.TB, options ...Option) *Page {
	t.Helper()
	browserContext, err := started()
	if err != nil {
		unavailable(t, err)
	}
	ctx, closeTab := chromedp.NewContext(browserContext, chromedp.WithNewBrowserContext())
	p := &Page{t: t, ctx: ctx, watch: newWatch()}
	t.Cleanup(func() {
		closeTab()
		for _, c := range p.Errors() {
			t.Errorf("browser: the page complained: %s", c)
		}
	})
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("browser: open a tab: %v", err)
	}
	if err := chromedp.Listen(ctx, p.event); err != nil {
		t.Fatalf("browser: listen to the tab: %v", err)
	}
	p.onDialog = p.answerDialog
	p.leave = true
	do(p, "keep the focus", emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	p.Emulate(1280, false)
	tab := chromedp.FromContext(ctx)
	_, err = chromedp.CallBrowser(ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorDeny, BrowserContextID: tab.BrowserContextID,
	})
	if err != nil {
		t.Fatalf("browser: refuse downloads: %v", err)
	}
	for _, o := range options {
		o(p)
	}
	return p
}

// With is the same page for a subtest.
func (p *Page) With(t testing.TB) *Page {
	same := *p
	same.t = t
	return &same
}

// do runs a command of the protocol, which must not fail.
func do[P, R any](p *Page, deed string, command cdp.Command[P, R], params P) R {
	p.t.Helper()
	ctx, stop := context.WithTimeout(p.ctx, patience)
	defer stop()
	result, err := chromedp.Call(ctx, command, params)
	if err != nil {
		p.fail(deed, err)
	}
	return result
}

// cause does what may begin a load. When the page goes away before the browser has answered, the answer is lost: it was done
// all the same.
func cause[P, R any](p *Page, deed string, command cdp.Command[P, R], params P) {
	p.t.Helper()
	ctx, stop := context.WithTimeout(p.ctx, patience)
	defer stop()
	if _, err := chromedp.Call(ctx, command, params); err != nil && !wentAway(err) {
		p.fail(deed, err)
	}
}

// wentAway says whether the page was left before the browser could answer.
func wentAway(err error) bool {
	return strings.Contains(err.Error(), "Inspected target navigated or closed")
}

// fail ends the test with a sentence.
func (p *Page) fail(deed string, why error) {
	p.t.Helper()
	if errors.Is(why, context.DeadlineExceeded) {
		why = fmt.Errorf("the browser did not answer within %s", patience)
	}
	p.t.Fatalf("browser: on %s: %s: %v", p.Address(), deed, why)
}

// Address is where the page is, as last heard: it asks nothing of a page that may hang.
func (p *Page) Address() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.address
}

// URL is where the page is.
func (p *Page) URL() string {
	p.t.Helper()
	var address string
	p.Eval("location.href", &address)
	return address
}

// Path is the page's path and query.
func (p *Page) Path() string {
	p.t.Helper()
	u, err := url.Parse(p.URL())
	if err != nil {
		p.fail("read the address", err)
	}
	return u.RequestURI()
}

// Open goes to an address, which may be relative to where the page is, and waits until all of it is loaded. Its files
// come from the cache where that has them: see ClearCache.
func (p *Page) Open(address string) {
	p.t.Helper()
	if u, err := url.Parse(address); err == nil && !u.IsAbs() {
		base, err := url.Parse(p.Address())
		if err != nil {
			p.fail("open "+address, err)
		}
		address = base.ResolveReference(u).String()
	}
	result := do(p, "open "+address, page.Navigate, page.NavigateParams{URL: address})
	// A download and an answer without content leave the page where it is.
	if result.ErrorText != "" && result.ErrorText != "net::ERR_ABORTED" {
		p.fail("open "+address, errors.New(result.ErrorText))
	}
	p.settle("open " + address)
}

// Reload loads the page again, as the reader would.
func (p *Page) Reload() {
	p.t.Helper()
	cause(p, "reload", page.Reload, page.ReloadParams{})
	p.settle("reload")
}

// Back goes one page back in the history.
func (p *Page) Back() {
	p.t.Helper()
	history := do(p, "read the history", page.GetNavigationHistory, cdp.Empty{})
	if history.CurrentIndex < 1 {
		p.fail("go back", errors.New("there is no earlier page"))
	}
	entry := history.Entries[history.CurrentIndex-1]
	cause(p, "go back", page.NavigateToHistoryEntry, page.NavigateToHistoryEntryParams{EntryID: entry.ID})
	p.settle("go back")
}

// ClearCache makes the next load as heavy as the first visit.
func (p *Page) ClearCache() {
	p.t.Helper()
	do(p, "empty the cache", network.ClearBrowserCache, cdp.Empty{})
}

// settle waits until a load that the last deed began, if any, is over.
func (p *Page) settle(deed string) {
	p.t.Helper()
	// The answer comes after whatever the deed has caused in the page.
	cause(p, deed, runtime.Evaluate, runtime.EvaluateParams{Expression: "0"})
	deadline := time.After(patience)
	for {
		over, changed := p.loaded()
		if over {
			return
		}
		select {
		case <-changed:
		case <-p.ctx.Done():
			p.fail(deed, errors.New("the tab is gone"))
		case <-deadline:
			p.fail(deed, fmt.Errorf("the load that it began was not over within %s", patience))
		}
	}
}

// Eval runs a script in the page, waits for its promise if it is one, and reads its value into out, unless that is nil.
func (p *Page) Eval(script string, out any) {
	p.t.Helper()
	if err := p.eval(script, out); err != nil {
		p.fail("run "+abridged(script), err)
	}
}

func (p *Page) eval(script string, out any) error {
	ctx, stop := context.WithTimeout(p.ctx, patience)
	defer stop()
	yes := true
	result, err := chromedp.Call(ctx, runtime.Evaluate, runtime.EvaluateParams{
		Expression: script, ReturnByValue: &yes, AwaitPromise: &yes, UserGesture: &yes,
	})
	if err != nil {
		return err
	}
	if thrown := result.ExceptionDetails; thrown != nil {
		if thrown.Exception != nil && thrown.Exception.Description != "" {
			return errors.New(thrown.Exception.Description)
		}
		return errors.New(thrown.Text)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(result.Result.Value, out)
}

func abridged(script string) string {
	if len(script) > 100 {
		return script[:100] + "…"
	}
	return script
}

// Fill puts text into a field in place of what is there: typed, where it is a field for text, else set.
func (p *Page) Fill(selector, text string) {
	p.t.Helper()
	var typed bool
	p.waitUntil("fill "+selector, selector, fillScript, text, &typed)
	if typed {
		do(p, "fill "+selector, input.InsertText, input.InsertTextParams{Text: text})
	}
	p.settle("fill " + selector)
}

// Click clicks an element with the mouse: it must be visible, and nothing may lie over it.
func (p *Page) Click(selector string) {
	p.t.Helper()
	var at struct{ X, Y float64 }
	deed := "click " + selector
	p.waitUntil(deed, selector, pointScript, nil, &at)
	for _, what := range []input.DispatchMouseEventType{
		input.DispatchMouseEventTypeMouseMoved, input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased,
	} {
		event := input.DispatchMouseEventParams{Type: what, X: at.X, Y: at.Y}
		if what != input.DispatchMouseEventTypeMouseMoved {
			event.Button, event.ClickCount = input.MouseButtonLeft, 1
		}
		cause(p, deed, input.DispatchMouseEvent, event)
	}
	p.settle(deed)
}

// WaitFor waits until there is a visible element for the selector.
func (p *Page) WaitFor(selector string) {
	p.t.Helper()
	p.poll("wait for "+selector, func() error {
		var n int
		err := p.eval(fmt.Sprintf(`(%s)(%s).length`, visibleScript, quoted(selector)), &n)
		if err == nil && n == 0 {
			err = errors.New("no visible element fits")
		}
		return err
	})
}

// WaitGone waits until there is no visible element for the selector.
func (p *Page) WaitGone(selector string) {
	p.t.Helper()
	p.poll("wait until there is no "+selector, func() error {
		var n int
		err := p.eval(fmt.Sprintf(`(%s)(%s).length`, visibleScript, quoted(selector)), &n)
		if err == nil && n > 0 {
			err = fmt.Errorf("%d are there", n)
		}
		return err
	})
}

// Count says how many visible elements there are for the selector, now.
func (p *Page) Count(selector string) int {
	p.t.Helper()
	return len(p.Texts(selector))
}

// Has says whether there is a visible element for the selector, now.
func (p *Page) Has(selector string) bool {
	p.t.Helper()
	return p.Count(selector) > 0
}

// Text is what the reader sees of an element; of a field, what is in it.
func (p *Page) Text(selector string) string {
	p.t.Helper()
	var text string
	p.waitUntil("read "+selector, selector, textScript, nil, &text)
	return text
}

// Texts are the texts of all visible elements for the selector, now: there may be none.
func (p *Page) Texts(selector string) []string {
	p.t.Helper()
	var texts []string
	p.Eval(fmt.Sprintf(`(%s)(%s).map(%s)`, visibleScript, quoted(selector), textScript), &texts)
	return texts
}

// Attr is an attribute of an element, visible or not, or "".
func (p *Page) Attr(selector, name string) string {
	p.t.Helper()
	var value string
	p.Eval(fmt.Sprintf(`document.querySelector(%s)?.getAttribute(%s) ?? ''`, quoted(selector), quoted(name)), &value)
	return value
}

// Focused describes the element that has the focus, as <tag#id> and its text.
func (p *Page) Focused() string {
	p.t.Helper()
	var text string
	p.Eval(fmt.Sprintf(`(%s)(document.activeElement)`, describeScript), &text)
	return text
}

// waitUntil waits for the one visible element and gives it and the argument to the script, whose value is read into out.
func (p *Page) waitUntil(deed, selector, script string, argument, out any) {
	p.t.Helper()
	expression := fmt.Sprintf(`(%s)(%s, %s, %s, %s)`, oneScript, visibleScript, quoted(selector), script, quoted(argument))
	p.poll(deed, func() error {
		var result struct {
			Wrong string
			Value json.RawMessage
		}
		if err := p.eval(expression, &result); err != nil {
			return err
		}
		if result.Wrong != "" {
			return errors.New(result.Wrong)
		}
		if out == nil {
			return nil
		}
		return json.Unmarshal(result.Value, out)
	})
}

// poll tries until there is no error. A page that is being replaced has errors of its own, which is why all are waited out.
func (p *Page) poll(deed string, try func() error) {
	p.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		err := try()
		if err == nil {
			return
		}
		if time.Now().After(deadline) || p.ctx.Err() != nil {
			p.fail(deed, fmt.Errorf("not within %s: %w", patience, err))
		}
		<-time.After(10 * time.Millisecond)
	}
}

func quoted(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // a string or nil
	}
	return string(b)
}

// Emulate makes the window that wide, in the dark or the light scheme, without transitions.
func (p *Page) Emulate(width int, dark bool) {
	p.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	do(p, "change the window", emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: int64(width), Height: 800, DeviceScaleFactor: 1,
	})
	do(p, "change the scheme", emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
}

// SetTimezone sets the reader's time zone, such as Europe/Oslo, from the next load on.
func (p *Page) SetTimezone(name string) {
	p.t.Helper()
	do(p, "change the time zone", emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: name})
}

// ScrollsSideways says whether the page is wider than its window.
func (p *Page) ScrollsSideways() bool {
	p.t.Helper()
	var wide bool
	p.Eval(`document.scrollingElement.scrollWidth > document.scrollingElement.clientWidth`, &wide)
	return wide
}

// Screenshot writes a picture (PNG) of the whole page, also of what is below the window. It makes the folder.
func (p *Page) Screenshot(path string) {
	p.t.Helper()
	var size struct{ Width, Height float64 }
	p.Eval(`({width: innerWidth, height: Math.max(innerHeight, document.documentElement.scrollHeight)})`, &size)
	yes := true
	picture := do(p, "take a picture", page.CaptureScreenshot, page.CaptureScreenshotParams{
		Format: page.CaptureScreenshotFormatPng, CaptureBeyondViewport: &yes,
		Clip: &page.Viewport{Width: size.Width, Height: size.Height, Scale: 1},
	})
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, picture.Data, 0o644)
	}
	if err != nil {
		p.fail("take a picture", err)
	}
}

// Clipboard is what a copy button has put into the clipboard. All pages of the process share it.
func (p *Page) Clipboard() string {
	p.t.Helper()
	tab := chromedp.FromContext(p.ctx)
	_, err := chromedp.CallBrowser(p.ctx, browser.SetPermission, browser.SetPermissionParams{
		Permission: &browser.PermissionDescriptor{Name: "clipboard-read"}, Setting: browser.PermissionSettingGranted,
		BrowserContextID: tab.BrowserContextID,
	})
	if err != nil {
		p.fail("read the clipboard", err)
	}
	var text string
	p.Eval(`navigator.clipboard.readText()`, &text)
	return text
}

// DismissLeavePrompts answers the browser's question whether to leave the page (beforeunload) with no from now on. Otherwise
// it is answered with yes. LeavePrompts counts such questions.
func (p *Page) DismissLeavePrompts() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leave = false
}

// answerDialog answers the browser's own dialogs, which hold the page until then.
func (p *Page) answerDialog(leave bool) {
	ctx, stop := context.WithTimeout(p.ctx, patience)
	defer stop()
	// Where it fails, the page is closing, or the deed that waits for it says so.
	_, _ = chromedp.Call(ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: leave})
}

// AllowError lets the page complain in words that contain part.
func (p *Page) AllowError(part string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forgiven = append(p.forgiven, part)
}

// Errors are the errors so far that are not forgiven.
func (p *Page) Errors() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var left []string
	for _, c := range p.complaints {
		if !containsAny(c, p.forgiven) {
			left = append(left, c)
		}
	}
	return left
}

func containsAny(text string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}
