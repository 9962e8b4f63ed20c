package browsertest

import (
	"cmp"
	"sync"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Click clicks an element with the mouse: it must be visible, and nothing may cover it.
func (p *Page) Click(selector string) {
	p.t.Helper()
	x, y := p.within(selector, .5)
	p.perform("click "+selector, chromedp.MouseEvent(chromedp.MouseMoved, x, y),
		chromedp.MouseClickXY(x, y))
}

// Point moves the mouse over an element, as far from its left edge as the share of its width says.
func (p *Page) Point(selector string, share float64) {
	p.t.Helper()
	x, y := p.within(selector, share)
	p.perform("point at "+selector, chromedp.MouseEvent(chromedp.MouseMoved, x, y))
}

// Touch taps an element with a finger, as far from its left edge as the share of its width says.
func (p *Page) Touch(selector string, share float64) {
	p.t.Helper()
	x, y := p.within(selector, share)
	call(p, "touch "+selector, input.DispatchTouchEvent, input.DispatchTouchEventParams{
		Type:        input.DispatchTouchEventTypeTouchStart,
		TouchPoints: []*input.TouchPoint{{X: x, Y: y}},
	})
	call(p, "touch "+selector, input.DispatchTouchEvent, input.DispatchTouchEventParams{
		Type: input.DispatchTouchEventTypeTouchEnd, TouchPoints: []*input.TouchPoint{},
	})
	p.settle("touch " + selector)
}

// within returns a point of an element that the reader can reach.
func (p *Page) within(selector string, share float64) (x, y float64) {
	p.t.Helper()
	var at struct{ X, Y, Width float64 }
	p.waitUntil("find "+selector, selector, pointScript, nil, &at)
	return at.X + (share-.5)*at.Width, at.Y
}

// Fill replaces the content of a field: typed into a text field, else set.
func (p *Page) Fill(selector, text string) {
	p.t.Helper()
	var typed bool
	p.waitUntil("fill "+selector, selector, fillScript, text, &typed)
	if typed {
		call(p, "fill "+selector, input.InsertText, input.InsertTextParams{Text: text})
	}
	p.settle("fill " + selector)
}

var keyNames = map[string]string{
	"Tab":        kb.Tab,
	"Enter":      kb.Enter,
	"Escape":     kb.Escape,
	"Space":      " ",
	"ArrowUp":    kb.ArrowUp,
	"ArrowDown":  kb.ArrowDown,
	"ArrowLeft":  kb.ArrowLeft,
	"ArrowRight": kb.ArrowRight,
	"Home":       kb.Home,
	"End":        kb.End,
}

// Press presses keys one after the other, by the names of keyNames. Any other text is typed key by
// key. The page handles a key before its character goes to the focused element, as with a keyboard.
func (p *Page) Press(keys ...string) {
	p.t.Helper()
	for _, key := range keys {
		typed := cmp.Or(keyNames[key], key)
		p.perform("press "+key, chromedp.KeyEvent(typed, func(e *input.DispatchKeyEventParams) {
			if e.Type == input.DispatchKeyEventTypeKeyDown {
				e.Type = input.DispatchKeyEventTypeRawKeyDown
			}
		}))
	}
}

// Copy copies the selection.
func (p *Page) Copy() {
	p.t.Helper()
	p.Eval(`document.execCommand('copy')`, nil)
}

// clipboard is held while something is copied and read: all pages of the process share it.
var clipboard sync.Mutex

// Copied returns what the action copies.
func (p *Page) Copied(action func()) string {
	p.t.Helper()
	clipboard.Lock()
	defer clipboard.Unlock()
	action()
	callBrowser(p, "read the clipboard", browser.SetPermission, browser.SetPermissionParams{
		Permission:       &browser.PermissionDescriptor{Name: "clipboard-read"},
		Setting:          browser.PermissionSettingGranted,
		BrowserContextID: p.browserContext(),
	})
	return value[string](p, `navigator.clipboard.readText()`)
}
