package browsertest

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// WaitFor waits until a visible element matches the selector.
func (p *Page) WaitFor(selector string) {
	p.t.Helper()
	p.poll("wait for "+selector, func() error {
		n, err := p.count(selector)
		if err == nil && n == 0 {
			err = errors.New("no visible element matches")
		}
		return err
	})
}

func (p *Page) count(selector string) (n int, err error) {
	err = p.eval(fmt.Sprintf(`(%s)(%s).length`, visibleScript, quoted(selector)), &n)
	return n, err
}

// Count returns how many visible elements match the selector now.
func (p *Page) Count(selector string) int {
	p.t.Helper()
	n, err := p.count(selector)
	if err != nil {
		p.fail("count "+selector, err)
	}
	return n
}

// Has reports whether a visible element matches the selector now.
func (p *Page) Has(selector string) bool {
	p.t.Helper()
	return p.Count(selector) > 0
}

// Text waits for an element and returns its visible text, or the value of a field.
func (p *Page) Text(selector string) string {
	p.t.Helper()
	var text string
	p.waitUntil("read "+selector, selector, textScript, nil, &text)
	return text
}

// Attr returns an attribute of an element, visible or not, or "".
func (p *Page) Attr(selector, name string) string {
	p.t.Helper()
	return value[string](p, fmt.Sprintf(`document.querySelector(%s)?.getAttribute(%s) ?? ''`,
		quoted(selector), quoted(name)))
}

// Focused describes the element that has the focus, as <tag#id> and its text.
func (p *Page) Focused() string {
	p.t.Helper()
	return value[string](p, fmt.Sprintf(`(%s)(document.activeElement)`, describeScript))
}

// Status returns the HTTP status of the page.
func (p *Page) Status() int {
	p.t.Helper()
	return value[int](p, `performance.getEntriesByType('navigation')[0].responseStatus`)
}

// TransferSize returns how many bytes came over the network for the page and its files, with 300
// bytes of headers for each. Icons do not count.
func (p *Page) TransferSize() int {
	p.t.Helper()
	return value[int](p, `performance.getEntries().reduce((sum, e) => sum + (e.transferSize ?? 0), 0)`)
}

// ScrollsSideways reports whether the page is wider than its window.
func (p *Page) ScrollsSideways() bool {
	p.t.Helper()
	return value[bool](p,
		`document.scrollingElement.scrollWidth > document.scrollingElement.clientWidth`)
}

// waitUntil waits for the one visible element that matches, passes it and the argument to the
// script, and decodes the script's value into out.
func (p *Page) waitUntil(action, selector, script string, argument, out any) {
	p.t.Helper()
	call := fmt.Sprintf(`(%s)(%s, %s, %s, %s)`, oneScript, visibleScript, quoted(selector), script,
		quoted(argument))
	p.poll(action, func() error {
		var result struct {
			Wrong string
			Value json.RawMessage
		}
		if err := p.eval(call, &result); err != nil {
			return err
		}
		if result.Wrong != "" {
			return errors.New(result.Wrong)
		}
		return json.Unmarshal(result.Value, out)
	})
}

// poll retries every error, because a page that is being replaced has transient ones.
func (p *Page) poll(action string, try func() error) {
	p.t.Helper()
	deadline := time.Now().Add(timeout)
	for {
		err := try()
		if err == nil {
			return
		}
		if time.Now().After(deadline) || p.ctx.Err() != nil {
			p.fail(action, fmt.Errorf("not within %s: %w", timeout, err))
		}
		<-time.After(10 * time.Millisecond)
	}
}

func quoted(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings, lists and maps of them, or nil
	}
	return string(b)
}
