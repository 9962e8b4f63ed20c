package auditlog_test

import (
	"fmt"
	"html"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/web/internal/webtest"
)

// The pages lead to the oldest entry and back without a gap, and keep the filters, while the log
// grows.
func TestAuditLogIsPaged(t *testing.T) {
	t.Parallel()
	w, acme, b := webtest.StartAsOwner(t)
	add := func(n int) {
		for range n {
			w.Append(t, acme, audit.Entry{
				Actor:   audit.Actor{Kind: audit.Key, ID: "k", Name: "K"},
				Action:  audit.KeyRefused,
				Reason:  audit.Revoked,
				Request: audit.Request{Path: "/" + uuid.NewString()}, // equal ones are folded
			})
		}
	}
	add(130)
	var want []int64
	for _, e := range w.LogOf(t, acme) {
		want = append(want, e.ID)
	}
	p := b.Get(acme.At("/settings/audit-log?reason=revoked"))
	require.Empty(t, p.Link("← Newer"), "the first page")
	add(20)
	require.Equal(t, want, listedOnAllPages(b, p))
	second := b.Get(p.Link("Older →"))
	second.Has(t, `<option value="revoked" selected>`)
	require.Equal(t, want[50:100], listed(t, second))
	up := b.Get(second.Link("← Newer"))
	require.Equal(t, want[:50], listed(t, up))
	require.Equal(t, w.LogOf(t, acme)[0].ID, listed(t, b.Get(up.Link("← Newer")))[0])
	b.Get(acme.At("/settings/audit-log?before=%d", want[129])).Has(t, "No older entries")
}

// An open entry has its own address, which stays valid while the log grows.
func TestAuditEntryOpensInPlace(t *testing.T) {
	t.Parallel()
	w, acme, b := webtest.StartAsOwner(t)
	other := w.Organisation("other")
	key := w.NewKey(t, acme, "Warehouse", apikeys.ReportsRead)
	foreign := w.NewKey(t, other, "Theirs", apikeys.ReportsRead)
	w.Append(t, acme, audit.Entry{
		Actor:  audit.Actor{Kind: audit.Key, ID: key.ID, Name: key.Name},
		Action: audit.KeyRefused,
		Reason: audit.InsufficientScope,
		Request: audit.Request{
			Method: "GET", Path: "/api/v1/forks", Address: "192.0.2.118",
			UserAgent: "python-requests/2.32.3", ID: "01JD7K3V9Q2M8T4XN6ZB",
		},
	})
	p := b.Get(acme.At("/settings/audit-log?actor=keys&key=%s", key.ID))
	link := html.UnescapeString(entryLink.FindStringSubmatch(p.Body)[1])
	check := func(p webtest.Page) {
		t.Helper()
		p.Is(t, 200)
		p.Has(t, `id="entry"`, "Key: <bdi>Warehouse</bdi>", "Request refused", "Missing scope",
			`aria-expanded="true"`,
			"The key has the scope reports:read. The endpoint requires forks:read.</bdi>",
			"insufficient_scope", "GET /api/v1/forks", "403 ERR_ACCESS_DENIED",
			"dg_live_"+key.ID+"_…", "192.0.2.118", "python-requests/2.32.3", "01JD7K3V9Q2M8T4XN6ZB",
			`<option value="keys" selected>Any key</option>`,
			`<option value="`+key.ID+`" selected>Warehouse</option>`)
	}
	check(b.Get(link))
	require.Equal(t, acme.At("/settings/audit-log?actor=keys&key=%s", key.ID),
		b.Get(link).Link("Close"))
	for range 120 {
		w.Append(t, acme, audit.Entry{
			Actor:  audit.Actor{Kind: audit.Key, ID: key.ID},
			Action: audit.ExportStarted,
		})
	}
	grown := b.Get(link)
	check(grown)
	require.NotEmpty(t, grown.Link("← Newer"))

	opened := w.LogOf(t, acme)[120].ID
	for query, status := range map[string]int{
		fmt.Sprintf("entry=%d", w.LogOf(t, other)[0].ID):       404,
		fmt.Sprintf("entry=%d&action=api_key.revoked", opened): 404,
		"entry=999999999":            404,
		"entry=1%27":                 404,
		"before=-1":                  404,
		"after=99999999999999999999": 404,
		"after=1&before=2":           400,
		"actor=%zz":                  400,
	} {
		b.Get(acme.At("/settings/audit-log?%s", query)).Is(t, status)
	}
	b.Get(acme.At("/settings/audit-log")).Lacks(t, foreign.Name)
}
