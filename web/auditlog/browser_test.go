package auditlog_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/testkit/browsertest"
	"dg/web/internal/webtest"
)

// audited is an organisation whose log has two pages.
func audited(t *testing.T, w *webtest.World) *webtest.Organisation {
	t.Helper()
	o := w.Organisation("halden")
	key := w.NewKey(t, o, "Power BI, learning dashboard", apikeys.ReportsRead)
	for i := range 60 {
		require.NoError(t, w.Log.Append(t.Context(), audit.Entry{
			OrganisationID: o.ID,
			Actor:          audit.Actor{Kind: audit.Key, ID: key.ID, Name: key.Name},
			Action:         audit.KeyRefused,
			Reason:         []audit.Reason{audit.OutsideAPI, audit.Revoked}[i%2],
			Request: audit.Request{
				Method: "GET", Path: fmt.Sprint("/", i, strings.Repeat("-settings", 200)),
				Address: "2001:db8:85a3:1234:5678:8a2e:370:7334",
			},
		}))
	}
	return o
}

// The audit log and the organisation as an owner goes through them: no violation of WCAG 2.2 A and
// AA, light and dark, nothing that scrolls sideways on a phone, and under 60 KB with all files.
func TestAuditLogInABrowser(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	o := audited(t, w)
	p := browsertest.New(t)
	webtest.SignInWith(p, w, o.AdminPlain, o.At("/settings/audit-log"))
	rows := p.Count("tbody tr")
	require.Equal(t, 50, rows)
	p.Emulate(360, false)
	var top float64
	p.Eval(`document.querySelector('tbody tr').getBoundingClientRect().bottom`, &top)
	if shots := os.Getenv("DG_SHOTS"); shots != "" {
		p.Screenshot(shots + "/audit-360.png")
	}
	require.Less(t, top, 740.0, "a phone shows the first entry at once")
	p.Emulate(1280, false)
	p.Click(`a:text("Older →")`)
	require.Equal(t, "true", p.Attr("nav.pager a:last-child", "aria-disabled"))
	p.Click(`a:text("← Newer")`)
	require.Equal(t, rows, p.Count("tbody tr"))
	p.Click(`summary:text("More filters")`)
	p.Fill("#reason", "Outside the API")
	p.Click(`button:text("Apply")`)
	p.Click("tbody tr:nth-child(1) a")
	require.Contains(t, p.Text("tr.entry"), "The key was used outside /api/v1/.")
	require.Contains(t, p.Path(), "reason=outside_api")
	p.Click("tr.open a")
	require.Zero(t, p.Count("tr.entry"))
	p.Fill("#key", "Power BI, learning dashboard")
	require.False(t, seen(p, "#from"), "dates are asked for with their option alone")
	p.Fill("#period", "Dates")
	require.True(t, seen(p, "#from"))
	p.Fill("#from", "2026-01-01")
	p.Fill("#to", "2026-01-31")
	p.Click(`button:text("Apply")`)
	require.Contains(t, p.Text(".empty dl"), "1 Jan 2026 to 31 Jan 2026")
	p.Click(`a:text("Clear filters")`)
	require.Equal(t, rows, p.Count("tbody tr"))
	p.Open(o.At("/settings/audit-log?from=2026-02-01&to=2026-01-01&actor=nobody"))
	webtest.LooksRight(t, p, "wrong filters")

	p.Click(`.sidebar a:text("Organisation")`)
	require.Equal(t, 4, p.Count("tbody tr"))
	require.Contains(t, p.Text("main"), "Only an owner can change this.")
}

func seen(p *browsertest.Page, selector string) (visible bool) {
	p.Eval(`document.querySelector('`+selector+`').checkVisibility()`, &visible)
	return visible
}

func TestOwnerChangesTheReportingModeInABrowser(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	empty := w.Organisation("empty")
	p := browsertest.New(t)
	webtest.SignInWith(p, w, empty.Owner, empty.At("/settings/audit-log"))
	// as for somebody who joined it after the sign-in
	w.DB.Exec(`delete from audit_entries where org_id = $1`, empty.ID)
	p.Reload()
	require.Equal(t, "No entries yet", p.Text(".empty h2"))
	webtest.LooksRight(t, p, "empty log")
	p.Click(`.sidebar a:text("Organisation")`)
	p.Click(`a:text("Change reporting mode")`)
	p.Eval(`document.querySelector('#mn').value = 'open'`, nil)
	p.Click("label:text(\"Nominative\")")
	p.Click(`button:text("Save reporting mode")`)
	require.Contains(t, p.Text("#mode-error"), "Choose one of the two")
	webtest.LooksRight(t, p, "reporting mode with an error")
	require.False(t, seen(p, "#organisation"), "the name is asked for with its option alone")
	p.Click("label:text(\"Nominative\")")
	p.Click(`button:text("Save reporting mode")`)
	require.Contains(t, p.Text("#organisation-error"), empty.Name)
	webtest.LooksRight(t, p, "reporting mode without the name")
	p.Fill("#organisation", empty.Name)
	p.Click(`button:text("Save reporting mode")`)
	require.Equal(t, empty.At("/settings/organisation"), p.Path())
	p.WaitFor(`strong:text("Nominative")`)
	p.Click(`.sidebar a:text("Audit log")`)
	require.Equal(t, []string{"Reporting mode changed"}, p.Texts(`td[data-label="Action"]`))
}
