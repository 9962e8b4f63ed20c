package browsertest

import (
	_ "embed"
	"fmt"
)

//go:embed axe.min.js
var axe string

// axeScript returns each violation in words. A table's rows past the twentieth repeat those above.
const axeScript = `axe.run({exclude: ['tbody tr:nth-child(n+21)']}, {runOnly: %s, resultTypes: ['violations']}).then(({violations}) =>
	violations.flatMap((v) => v.nodes.map((n) => v.id + ': ' + v.help + ': ' + n.target.join(' ') + ': ' +
		n.any.concat(n.all, n.none).map((c) => c.message).join('; '))))`

// Axe checks the page with its open dialogs, and returns each violation of WCAG 2.2 A and AA, or of
// the given rules. It reads the first twenty rows of a table.
func (p *Page) Axe(rules ...string) []string {
	if !Eval[bool](p, `typeof axe === 'object'`) {
		Eval[any](p, axe+";0")
	}
	only := map[string]any{
		"type":   "tag",
		"values": []string{"wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"},
	}
	if len(rules) > 0 {
		only = map[string]any{"type": "rule", "values": rules}
	}
	return Eval[[]string](p, fmt.Sprintf(axeScript, quoted(only)))
}
