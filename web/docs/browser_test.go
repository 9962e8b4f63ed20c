package docs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/browsertest"
	"dg/web/internal/webtest"
)

// The sidebar stays in sight while the page scrolls, and marks the current section. Request and answer
// are side by side from 1100 px.
func TestDocsInABrowser(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	p := browsertest.New(t)
	p.Open(w.URL + "/docs")
	p.Emulate(1280, browsertest.Light)
	require.Equal(t, "location", p.Attr(`.sidebar a[href="#key"]`, "aria-current"))
	for _, section := range []string{"errors", "privacy", "http"} {
		p.Click(`.sidebar a[href="#` + section + `"]`)
		p.WaitFor(`.sidebar a[href="#` + section + `"][aria-current]`)
		require.Equal(t, 1, p.Count(".sidebar a[aria-current=location]"))
		var top float64
		p.Eval(`document.querySelector('.sidebar').getBoundingClientRect().top`, &top)
		require.Positive(t, top, "it is in sight")
	}
	p.Open(w.URL + "/docs/reference/getForkStats")
	const beside = `(() => {
		const [a, b] = [...document.querySelectorAll('.sides > *')].map((e) => e.getBoundingClientRect());
		return a.top === b.top && b.left >= a.right;
	})()`
	for _, width := range []int{1100, 1920, 1099} {
		p.Emulate(width, browsertest.Light)
		var side bool
		p.Eval(beside, &side)
		require.Equal(t, width >= 1100, side, "%d px", width)
	}
}
