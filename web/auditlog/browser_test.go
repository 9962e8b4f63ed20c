package auditlog_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/testkit/browsertest"
	"dg/platform/testkit/fixtures"
	"dg/web/internal/webtest"
)

// audited is an organisation whose log has entries of every kind, short and long.
func audited(t *testing.T, w *webtest.World) *webtest.Organisation {
	t.Helper()
	o := w.OrganisationOf(fixtures.Organisation{Slug: "halden", Name: "Halden Water"})
	w.Rename(&o.Owner, "Ingrid Solheim")
	w.Rename(&o.Admin, "Wolfeschlegelsteinhausenbergerdorff-Wolfeschlegelsteinhausenbergerdorff")
	w.Rename(&o.AdminPlain, "محمد علي")
	w.Rename(&o.Member, "Aiko Lindqvist")
	w.DB.Exec(`update users set totp_secret = $1 where id = $2`, fixtures.TOTPSecret, o.Owner.ID)
	fork := w.DB.Fork(fixtures.Fork{OrganisationID: o.ID, Slug: "prompt-clinic"}).ID
	bi := w.NewKey(t, o, "Power BI, learning dashboard", apikeys.ReportsRead)
	long := w.NewKey(t, o,
		"Moodle status widget on the start page of the learning portal of the northern and the "+
			"western regions", apikeys.ForksRead, apikeys.ReportsRead)
	by := func(k apikeys.Key) audit.Actor {
		return audit.Actor{Kind: audit.Key, ID: k.ID, Name: k.Name}
	}
	person := audit.Actor{Kind: audit.Person, ID: o.Admin.ID, Name: o.Admin.Name}
	for i := range 12 {
		for _, e := range []audit.Entry{
			{Actor: by(bi), Action: audit.KeyRefused, Reason: audit.Reasons[i%len(audit.Reasons)]},
			{
				Actor:  by(long),
				Action: audit.KeyRefused,
				Reason: audit.OtherOrganisation,
				Target: audit.Target{Kind: "fork", ID: uuid.NewString()},
			},
			{
				Actor:  by(long),
				Action: audit.KeyRefused,
				Reason: audit.OutsideAPI,
				Target: audit.Target{Kind: "api_key", ID: long.ID},
			},
			{
				Actor:   person,
				Action:  audit.ExportStarted,
				Target:  audit.Target{Kind: "fork", ID: fork},
				Details: map[string]any{"from": "2026-10-25", "to": "2026-11-21"},
			},
			{
				Actor:  person,
				Action: audit.ExportFinished,
				Target: audit.Target{Kind: "fork", ID: fork},
				Details: map[string]any{
					"from":    "2026-10-25",
					"to":      "2026-11-21",
					"rows":    12408 * i,
					"outcome": "completed",
				},
			},
			{
				Actor:   person,
				Action:  audit.ReportingModeChanged,
				Details: map[string]any{"from": "nominative", "to": "pseudonymous"},
			},
			{
				Actor:  person,
				Action: audit.KeyRevoked,
				Target: audit.Target{Kind: "api_key", ID: long.ID},
			},
		} {
			e.OrganisationID = o.ID
			e.Request = audit.Request{
				Method:    "GET",
				Path:      "/api/v1/forks",
				Address:   "192.0.2.118",
				UserAgent: "python-requests/2.32.3",
				ID:        "01JD7K3V9Q2M8T4XN6ZB",
			}
			if e.Reason == audit.OtherOrganisation {
				e.Request.Path = "/api/v1/forks/" + e.Target.ID + "/exports/csv"
			}
			if e.Reason == audit.OutsideAPI {
				e.Request.Path = "/o/" + strings.Repeat("settings-", 200)
				e.Request.UserAgent = strings.Repeat("Mozilla/5.0\u202e ", 50)
				e.Request.Address = "2001:db8:85a3:1234:5678:8a2e:370:7334"
			}
			require.NoError(t, w.Log.Append(t.Context(), e))
		}
	}
	// Three hours apart, the last one today.
	w.DB.Exec(`update audit_entries e set at = e.at - interval '3 h' * (n - 1)
		from (select id, row_number() over (order by at desc, id desc) n from audit_entries
		  where org_id = $1 and request_id = '01JD7K3V9Q2M8T4XN6ZB') o
		where o.ID = e.id`, o.ID)
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
	p.ClearCache()
	p.Reload()
	require.Less(t, p.TransferSize(), 60_000)
	t.Logf("the log: %d bytes", p.TransferSize())
	rows := p.Count("tbody tr")
	require.Less(t, rows, 50, "exports are one row, and so are equal refusals")
	p.Emulate(360, false)
	var top float64
	p.Eval(`document.querySelector('tbody tr').getBoundingClientRect().bottom`, &top)
	if shots := os.Getenv("DG_SHOTS"); shots != "" {
		p.Screenshot(shots + "/audit-360.png")
	}
	require.Less(t, top, 740.0, "a phone shows the first entry at once")
	p.Click(`summary:text("Filters")`)
	require.True(t, p.Has("#actor"))
	p.Emulate(1280, false)
	p.Click(`a:text("Older →")`)
	require.Equal(t, "true", p.Attr("nav.pager a:last-child", "aria-disabled"))
	p.Click(`a:text("← Newer")`)
	require.Equal(t, rows, p.Count("tbody tr"))
	p.Fill("#reason", "Outside the API")
	p.Click(`button:text("Apply")`)
	p.Click("tbody tr:nth-child(1) a")
	require.Contains(t, p.Text("tr.entry"), "The key was used outside /api/v1/.")
	require.Contains(t, p.Path(), "reason=outside_api")
	p.Click("tr.open a")
	require.Zero(t, p.Count("tr.entry"))
	p.Fill("#key", "Power BI, learning dashboard")
	p.Fill("#from", "2026-01-01")
	p.Fill("#to", "2026-01-31")
	p.Click(`button:text("Apply")`)
	require.Equal(t,
		"There are no entries with these filters from 1 January 2026 to 31 January 2026.",
		p.Text(".empty p"))
	p.Click(`a:text("Clear filters")`)
	require.Equal(t, rows, p.Count("tbody tr"))
	p.Open(o.At("/settings/audit-log?from=2026-02-01&to=2026-01-01&actor=nobody"))
	webtest.LooksRight(t, p, "wrong filters")

	p.Click(`.sidebar a:text("Organisation")`)
	require.Equal(t, 4, p.Count("tbody tr"))
	require.Contains(t, p.Text("main"), "Only an owner can change this.")
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
	var asked bool
	p.Eval(`document.querySelector('#organisation').checkVisibility()`, &asked)
	require.False(t, asked, "the name is asked for with its option alone")
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
