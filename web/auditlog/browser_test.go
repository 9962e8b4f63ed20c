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

func seen(p *browsertest.Page, selector string) (visible bool) {
	p.Eval(`document.querySelector('`+selector+`').checkVisibility()`, &visible)
	return visible
}

// A phone shows the first entry without scrolling. An entry opens in place.
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
	p.Emulate(360, false)
	var top float64
	p.Eval(`document.querySelector('tbody tr').getBoundingClientRect().bottom`, &top)
	require.Less(t, top, 740.0)
	p.Emulate(1280, false)
	p.Click(`a:text("Older →")`)
	require.Equal(t, "true", p.Attr("nav.pager a:last-child", "aria-disabled"))
	p.Open(o.At("/settings/audit-log"))
	require.False(t, seen(p, "tbody dl"))
	p.Click("tbody tr:first-child summary")
	require.True(t, seen(p, "tbody dl"))
	webtest.LooksRight(t, p, "open entry")
	p.Fill("#from", "2026-01-01")
	p.Fill("#to", "2026-01-31")
	p.Click(`button:text("Apply")`)
	require.Contains(t, p.Text(".empty dl"), "1 Jan 2026")
}

// The form of the reporting mode asks for the name of the organisation with "Nominative" alone.
func TestOwnerChangesTheReportingModeInABrowser(t *testing.T) {
	t.Parallel()
	w, o := webtest.StartAcme(t)
	p := browsertest.New(t)
	webtest.SignInWith(p, w, o.Owner, "/account")
	w.DB.Exec(`delete from audit_entries where org_id = $1`, o.ID)
	p.Open(o.At("/settings/audit-log"))
	require.Equal(t, "No entries yet", p.Text(".empty h2"))
	webtest.LooksRight(t, p, "empty log")
	p.Open(o.At("/settings/organisation/reporting-mode"))
	require.False(t, seen(p, "#organisation"))
	p.Click(`label:text("Nominative")`)
	p.Click(`button:text("Save reporting mode")`)
	require.Contains(t, p.Text("#organisation-error"), o.Name)
	webtest.LooksRight(t, p, "reporting mode without the name")
	p.Fill("#organisation", o.Name)
	p.Click(`button:text("Save reporting mode")`)
	require.Equal(t, o.At("/settings/organisation"), p.Path())
	p.WaitFor(`strong:text("Nominative")`)
}
