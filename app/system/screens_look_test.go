package system

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"

	"dg/platform/testkit/browsertest"
)

// allModes reports whether axe runs all rules in every mode (DG_SCREENS=all), not only colourRules.
var allModes = os.Getenv("DG_SCREENS") == "all"

// colourRules are axe's rules whose outcome a mode can change.
func colourRules() []string {
	if allModes {
		return nil
	}
	return []string{"color-contrast", "link-in-text-block"}
}

// looksRight checks the page: light on a desktop, dark on a phone, in forced colours and printed.
func looksRight(t *testing.T, p *browsertest.Page) {
	t.Helper()
	assert.Empty(t, p.Axe(), "light, at 1280 px")
	assert.Empty(t, faults(p, smallText, wideNotes, namelessTables), "at 1280 px")
	p.Emulate(320, browsertest.Dark)
	assert.Empty(t, p.Axe(colourRules()...), "dark, at 320 px")
	assert.False(t, p.ScrollsSideways(), "at 320 px")
	p.Emulate(1920, browsertest.ForcedColours)
	assert.Empty(t, p.Axe(colourRules()...), "forced colours")
	assert.Empty(t, faults(p, falseTabs, offGrid), "forced colours, at 1920 px")
	p.Emulate(794, browsertest.Print)
	assert.Empty(t, faults(p, printedControls), "printed")
	p.Emulate(1280, browsertest.Light)
}

// faults returns in words what the scripts find on the page.
func faults(p *browsertest.Page, scripts ...string) []string {
	var found []string
	for _, script := range scripts {
		var some []string
		p.Eval(`(() => {
			const seen = (e) => e.checkVisibility({visibilityProperty: true}) &&
				getComputedStyle(e).clipPath === 'none';
			const words = (e, why) => '<' + e.localName + ' ' + e.className + '> "' +
				e.textContent.trim().slice(0, 40) + '" ' + why;
			return (`+script+`)();
		})()`, &some)
		found = append(found, some...)
	}
	return found
}

const (
	// smallText finds text under 12 px.
	smallText = `() => [...document.querySelectorAll('body *')].filter((e) => seen(e) && parseFloat(getComputedStyle(e).fontSize) < 12 &&
		[...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())).map((e) => words(e, getComputedStyle(e).fontSize))`
	// wideNotes finds notes wider than the form below them.
	wideNotes = `() => [...document.querySelectorAll('.note + .form')]
		.filter((e) => e.previousElementSibling.offsetWidth > e.offsetWidth + 1)
		.map((e) => words(e.previousElementSibling, 'is wider than its form'))`
	// namelessTables finds tables that screen readers announce without a name.
	namelessTables = `() => [...document.querySelectorAll('table')].filter((e) => seen(e) && !e.caption &&
		!e.ariaLabel && !e.hasAttribute('aria-labelledby')).map((e) => words(e, 'has no name'))`
	// falseTabs finds tabs that look current and are not, or the reverse: the current one alone has
	// a visible line below.
	falseTabs = `() => [...document.querySelectorAll('.top nav a, .presets a, .tabs a, .tabs label')].filter((e) => {
		const line = getComputedStyle(e).borderBottomColor, ground = getComputedStyle(document.body).backgroundColor;
		const looksCurrent = line !== ground && !line.endsWith(', 0)');
		return seen(e) && looksCurrent !== (e.hasAttribute('aria-current') || !!e.querySelector(':checked'));
	}).map((e) => words(e, getComputedStyle(e).borderBottomColor))`
	// offGrid finds a top bar whose content does not begin and end where the page's does.
	offGrid = `() => [...document.querySelectorAll('header.top')].flatMap((top) => {
		const edges = (e) => {
			const box = e.getBoundingClientRect(), style = getComputedStyle(e);
			return [box.left + parseFloat(style.paddingLeft),
				box.right - parseFloat(style.paddingRight)].map(Math.round).join(' to ');
		};
		const page = edges(document.querySelector('.layout'));
		return edges(top) === page ? [] : [words(top, edges(top) + ', not ' + page)];
	})`
	// printedControls finds controls, which are useless on paper.
	printedControls = `() => [...document.querySelectorAll('button, .filters, header.top, nav, [role=search]')].filter(seen)
		.map((e) => words(e, 'is printed'))`
)

// shoot takes pictures of the page into the folder DG_SHOTS, if that is set.
func shoot(p *browsertest.Page, name string) {
	dir := os.Getenv("DG_SHOTS")
	if dir == "" {
		return
	}
	take := func(width int, mode browsertest.Mode) {
		p.Emulate(width, mode)
		p.Screenshot(filepath.Join(dir, fmt.Sprintf("%s-%d-%s.png", name, width, mode)))
	}
	for _, width := range []int{360, 1280, 1920} {
		take(width, browsertest.Dark)
		take(width, browsertest.Light)
	}
	take(1280, browsertest.ForcedColours)
	take(794, browsertest.Print)
	p.Emulate(1280, browsertest.Light)
}

// The bounds of a screen with all its files, in bytes compressed and uncompressed.
const (
	maxTransferred = 35 << 10
	maxUnpacked    = 90_000
)

// unpacked is the uncompressed size of the page and its files. A preloaded file has two entries.
const unpacked = `[...new Map(performance.getEntriesByType('navigation').concat(performance.getEntriesByType('resource'))
	.map(e => [e.name, e.decodedBodySize])).values()].reduce((sum, size) => sum + size, 0)`

// weigh checks and logs the bytes of the page.
func weigh(t *testing.T, p *browsertest.Page) {
	t.Helper()
	var size int
	p.Eval(unpacked, &size)
	assert.Less(t, p.TransferSize(), maxTransferred, "compressed")
	assert.Less(t, size, maxUnpacked, "uncompressed")
	t.Logf("WEIGHT | %s | %d bytes compressed | %d uncompressed", shortened(p.Path()),
		p.TransferSize(), size)
}
