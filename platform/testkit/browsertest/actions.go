package browsertest

import (
	"errors"
	"fmt"
	"sync"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// Open goes to an address, absolute or relative to the page, and waits until the page has loaded.
func (p *Page) Open(address string) {
	target := Eval[string](p, fmt.Sprintf("new URL(%s, location).href", quoted(address)))
	result := Do(p, "open "+address, Command(page.Navigate, page.NavigateParams{URL: target}))
	if result.ErrorText != "" {
		p.fail("open "+address, errors.New(result.ErrorText))
	}
}

func (p *Page) Reload() { Do(p, "reload", chromedp.Reload()) }

func (p *Page) Back() {
	// chromedp.NavigateBack waits for a load event, which a page from the back/forward cache does
	// not have.
	history := Do(p, "read the history", chromedp.NavigationEntries())
	Do(p, "go back", Command(page.NavigateToHistoryEntry, page.NavigateToHistoryEntryParams{
		EntryID: history.Entries[history.CurrentIndex-1].ID,
	}))
}

// Mode is how a page is shown: its media, colour scheme and forced colours.
type Mode struct{ media, scheme, forcedColours string }

var (
	Light         = Mode{"screen", "light", "none"}
	Dark          = Mode{"screen", "dark", "none"}
	ForcedColours = Mode{"screen", "dark", "active"} // a contrast theme of Windows
	Print         = Mode{"print", "light", "none"}
)

// Emulate sets the window's width and the mode. It asks the page for reduced motion.
func (p *Page) Emulate(width int, mode Mode) {
	Do(p, "change the mode", Command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Media: mode.media,
		Features: []*emulation.MediaFeature{
			{Name: "prefers-reduced-motion", Value: "reduce"},
			{Name: "prefers-color-scheme", Value: mode.scheme},
			{Name: "forced-colors", Value: mode.forcedColours},
		},
	}))
	// This comes last, because it waits for the layout. Otherwise a screenshot has the previous width.
	Do(p, "change the window", chromedp.EmulateViewport(int64(width), 800))
}

// Click clicks an element with the mouse: it must be visible, and nothing may cover it.
func (p *Page) Click(selector string) {
	x, y := p.PointOf(selector, .5)
	Do(p, "click "+selector,
		chromedp.Steps(chromedp.MouseEvent(chromedp.MouseMoved, x, y), chromedp.MouseClickXY(x, y)))
}

func (p *Page) ClickAndWaitFor(selector, visible string) {
	p.Click(selector)
	p.WaitFor(visible)
}

// PointOf returns a point of a reachable element, at a share of the element's width.
func (p *Page) PointOf(selector string, share float64) (x, y float64) {
	point := callOnElement[struct{ X, Y, Width float64 }](p, "find", selector)
	return point.X + (share-.5)*point.Width, point.Y
}

// Fill replaces the content of a field. It types into a text field and sets any other.
func (p *Page) Fill(selector, text string) {
	if typed := callOnElement[bool](p, "fill", selector, text); typed {
		Do(p, "fill "+selector, Command(input.InsertText, input.InsertTextParams{Text: text}))
	}
}

// Press presses keys one after the other: those of package kb, or each character of a text. As with
// a keyboard, the page handles the key before the focused element gets the character.
func (p *Page) Press(keys ...string) {
	Eval[chromedp.Void](p, "new Promise(requestAnimationFrame)") // autofocus is applied before it
	for _, key := range keys {
		Do(p, "press "+key, chromedp.KeyEvent(key, func(e *input.DispatchKeyEventParams) {
			if e.Type == input.DispatchKeyEventTypeKeyDown {
				e.Type = input.DispatchKeyEventTypeRawKeyDown
			}
		}))
	}
}

// clipboard is locked while a page copies and reads: all pages of the process share the clipboard.
var clipboard sync.Mutex

// CopiedText returns the text that the action copies to the clipboard.
func (p *Page) CopiedText(action func()) string {
	clipboard.Lock()
	defer clipboard.Unlock()
	for _, name := range []string{"clipboard-read", "clipboard-write"} { // a headless shell grants neither by itself
		_, err := chromedp.CallBrowser(p.ctx, browser.SetPermission, browser.SetPermissionParams{
			Permission:       &browser.PermissionDescriptor{Name: name},
			Setting:          browser.PermissionSettingGranted,
			BrowserContextID: chromedp.FromContext(p.ctx).BrowserContextID,
		})
		require.NoError(p.t, err)
	}
	action()
	return Eval[string](p, `navigator.clipboard.readText()`)
}
