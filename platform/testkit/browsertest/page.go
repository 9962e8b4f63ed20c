package browsertest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/platform/testkit/tb"
)

// actionTimeout bounds every action. It is long, because tests share a machine; only a failing test waits
// for all of it.
const actionTimeout = time.Minute

// Page is one tab. Only one goroutine at a time may use it.
type Page struct {
	t   testing.TB
	ctx context.Context // context of the tab, made by chromedp
	*pageState
}

// New returns an empty page, 1280 px wide, in the light scheme. It closes when t and its subtests
// have ended, and its errors fail t. Without a browser the test is skipped, or fails in CI.
func New(t testing.TB) *Page {
	t.Helper()
	if testing.Short() {
		t.Skip("browsertest: needs Chromium: skipped with -short")
	}
	browserContext, err := sharedBrowser()
	if err != nil {
		tb.SkipOrFail(t, err)
	}
	ctx, closeTab := chromedp.NewContext(browserContext, chromedp.WithNewBrowserContext())
	p := &Page{t: t, ctx: ctx, pageState: &pageState{ctx: ctx}}
	t.Cleanup(func() {
		closeTab()
		assert.Empty(t, p.faults(), "errors of the page")
	})
	require.NoError(t, chromedp.Do(ctx))
	require.NoError(t, chromedp.Listen(ctx, p.handle))
	Do(p, "keep the focus", Command(emulation.SetFocusEmulationEnabled,
		emulation.SetFocusEmulationEnabledParams{Enabled: true}))
	p.Emulate(1280, Light)
	return p
}

// WithTest returns the same page, whose failures fail t.
func (p *Page) WithTest(t testing.TB) *Page {
	clone := *p
	clone.t = t
	return &clone
}

// Command returns an action that sends a command of the DevTools protocol to the page.
func Command[P, R any](command cdp.Command[P, R], params P) chromedp.Action[R] {
	return func(ctx context.Context, t *chromedp.Target) (R, error) {
		return cdp.Call(ctx, t, command, params)
	}
}

// Do runs an action and returns its result. It waits until a load that the action began is over.
func Do[T any](p *Page, name string, action chromedp.Action[T]) T {
	result, err := runAction(p, action)
	if err != nil && !leftPage(result, err) {
		p.fail(name, err)
	}
	p.poll(name, func() error {
		// The events of the action arrive before the response to this evaluation.
		_, err := runAction(p, chromedp.Evaluate[chromedp.Void]("0"))
		if err == nil && p.isLoading() {
			err = errors.New("the load that it began is not over")
		}
		return err
	})
	return result
}

// leftPage reports whether err means that the action left the page, which can lose the response.
// Only actions without a result may do so.
func leftPage(result any, err error) bool {
	switch result.(type) {
	case chromedp.Void, cdp.Empty:
		return strings.Contains(err.Error(), "Inspected target navigated or closed")
	}
	return false
}

func runAction[T any](p *Page, action chromedp.Action[T]) (T, error) {
	ctx, cancel := context.WithTimeout(p.ctx, actionTimeout)
	defer cancel()
	return chromedp.Run(ctx, action)
}

// poll retries every error, because a page that is being replaced has transient errors.
func (p *Page) poll(name string, try func() error) {
	deadline := time.Now().Add(actionTimeout)
	for {
		err := try()
		if err == nil {
			return
		}
		if time.Now().After(deadline) || p.ctx.Err() != nil {
			p.fail(name, fmt.Errorf("not within %s: %w", actionTimeout, err))
		}
		<-time.After(10 * time.Millisecond)
	}
}

func (p *Page) fail(name string, err error) {
	address, _ := runAction(p, chromedp.Location()) // "" if the page hangs
	require.NoError(p.t, err, "on %s: %s", address, name)
}
