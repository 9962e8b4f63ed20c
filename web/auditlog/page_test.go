package auditlog_test

import (
	"html"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/web/internal/webtest"
)

// Cursor paging: down and up again, neither gap nor repeat while entries are appended.
func TestAuditLogPagesWhileItGrows(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	acme := w.Organisation("acme")
	entry := audit.Entry{
		OrganisationID: acme.ID,
		Actor:          audit.Actor{Kind: audit.Key, ID: "k", Name: "K"},
		Action:         audit.KeyRefused,
		Reason:         audit.Revoked,
	}
	for range 130 {
		entry.Request.Path = "/" + uuid.NewString() // equal ones are folded
		require.NoError(t, w.Log.Append(t.Context(), entry))
	}
	before := w.LogOf(t, acme)
	b := w.SignedIn(t, acme.Owner)
	stop := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		// fewer than the pages below go through, however slow this machine answers them
		for range 1500 {
			select {
			case <-stop:
				return
			default:
				entry.Request.Path = "/" + uuid.NewString()
				_ = w.Log.Append(t.Context(), entry)
			}
		}
	})
	p := b.Get(acme.At("/settings/audit-log?reason=revoked"))
	require.Len(t, listed(t, p), 50)
	require.Empty(t, linkOf(p, "← Newer"), "the first page")
	got := listed(t, p)
	var last webtest.Page
	for len(got) < 2000 && linkOf(p, "Older →") != "" {
		last = p
		p = b.Get(linkOf(p, "Older →"))
		require.Contains(t, p.Body, `<option value="revoked" selected>`, "filters are kept")
		got = append(got, listed(t, p)...)
	}
	close(stop)
	writer.Wait()
	numbers := make([]int64, len(before))
	for i, e := range before {
		numbers[i] = e.ID
	}
	at := slices.Index(got, numbers[0])
	require.GreaterOrEqual(t, at, 0)
	require.Equal(t, numbers, got[at:])
	unique := slices.Clone(got)
	slices.Sort(unique)
	require.Len(t, slices.Compact(unique), len(got))

	up := b.Get(linkOf(p, "← Newer"))
	require.Equal(t, listed(t, last), listed(t, up), "up again")
	for range 100 {
		if linkOf(up, "← Newer") == "" {
			break
		}
		up = b.Get(linkOf(up, "← Newer"))
		require.Len(t, listed(t, up), 50)
	}
	require.Equal(t, w.LogOf(t, acme)[0].ID, listed(t, up)[0], "to the newest")
	require.Contains(t, b.Get(acme.At("/settings/audit-log?before=%d", got[len(got)-1])).Body,
		"No older entries")
}

// A detail view with request id, address and endpoint; it has an address of its own, which holds
// when the log has grown by pages.
func TestAuditEntryOpensInPlace(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	acme := w.Organisation("acme")
	other := w.Organisation("other")
	key := w.NewKey(t, acme, "Warehouse", apikeys.ReportsRead)
	foreign := w.NewKey(t, other, "Theirs", apikeys.ReportsRead)
	require.NoError(t, w.Log.Append(t.Context(), audit.Entry{
		OrganisationID: acme.ID,
		Actor:          audit.Actor{Kind: audit.Key, ID: key.ID, Name: key.Name},
		Action:         audit.KeyRefused,
		Reason:         audit.InsufficientScope,
		Request: audit.Request{
			Method:    "GET",
			Path:      "/api/v1/forks",
			Address:   "192.0.2.118",
			UserAgent: "python-requests/2.32.3",
			ID:        "01JD7K3V9Q2M8T4XN6ZB",
		},
	}))
	b := w.SignedIn(t, acme.Owner)
	p := b.Get(acme.At("/settings/audit-log?actor=keys&key=%s", key.ID))
	link := html.UnescapeString(entryLink.FindStringSubmatch(p.Body)[1])
	check := func(p webtest.Page) {
		t.Helper()
		require.Equal(t, http.StatusOK, p.StatusCode)
		for _, text := range []string{
			`id="entry"`, "Key: <bdi>Warehouse</bdi>", "Request rejected", "Missing scope",
			`aria-expanded="true"`,
			"The key has the scope reports:read. The endpoint requires forks:read.</bdi>",
			"insufficient_scope", "GET /api/v1/forks", "403 ERR_ACCESS_DENIED",
			"dg_live_" + key.ID + "_…", "192.0.2.118", "python-requests/2.32.3",
			"01JD7K3V9Q2M8T4XN6ZB",
			`<option value="keys" selected>Any key</option>`,
			`<option value="` + key.ID + `" selected>Warehouse</option>`,
		} {
			require.Contains(t, p.Body, text)
		}
	}
	check(b.Get(link))
	require.Equal(t, acme.At("/settings/audit-log?actor=keys&key=%s", key.ID),
		linkOf(b.Get(link), "Close"))
	for range 120 {
		require.NoError(t,
			w.Log.Append(t.Context(), audit.Entry{
				OrganisationID: acme.ID,
				Actor:          audit.Actor{Kind: audit.Key, ID: key.ID},
				Action:         audit.ExportStarted,
			}))
	}
	grown := b.Get(link)
	check(grown)
	require.NotEmpty(t, linkOf(grown, "← Newer"))

	opened := w.LogOf(t, acme)[120].ID
	for name, path := range map[string]string{
		"another organisation's": acme.At("/settings/audit-log?entry=%d", w.LogOf(t, other)[0].ID),
		"left out by a filter": acme.At("/settings/audit-log?entry=%d&action=api_key.revoked",
			opened),
		"unknown":   acme.At("/settings/audit-log?entry=999999999"),
		"no number": acme.At("/settings/audit-log?entry=1%%27"),
		"negative":  acme.At("/settings/audit-log?before=-1"),
		"too large": acme.At("/settings/audit-log?after=99999999999999999999"),
	} {
		require.Equal(t, http.StatusNotFound, b.Get(path).StatusCode, name)
	}
	require.Equal(t, http.StatusBadRequest,
		b.Get(acme.At("/settings/audit-log?after=1&before=2")).StatusCode)
	require.Equal(t, http.StatusBadRequest,
		b.Get(acme.At("/settings/audit-log?actor=%%zz")).StatusCode)
	require.NotContains(t, b.Get(acme.At("/settings/audit-log")).Body, foreign.Name)
}
