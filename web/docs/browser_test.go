package docs_test

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"dg/platform/testkit/browsertest"
	"dg/web/internal/webtest"
)

// The sidebar stays in sight while the page scrolls, and marks the current section. What is typed
// shows its results, of which the sidebar marks none, and Enter opens the first one. Escape shows the
// page again.
func TestDocsInABrowser(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	p := browsertest.New(t)
	p.Open(w.Base + "/docs/errors")
	p.Emulate(1280, browsertest.Light)
	require.Equal(t, "location", p.Attr(`.sidebar a[href="#errors"]`, "aria-current"))
	for _, section := range []string{"limits", "http"} {
		p.Click(`.sidebar a[href="#` + section + `"]`)
		p.WaitFor(`.sidebar a[href="#` + section + `"][aria-current]`)
		require.Equal(t, 1, p.Count(".sidebar a[aria-current=location]"))
		require.Positive(t, browsertest.Eval[float64](p,
			`document.querySelector('.sidebar').getBoundingClientRect().top`), "it is in sight")
	}

	p.Fill("#search", "pandas")
	p.WaitFor(`.results a[href="/docs/recipes/python"]`)
	require.Zero(t, p.Count(".sidebar [aria-current]"), "the page is not shown")
	p.Press(kb.Escape)
	p.WaitFor("#error-table")
	p.WaitFor(`.sidebar a[href="/docs/errors"][aria-current]`)
	p.Fill("#search", "429")
	p.Click(`.results a[href="/docs/errors#ERR_RATE_LIMITED"]`)
	p.WaitFor("#ERR_RATE_LIMITED:target")
	p.Fill("#search", "power bi")
	p.Press(kb.Enter)
	p.WaitFor("#recipe")
	require.Equal(t, "/docs/recipes/power-bi", p.Path())
}
