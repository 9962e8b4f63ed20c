package browsertest

import (
	"strings"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"
)

var keyNames = map[string]string{
	"Tab": kb.Tab, "Enter": kb.Enter, "Escape": kb.Escape, "Space": " ", "Backspace": kb.Backspace, "Delete": kb.Delete,
	"ArrowUp": kb.ArrowUp, "ArrowDown": kb.ArrowDown, "ArrowLeft": kb.ArrowLeft, "ArrowRight": kb.ArrowRight, "Home": kb.Home, "End": kb.End,
}

// The modifiers' bits in the protocol.
const (
	control = 2
	shift   = 8
)

// Copy copies what is selected, as Control+C does.
func (p *Page) Copy() {
	p.t.Helper()
	for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeRawKeyDown, input.DispatchKeyEventTypeKeyUp} {
		event := input.DispatchKeyEventParams{Type: kind, Modifiers: control, Key: "c", Code: "KeyC", WindowsVirtualKeyCode: 'C'}
		if kind == input.DispatchKeyEventTypeRawKeyDown {
			event.Commands = []string{"copy"} // what the desktop makes of the keys
		}
		cause(p, "copy", input.DispatchKeyEvent, event)
	}
	p.settle("copy")
}

// Press presses keys, one after the other: Tab, Enter, Escape, Space, ArrowDown, …, with Shift+ before them or not.
// Anything else is text, typed key by key.
func (p *Page) Press(keys ...string) {
	p.t.Helper()
	for _, key := range keys {
		name, shifted := strings.CutPrefix(key, "Shift+")
		typed, named := keyNames[name]
		if !named {
			typed = key
		}
		for _, r := range typed {
			for _, event := range kb.Encode(r) {
				if shifted && named {
					event.Modifiers |= shift
				}
				if event.Type == input.DispatchKeyEventTypeKeyDown {
					// As a keyboard does it: a page that handles the key takes the character from what has the focus by then.
					event.Type = input.DispatchKeyEventTypeRawKeyDown
				}
				cause(p, "press "+key, input.DispatchKeyEvent, *event)
			}
		}
		p.settle("press " + key)
	}
}
