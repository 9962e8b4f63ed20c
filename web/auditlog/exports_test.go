package auditlog_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"dg/modules/audit"
	"dg/platform/testkit/fixtures"
	"dg/web/internal/webtest"
)

// The two entries of an export are one row with its state. The file keeps both.
func TestExportIsOneRowWithItsState(t *testing.T) {
	t.Parallel()
	w, acme, b := webtest.StartAsOwner(t)
	fork := w.Fork(acme)
	group := w.DB.GroupNamed(acme.ID, "Western region", w.DB.Players(acme.ID, 6)...)
	now := time.Now()
	add := func(ago time.Duration, action audit.Action, id string, details map[string]any) {
		details["from"] = "2026-03-01"
		details["to"] = "2026-03-07"
		if id != "" {
			details["exportId"] = id
		}
		w.Append(t, acme, audit.Entry{
			Actor:   audit.Actor{Kind: audit.Person, ID: acme.Owner.ID, Name: "Ann"},
			Action:  action,
			Target:  audit.Target{Kind: "fork", ID: fork.ID},
			Details: details,
			Request: audit.Request{Method: "GET", Path: "/x", ID: "one-request-id"},
		})
		w.DB.Exec(`update audit_entries set at = $2, user_agent = 'set'
			where org_id = $1 and user_agent = ''`, acme.ID, now.Add(-ago))
	}
	completed := map[string]any{"rows": 12408, "outcome": "completed"}
	withNames := map[string]any{"reportingMode": "nominative", "groupId": group}
	add(50*time.Hour, audit.ExportStarted, "", map[string]any{})
	add(49*time.Hour+50*time.Minute, audit.ExportFinished, "", completed)
	add(3*time.Hour, audit.ExportStarted, "interrupted", withNames)
	add(2*time.Hour+59*time.Minute, audit.ExportStarted, "broken",
		map[string]any{"reportingMode": "pseudonymous"})
	add(2*time.Hour+58*time.Minute, audit.ExportFinished, "broken",
		map[string]any{"rows": 7, "outcome": "client_gone"})
	add(2*time.Hour, audit.ExportFinished, "pruned",
		map[string]any{"rows": 1, "outcome": "completed"})
	add(time.Minute, audit.ExportStarted, "running",
		map[string]any{"reportingMode": "pseudonymous"})

	log := acme.At("/settings/audit-log?actor=%s&fork=%s", acme.Owner.ID, fork.ID)
	rows := auditedRows(t, b.Get(log))
	require.Len(t, rows, 5, "seven entries: %v", rows)
	for i, want := range []string{
		"Ann Export Prompting at the dock with pseudonyms Running",
		"Ann Export Prompting at the dock Completed, 1 row",
		"Ann Export Prompting at the dock with pseudonyms Aborted: client disconnected, 7 rows",
		"Ann Export Prompting at the dock Western region with names Interrupted",
		"Ann Export Prompting at the dock Completed, 12,408 rows",
	} {
		require.Contains(t, rows[i], want)
	}
	require.Len(t, rowsOf(t, b.Get(b.Get(log).Link("Download CSV"))), 7)
	opened(b, log, 3).Has(t, "<dt>Ended</dt>", "<dt>Names</dt><dd><bdi>Not included: pseudonyms",
		"Aborted: client disconnected", "<dt>Group</dt><dd><bdi>None: all players")
	opened(b, log, 4).Has(t, `<dt>Group</dt><dd><bdi>Western region</bdi> <span class="off mono"><bdi>`+group,
		"<dt>Names</dt><dd><bdi>Included")
	opened(b, log, 5).Has(t, "Not recorded")
	require.Len(t, auditedRows(t, b.Get(log+"&action=export.finished")), 3,
		"by that filter the ends are the rows")
	require.Len(t, auditedRows(t, b.Get(log+"&action=export.started")), 4)
}

// Equal refusals of a page are one row with their count, which opens into all of them.
func TestEqualRefusalsAreFolded(t *testing.T) {
	t.Parallel()
	w, acme, b := webtest.StartAsOwner(t)
	entry := audit.Entry{
		OrganisationID: acme.ID, Actor: audit.Actor{Kind: audit.Key, ID: "k", Name: "BI"},
		Action: audit.KeyRefused,
	}
	for i := range 30 {
		entry.Reason = audit.Revoked
		entry.Request = audit.Request{Method: "GET", Path: "/api/v1/forks", ID: uuid.NewString()}
		switch i % 3 {
		case 1:
			entry.Request.Path = "/api/v1/forks/other"
		case 2:
			entry.Reason = audit.Expired
		}
		w.Append(t, acme, entry)
	}
	entry.Details = map[string]any{"notRecorded": 12}
	w.Append(t, acme, entry)
	log := acme.At("/settings/audit-log?reason=revoked")
	rows := auditedRows(t, b.Get(log))
	require.Len(t, rows, 2, "two paths")
	for _, row := range rows {
		require.Contains(t, row, "Request refused 10 times")
	}
	require.Len(t, auditedRows(t, opened(b, log, 1)), 11, "ten of the one path, and the other as it was")
	require.Len(t, auditedRows(t, b.Get(acme.At("/settings/audit-log?reason=expired"))), 2,
		"one that counts others stays alone")
}

// rules.md, Audit log: each entry has the name that the key had at its time.
func TestRenamingKeepsTheNamesOfEarlierEntries(t *testing.T) {
	t.Parallel()
	w, acme, b := webtest.StartAsOwner(t)
	form := webtest.GoodForm()
	form.Set("name", "First name")
	b.Post(acme.At("/settings/api-keys/new"), form).Is(t, 200)
	id := fixtures.One[string](w.DB, `select id from api_keys where org_id = $1`, acme.ID)
	at := func(below string) string { return acme.At("/settings/api-keys/%s/%s", id, below) }
	b.Post(at("rename"), webtest.Form("name", "Second name"))
	b.Post(at("rename"), webtest.Form("name", "Second name", "description", "Of the second"))
	b.Post(at("revoke"), nil)
	w.DB.Exec(`update api_keys set name = 'Last name' where id = $1`, id)
	log := acme.At("/settings/audit-log?key=%s", id)
	rows := auditedRows(t, b.Get(log))
	for i, want := range []string{
		"Key revoked Second name", "Key renamed Second name",
		"Key renamed Second name Was First name", "Key created First name",
	} {
		require.Contains(t, rows[i], want)
	}
	opened(b, log, 4).Has(t, "<dt>Key</dt><dd><bdi>First name</bdi>")
	w.DB.Exec(`update audit_entries set details = '{}' where org_id = $1`, acme.ID)
	require.Contains(t, auditedRows(t, b.Get(log))[3], "Key created Last name",
		"an entry of an older release has no name")
}
