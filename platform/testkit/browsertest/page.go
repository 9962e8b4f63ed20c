package browsertest

import (
	"context"
	"dg/platform/testkit/tb"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// timeout bounds every action. It is long because tests share a machine; only a failing test waits
// for all of it.
const timeout = time.Minute

// Page is one tab, for one goroutine.
type Page struct {
	t   testing.TB
	ctx context.Context // the tab's, of chromedp
	*events
}

// New returns an empty page, 1280 px wide, in the light scheme. It closes when t and its subtests
// have ended, and its errors fail t. Without a browser the test is skipped, or fails in CI.
func New(t testing.TB) *Page {
	t.Helper()
	if testing.Short() {
		t.Skip("browsertest: needs Chromium: skipped with -short")
	}
	browserContext, err := started()
	if err != nil {
		tb.SkipOrFail(t, err)
	}
	ctx, closeTab := chromedp.NewContext(browserContext, chromedp.WithNewBrowserContext())
	p := &Page{t: t, ctx: ctx, events: &events{address: "about:blank"}}
	t.Cleanup(func() {
		closeTab()
		for _, e := range p.faults() {
			t.Errorf("browser: the page reported %s", e)
		}
	})
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("browser: open a tab: %v", err)
	}
	if err := chromedp.Listen(ctx, p.handle); err != nil {
		t.Fatalf("browser: listen to the tab: %v", err)
	}
	p.onDialog = func(accept bool) {
		// It fails where the page is closing; else the action that waits for it fails.
		_, _ = chromedp.Call(ctx, page.HandleJavaScriptDialog,
			page.HandleJavaScriptDialogParams{Accept: accept})
	}
	call(p, "keep the focus", emulation.SetFocusEmulationEnabled,
		emulation.SetFocusEmulationEnabledParams{Enabled: true})
	p.Emulate(1280, Light)
	callBrowser(p, "refuse downloads", browser.SetDownloadBehavior,
		browser.SetDownloadBehaviorParams{
			Behavior: browser.SetDownloadBehaviorBehaviorDeny, BrowserContextID: p.browserContext(),
		})
	return p
}

// DisableScripts turns scripts off in the page. Eval still works.
func (p *Page) DisableScripts() {
	p.t.Helper()
	call(p, "turn scripts off", emulation.SetScriptExecutionDisabled,
		emulation.SetScriptExecutionDisabledParams{Value: true})
}

// With returns the same page for a subtest.
func (p *Page) With(t testing.TB) *Page {
	same := *p
	same.t = t
	return &same
}

func (p *Page) browserContext() cdp.BrowserContextID {
	return chromedp.FromContext(p.ctx).BrowserContextID
}

// call runs a command of the protocol, which must succeed.
func call[P, R any](p *Page, action string, command cdp.Command[P, R], params P) R {
	p.t.Helper()
	ctx, stop := context.WithTimeout(p.ctx, timeout)
	defer stop()
	result, err := chromedp.Call(ctx, command, params)
	if err != nil {
		p.fail(action, err)
	}
	return result
}

// callBrowser is like call, for a command of the browser, not of the tab.
func callBrowser[P, R any](p *Page, action string, command cdp.Command[P, R], params P) {
	p.t.Helper()
	if _, err := chromedp.CallBrowser(p.ctx, command, params); err != nil {
		p.fail(action, err)
	}
}

// perform does what may begin a load, and waits until the load is over.
func (p *Page) perform(action string, steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	p.runSteps(action, steps...)
	p.settle(action)
}

// runSteps runs steps that may leave the page, which can lose the browser's answer.
func (p *Page) runSteps(action string, steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, stop := context.WithTimeout(p.ctx, timeout)
	defer stop()
	for _, step := range steps {
		if err := chromedp.Do(ctx, step); err != nil &&
			!strings.Contains(err.Error(), "Inspected target navigated or closed") {
			p.fail(action, err)
		}
	}
}

// settle waits until the load that the last action began, if any, is over.
func (p *Page) settle(action string) {
	p.t.Helper()
	// The answer to this evaluation comes after the events of the action.
	p.runSteps(action, chromedp.Evaluate[chromedp.Void]("0"))
	p.poll(action, func() error {
		if !p.loaded() {
			return errors.New("the load that it began is not over")
		}
		return nil
	})
}

// fail ends the test with a sentence.
func (p *Page) fail(action string, why error) {
	p.t.Helper()
	if errors.Is(why, context.DeadlineExceeded) {
		why = fmt.Errorf("the browser did not answer within %s", timeout)
	}
	p.t.Fatalf("browser: on %s: %s: %v", p.lastAddress(), action, why)
}

// Eval runs a script in the page, waits for its promise if it is one, and decodes its value into
// out, unless that is nil.
func (p *Page) Eval(script string, out any) {
	p.t.Helper()
	if err := p.eval(script, out); err != nil {
		p.fail(fmt.Sprintf("run %.100s", script), err)
	}
}

// value runs a script in the page and returns its value.
func value[T any](p *Page, script string) (v T) {
	p.t.Helper()
	p.Eval(script, &v)
	return v
}

func (p *Page) eval(script string, out any) error {
	ctx, stop := context.WithTimeout(p.ctx, timeout)
	defer stop()
	yes := true
	result, err := chromedp.Run(ctx,
		chromedp.Evaluate[json.RawMessage](script, chromedp.EvalAwaitPromise,
			func(e *runtime.EvaluateParams) { e.UserGesture = &yes }))
	if err != nil || out == nil {
		return err
	}
	return json.Unmarshal(result, out)
}

// Mode is how a page is shown: its media, colour scheme and forced colours.
type Mode struct{ media, scheme, forced string }

// The modes of a page. Forced colours are those of Windows' contrast themes.
var (
	Light         = Mode{"screen", "light", "none"}
	Dark          = Mode{"screen", "dark", "none"}
	ForcedColours = Mode{"screen", "dark", "active"}
	Print         = Mode{"print", "light", "none"}
)

// Emulate makes the window that wide, in a mode, without transitions.
func (p *Page) Emulate(width int, mode Mode) {
	p.t.Helper()
	p.runSteps("change the window", chromedp.EmulateViewport(int64(width), 800))
	call(p, "change the mode", emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Media: mode.media,
		Features: []*emulation.MediaFeature{
			{Name: "prefers-reduced-motion", Value: "reduce"},
			{Name: "prefers-color-scheme", Value: mode.scheme},
			{Name: "forced-colors", Value: mode.forced},
		},
	})
}

// SetTimezone sets the reader's time zone, such as Europe/Oslo, from the next load on.
func (p *Page) SetTimezone(name string) {
	p.t.Helper()
	call(p, "change the time zone", emulation.SetTimezoneOverride,
		emulation.SetTimezoneOverrideParams{TimezoneID: name})
}

// Screenshot returns a picture (PNG) of the whole page, below the window too.
func (p *Page) Screenshot() (picture []byte) {
	p.t.Helper()
	ctx, stop := context.WithTimeout(p.ctx, timeout)
	defer stop()
	picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err != nil {
		p.fail("take a picture", err)
	}
	return picture
}
