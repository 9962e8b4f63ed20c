package browsertest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAxeFindsViolations(t *testing.T) {
	t.Parallel()
	at := site(t, map[string]string{
		"/strict": `<h1>Right</h1><p>All is well.</p>`,
		"/grey":   `<style>p { color: #ccc; background: #fff } @media (prefers-color-scheme: dark) { p { color: #eee; background: #111 } }</style><p>Hard to read</p>`,
		"/small":  `<style>a { display: inline-block; width: 8px; height: 8px }</style><div><a href="/1" aria-label=one></a><a href="/2" aria-label=two></a></div>`,
		"/label":  `<input>`,
	})
	p := New(t)
	p.Open(at + "/strict")
	assert.Empty(t, p.Axe(), "also under a policy that forbids scripts")
	p.Open(at + "/grey")
	assert.Contains(t, strings.Join(p.Axe(), "\n"), "color-contrast")
	assert.NotEmpty(t, p.Axe("color-contrast"))
	assert.Empty(t, p.Axe("label"), "another rule alone")
	p.Emulate(1280, true)
	assert.Empty(t, p.Axe(), "in the dark scheme it can be read")
	p.Open(at + "/small")
	assert.Contains(t, strings.Join(p.Axe(), "\n"), "target-size", "WCAG 2.2")
	p.Open(at + "/label")
	assert.Contains(t, strings.Join(p.Axe(), "\n"), "label: ")
}

func TestAxeLooksAtTwentyRowsOfATable(t *testing.T) {
	t.Parallel()
	row := "<tr><td>x"
	unlabelled := "<tr><td><input>"
	p := openSite(t, map[string]string{
		"/":      "<table><tbody>" + strings.Repeat(row, 19) + unlabelled,
		"/below": "<table><tbody>" + strings.Repeat(row, 20) + unlabelled,
	})
	assert.Contains(t, strings.Join(p.Axe(), "\n"), "label: ")
	p.Open("/below")
	assert.Empty(t, p.Axe())
}

func TestSpokenIsWhatAScreenReaderAnnounces(t *testing.T) {
	t.Parallel()
	p := openSite(t, map[string]string{
		"/": `<table aria-label="Players"><caption>x</caption><tr><th>a</table><svg role=img aria-label="A chart"></svg><p hidden><img alt=no>`,
	})
	assert.Equal(t, []Spoken{{"table", "Players"}, {"image", "A chart"}},
		p.Spoken("table", "image"))
}
