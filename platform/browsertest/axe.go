package browsertest

import (
	_ "embed"
	"fmt"
)

//go:embed axe.min.js
var axe string

// axeScript checks WCAG 2.2, levels A and AA.
const axeScript = `axe.run(document, {
	runOnly: {type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']},
	resultTypes: ['violations'],
}).then(({violations}) => violations.flatMap((v) => v.nodes.map((n) =>
	v.id + ': ' + v.help + ': ' + n.target.join(' ') + ': ' + n.any.concat(n.all, n.none).map((c) => c.message).join('; '))))`

// Axe checks the page as it stands, an open dialog too, and returns each violation of WCAG 2.2 A and AA in words. It runs
// past the page's Content-Security-Policy.
func (p *Page) Axe() []string {
	p.t.Helper()
	var there bool
	p.Eval(`typeof axe === 'object'`, &there)
	if !there {
		p.Eval(fmt.Sprintf("%s;0", axe), nil)
	}
	var violations []string
	p.Eval(axeScript, &violations)
	return violations
}
