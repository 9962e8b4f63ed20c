package browsertest

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Eval runs a script in the page and returns its value. It awaits a promise.
func Eval[T any](p *Page, script string) T {
	return Do(p, fmt.Sprintf("run %.100s", script), evaluate[T](script))
}

// evaluate returns the action that runs a script with a user gesture.
func evaluate[T any](script string) chromedp.Action[T] {
	return chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise,
		func(e *runtime.EvaluateParams) { e.UserGesture = new(true) })
}

//go:embed page.js
var pageScript string

func callExpression(function string, arguments ...any) string {
	list := quoted(arguments)
	return fmt.Sprintf("%s.%s(%s)", pageScript, function, list[1:len(list)-1])
}

// callOnElement calls a function of page.js with the one visible element that matches. It waits for that
// element.
func callOnElement[T any](p *Page, function, selector string, argument ...any) (value T) {
	call := callExpression("element", append([]any{function, selector}, argument...)...)
	p.poll(function+" "+selector, func() error {
		result, err := runAction(p, evaluate[struct {
			Fault string
			Value T
		}](call))
		if err == nil && result.Fault != "" {
			err = errors.New(result.Fault)
		}
		value = result.Value
		return err
	})
	return value
}

func (p *Page) WaitFor(selector string) {
	p.poll("wait for "+selector, func() error {
		visible, err := runAction(p, evaluate[[]any](callExpression("visible", selector)))
		if err == nil && len(visible) == 0 {
			err = errors.New("no visible element matches")
		}
		return err
	})
}

func (p *Page) Count(selector string) int {
	return len(Eval[[]any](p, callExpression("visible", selector)))
}

// Text waits for an element and returns its visible text, or the value of a field.
func (p *Page) Text(selector string) string { return callOnElement[string](p, "read", selector) }

// Attr returns an attribute of an element, visible or not, or "".
func (p *Page) Attr(selector, name string) string {
	return Eval[string](p, fmt.Sprintf(`document.querySelector(%s)?.getAttribute(%s) ?? ''`,
		quoted(selector), quoted(name)))
}

// FocusedElement describes the element that has the focus, as <tag#id> and its text.
func (p *Page) FocusedElement() string {
	return Eval[string](p, pageScript+".describe(document.activeElement)")
}

func (p *Page) Path() string { return Eval[string](p, "location.pathname + location.search") }

func (p *Page) ScrollsHorizontally() bool {
	return Eval[bool](p,
		`document.scrollingElement.scrollWidth > document.scrollingElement.clientWidth`)
}

func quoted(value any) string {
	b, err := json.Marshal(value)
	if err != nil {
		panic(err) // never fails for strings, and lists and maps of them
	}
	return string(b)
}

//go:embed axe.min.js
var axeSource string

// axeScript returns a text for each violation. It skips a table's rows after the twentieth, which
// repeat earlier ones.
const axeScript = `axe.run({exclude: ['tbody tr:nth-child(n+21)']}, {runOnly: %s, resultTypes: ['violations']}).then(({violations}) =>
	violations.flatMap((v) => v.nodes.map((n) => v.id + ': ' + v.help + ': ' + n.target.join(' ') + ': ' +
		n.any.concat(n.all, n.none).map((c) => c.message).join('; '))))`

// Axe checks the page and its open dialogs. It returns each violation of WCAG 2.2 A and AA, or of
// the given rules.
func (p *Page) Axe(rules ...string) []string {
	if !Eval[bool](p, `typeof axe === 'object'`) {
		Eval[any](p, axeSource+";0")
	}
	runOnly := map[string]any{
		"type":   "tag",
		"values": []string{"wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"},
	}
	if len(rules) > 0 {
		runOnly = map[string]any{"type": "rule", "values": rules}
	}
	return Eval[[]string](p, fmt.Sprintf(axeScript, quoted(runOnly)))
}
