package auditlog_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/audit"
	"dg/platform/testkit/browsertest"
	"dg/web/internal/webtest"
)

func seen(p *browsertest.Page, selector string) bool {
	return browsertest.Eval[bool](p, `document.querySelector('`+selector+`').checkVisibility()`)
}

// A phone shows the first entry without scrolling, and folds the filters. An entry opens in place.
func TestAuditLogInABrowser(t *testing.T) {
	t.Parallel()
	w, o := webtest.StartAcme(t)
	for i := range 60 {
		w.Append(t, o, audit.Entry{
			Actor:  audit.Actor{Kind: audit.Key, ID: "k", Name: "Power BI, dashboard"},
			Action: audit.KeyRefused,
			Reason: audit.OutsideAPI,
			Request: audit.Request{
				Method: "GET", Path: fmt.Sprint("/", i, strings.Repeat("-settings", 200)),
				Address: "2001:db8:85a3:1234:5678:8a2e:370:7334",
			},
		})
	}
	p := browsertest.New(t)
	webtest.SignInWith(p, w, o.AdminPlain, o.At("/settings/audit-log"))
	p.Emulate(360, browsertest.Light)
	require.Less(t, browsertest.Eval[float64](p,
		`document.querySelector('tbody tr[id]').getBoundingClientRect().bottom`), 480.0)
	require.False(t, seen(p, ".filters"))
	p.Click(`.fold summary:text("Filter")`)
	require.True(t, seen(p, ".filters"))
	p.Emulate(1280, browsertest.Light)
	p.Click(`a:text("Older →")`)
	require.Equal(t, "true", p.Attr("nav.pager a:last-child", "aria-disabled"))
	p.Open(o.At("/settings/audit-log"))
	require.False(t, seen(p, "tbody dl"))
	browsertest.Eval[any](p, `(({left, top}) => document.elementFromPoint(left + 9, top + 9).click())(
		document.querySelector('tbody tr[id] th').getBoundingClientRect())`) // the row opens the entry
	require.True(t, seen(p, "tbody dl"))
	require.Equal(t, "static",
		browsertest.Eval[string](p, `getComputedStyle(document.querySelector("tbody tr[id]")).position`),
		"WebKit knows no other: the summary of the last row would cover the page")
	p.Fill("#from", "2026-01-01")
	p.Fill("#to", "2026-01-31")
	p.Click(`button:text("Apply")`)
	require.Contains(t, p.Text(".empty dl"), "1 Jan 2026")
}
