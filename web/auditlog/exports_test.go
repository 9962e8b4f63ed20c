package auditlog_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"dg/modules/audit"
	"dg/platform/testkit/fixtures"
	"dg/web/internal/webtest"
)

// An export is one row with its state, whose entries stay two in the file.
func TestExportIsOneRowWithItsState(t *testing.T) {
	t.Parallel()
	w, acme, b := webtest.StartAsOwner(t)
	fork := w.Fork(acme)
	group := w.DB.GroupNamed(acme.ID, "Western region", w.DB.Players(acme.ID, 6)...)
	add := func(action audit.Action, at, id string, details map[string]any) {
		details["from"] = "2026-03-01"
		details["to"] = "2026-03-07"
		if id != "" {
			details["exportId"] = id
		}
		require.NoError(t, w.Log.Append(t.Context(), audit.Entry{
			OrganisationID: acme.ID,
			Actor:          audit.Actor{Kind: audit.Person, ID: acme.Owner.ID, Name: "Ann"}, Action: action,
			Target: audit.Target{Kind: "fork", ID: fork.ID}, Details: details,
			Request: audit.Request{Method: "GET", Path: "/x", ID: "one-request-id"},
		}))
		w.DB.Exec(
			`update audit_entries set at = $2, user_agent = $3 where org_id = $1 and user_agent = ''`,
			acme.ID, at, "set",
		)
	}
	now := time.Now().UTC()
	at := func(ago time.Duration) string { return now.Add(-ago).Format(time.RFC3339Nano) }
	add(audit.ExportStarted, at(50*time.Hour), "", map[string]any{})
	add(audit.ExportFinished, at(49*time.Hour+50*time.Minute), "",
		map[string]any{"rows": 12408, "outcome": "completed"})
	add(audit.ExportStarted, at(3*time.Hour), "interrupted",
		map[string]any{"reportingMode": "nominative", "groupId": group})
	add(audit.ExportStarted, at(2*time.Hour+59*time.Minute), "broken",
		map[string]any{"reportingMode": "pseudonymous"})
	add(audit.ExportFinished, at(2*time.Hour+58*time.Minute), "broken",
		map[string]any{"rows": 7, "outcome": "client_gone"})
	add(audit.ExportFinished, at(2*time.Hour), "pruned",
		map[string]any{"rows": 1, "outcome": "completed"})
	add(audit.ExportStarted, at(time.Minute), "running",
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
	require.Len(t, rowsOf(t, b.Get(linkOf(b.Get(log), "Download CSV"))), 7,
		"the file is the raw record")
	open := b.Get(linkOf(b.Get(log), "Open<span class=\"sr\"> entry 3"))
	open.Has(t, "<dt>Ended</dt>", "<dt>Names</dt><dd><bdi>Not included: pseudonyms",
		"Aborted: client disconnected", "<dt>Group</dt><dd><bdi>None: all players")
	open = b.Get(linkOf(b.Get(log), "Open<span class=\"sr\"> entry 4"))
	open.Has(t, `<dt>Group</dt><dd><bdi>Western region</bdi> <span class="off mono"><bdi>`+group,
		"<dt>Names</dt><dd><bdi>Included")
	b.Get(linkOf(b.Get(log), "Open<span class=\"sr\"> entry 5")).Has(t, "Not recorded")
	require.Len(t, auditedRows(t, b.Get(log+"&action=export.finished")), 3,
		"by that filter the ends are the rows")
	require.Len(t, auditedRows(t, b.Get(log+"&action=export.started")), 4)
}

// Equal refusals of a page are one row with their count; opening it shows each. None is ever
// hidden.
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
		require.NoError(t, w.Log.Append(t.Context(), entry))
	}
	entry.Details = map[string]any{"notRecorded": 12}
	require.NoError(t, w.Log.Append(t.Context(), entry))
	log := acme.At("/settings/audit-log?reason=revoked")
	rows := auditedRows(t, b.Get(log))
	require.Len(t, rows, 2, "two paths")
	for _, row := range rows {
		require.Contains(t, row, "Request refused 10 times")
	}
	opened := auditedRows(t, b.Get(linkOf(b.Get(log), "Open<span class=\"sr\"> entry 1")))
	require.Len(t, opened, 11, "ten of the one path, and the other as it was")
	require.Len(t, auditedRows(t, b.Get(acme.At("/settings/audit-log?reason=expired"))), 2,
		"one that counts others stays alone")
}

// A renaming changes no earlier entry: each has the name of its time (rules.md, Audit log).
func TestRenamingKeepsTheNamesOfEarlierEntries(t *testing.T) {
	t.Parallel()
	w, acme, b := webtest.StartAsOwner(t)
	form := webtest.GoodForm()
	form.Set("name", "First name")
	b.Post(acme.At("/settings/api-keys/new"), form).Is(t, 200)
	id := fixtures.One[string](w.DB, `select id from api_keys where org_id = $1`, acme.ID)
	at := func(below string) string { return acme.At("/settings/api-keys/%s/%s", id, below) }
	b.Post(at("rename"), url.Values{"name": {"Second name"}})
	b.Post(at("rename"), url.Values{"name": {"Second name"}, "description": {"Of the second"}})
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
	created := b.Get(linkOf(b.Get(log), "Open<span class=\"sr\"> entry 4"))
	created.Has(t, "<dt>Key</dt><dd><bdi>First name</bdi>")
	w.DB.Exec(`update audit_entries set details = '{}' where org_id = $1`, acme.ID)
	require.Contains(t, auditedRows(t, b.Get(log))[3], "Key created Last name",
		"an entry of an older release has no name")
}

// Failed sign-ins of a page are one row with their number and their first and last instant, those
// before a sign-in apart from those after it. Opening the row shows each.
func TestFailedSignInsAreFolded(t *testing.T) {
	t.Parallel()
	w, acme, b := webtest.StartAsOwner(t)
	add := func(action audit.Action, reason audit.Reason, minute int) {
		require.NoError(t, w.Log.Append(t.Context(), audit.Entry{
			OrganisationID: acme.ID,
			Actor:          audit.Actor{Kind: audit.Person, ID: acme.Admin.ID, Name: "Ann"},
			Action:         action, Reason: reason,
			Request: audit.Request{Method: "POST", Path: "/sign-in"},
		}))
		w.DB.Exec(`update audit_entries set user_agent = 'set',
			at = timestamptz '2026-03-01 09:00Z' + $2 * interval '1 min'
			where org_id = $1 and user_agent = ''`, acme.ID, minute)
	}
	for minute := range 11 {
		add(audit.SignInFailed, audit.WrongPassword, minute)
	}
	add(audit.SignInLocked, "", 11)
	add(audit.SignedIn, "", 30)
	add(audit.SignInFailed, audit.WrongPassword, 40)
	log := acme.At("/settings/audit-log?actor=%s&to=2026-03-01", acme.Admin.ID)
	rows := auditedRows(t, b.Get(log))
	require.Len(t, rows, 4, "%v", rows)
	require.Equal(t, "1 Mar 2026, 09:40:00 UTC Ann Sign-in failed Wrong password Open entry 1", rows[0])
	require.Contains(t, rows[1], "Signed in")
	require.Equal(t, "1 Mar 2026, 09:10:00 UTC first 1 Mar 2026, 09:00:00 UTC "+
		"Ann Sign-in failed 11 times Wrong password Open entry 4", rows[3])
	require.Len(t, auditedRows(t, b.Get(linkOf(b.Get(log), "Open<span class=\"sr\"> entry 4"))),
		14, "each, and those after the sign-in as well")
}
