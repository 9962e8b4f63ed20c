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
	p.t.Helper()
	var loaded bool
	p.Eval(`typeof axe === 'object'`, &loaded)
	if !loaded {
		p.Eval(fmt.Sprintf("%s;0", axe), nil)
	}
	only := map[string]any{
		"type":   "tag",
		"values": []string{"wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"},
	}
	if len(rules) > 0 {
		only = map[string]any{"type": "rule", "values": rules}
	}
	var violations []string
	p.Eval(fmt.Sprintf(axeScript, quoted(only)), &violations)
	return violations
}

// targetScript measures what can be clicked. A link within a sentence is as high as its line (WCAG
// 2.2, 2.5.8, "Inline"); a checkbox is clicked on its label too.
const targetScript = `(() => {
	const inline = (e) => getComputedStyle(e).display === 'inline';
	const blockOf = (e) => { while (inline(e)) e = e.parentElement; return e; };
	const inSentence = (e) => {
		if (!inline(e)) return false;
		const block = blockOf(e), texts = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
		while (texts.nextNode()) {
			const around = texts.currentNode.parentElement;
			if (texts.currentNode.data.trim() && !around.closest('a, button') && blockOf(around) === block) return true;
		}
		return false;
	};
	const seen = (e) => e.checkVisibility({visibilityProperty: true}) && getComputedStyle(e).clipPath === 'none';
	const small = [];
	for (const e of document.querySelectorAll('a[href], button, input, select, textarea, summary')) {
		const target = ['radio', 'checkbox'].includes(e.type) && e.labels.length ? e.labels[0] : e;
		const box = target.getBoundingClientRect(), round = (n) => Math.round(n * 10) / 10;
		if (!seen(e) || !seen(target) || box.width === 0 || inSentence(target) ||
			 box.width > 23.9 && box.height > 23.9) continue;
		small.push('<' + e.localName + ' ' + e.className + '> "' + target.innerText.trim() +
			'": ' + round(box.width) + ' by ' + round(box.height) + ' px');
	}
	return small;
})()`

// SmallTargets returns in words what can be clicked and is under 24 by 24 px. Axe lets small
// targets pass where there is room around them, which depends on the fonts of the machine.
func (p *Page) SmallTargets() []string {
	p.t.Helper()
	var small []string
	p.Eval(targetScript, &small)
	return small
}
