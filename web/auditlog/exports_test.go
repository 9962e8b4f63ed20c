package auditlog_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/testkit/fixtures"
	"dg/web/internal/webtest"
)

// auditedRows are the rows of the log as text.
func auditedRows(t *testing.T, p webtest.Page) []string {
	t.Helper()
	require.Equal(t, http.StatusOK, p.StatusCode, p.Body)
	var all []string
	for _, row := range webtest.Cells(
		`(?s)<tr role="row"(?: class="open" id="entry")?>\s*<th role="rowheader" scope="row">(.*?)</tr>`,
		p.Body,
	) {
		text := strings.ReplaceAll(row[0], "<span class=\"sr\">", "")
		all = append(all, webtest.Trimmed(strings.Join(strings.Fields(stripTags(text)), " ")))
	}
	return all
}

func stripTags(markup string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(markup, "<") {
		_, text, found := strings.Cut(part, ">")
		if !found {
			text = part
		}
		b.WriteString(" " + text)
	}
	return b.String()
}

// An export is one row with its state, whose entries stay two in the file.
func TestExportIsOneRowWithItsState(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	acme := w.Organisation("acme")
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
			Actor:          audit.Actor{Kind: audit.Person, ID: acme.Owner.ID, Name: "Ann"},
			Action:         action,
			Target:         audit.Target{Kind: "fork", ID: fork.ID},
			Details:        details,
			Request:        audit.Request{Method: "GET", Path: "/x", ID: "one-request-id"},
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

	b := w.SignedIn(t, acme.Owner)
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
	for _, text := range []string{
		"<dt>Ended</dt>", "<dt>Names</dt><dd><bdi>Not included: pseudonyms",
		"Aborted: client disconnected", "<dt>Group</dt><dd><bdi>None: all players",
	} {
		require.Contains(t, open.Body, text)
	}
	open = b.Get(linkOf(b.Get(log), "Open<span class=\"sr\"> entry 4"))
	require.Contains(t, open.Body,
		`<dt>Group</dt><dd><bdi>Western region</bdi> <span class="off mono"><bdi>`+group)
	require.Contains(t, open.Body, "<dt>Names</dt><dd><bdi>Included")
	require.Contains(t, b.Get(linkOf(b.Get(log), "Open<span class=\"sr\"> entry 5")).Body,
		"Not recorded")
	require.Len(t, auditedRows(t, b.Get(log+"&action=export.finished")), 3,
		"by that filter the ends are the rows")
	require.Len(t, auditedRows(t, b.Get(log+"&action=export.started")), 4)
}

// Equal refusals of a page are one row with their count; opening it shows each. None is ever
// hidden.
func TestEqualRefusalsAreFolded(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	acme := w.Organisation("acme")
	entry := audit.Entry{
		OrganisationID: acme.ID,
		Actor:          audit.Actor{Kind: audit.Key, ID: "k", Name: "BI"},
		Action:         audit.KeyRefused,
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
	b := w.SignedIn(t, acme.Owner)
	log := acme.At("/settings/audit-log?reason=revoked")
	rows := auditedRows(t, b.Get(log))
	require.Len(t, rows, 2, "two paths")
	for _, row := range rows {
		require.Contains(t, row, "Request rejected 10 times on this page")
	}
	opened := auditedRows(t, b.Get(linkOf(b.Get(log), "Open<span class=\"sr\"> entry 1")))
	require.Len(t, opened, 11, "ten of the one path, and the other as it was")
	require.Len(t, auditedRows(t, b.Get(acme.At("/settings/audit-log?reason=expired"))), 2,
		"one that counts others stays alone")
}

// A day of the filter is a day of the zone, also where the clocks change, and the rows are written
// in the same zone.
func TestDaysOfTheFilterAreThoseOfTheZone(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	acme := w.Organisation("acme")
	instants := []string{ // the edges of the days on which clocks change
		// Berlin: 23 hours
		"2026-03-28T22:59:59Z", "2026-03-28T23:00:00Z", "2026-03-29T21:59:59Z",
		"2026-03-29T22:00:00Z",
		// New York: 25 hours
		"2026-11-01T03:59:59Z", "2026-11-01T04:00:00Z", "2026-11-02T04:59:59Z",
		"2026-11-02T05:00:00Z",
	}
	for i, at := range instants {
		require.NoError(t, w.Log.Append(t.Context(), audit.Entry{
			OrganisationID: acme.ID,
			Actor:          audit.Actor{Kind: audit.Key, ID: "k", Name: fmt.Sprintf("entry %d", i)},
			Action:         audit.KeyRenamed,
		}))
		w.DB.Exec(`update audit_entries set at = $2 where org_id = $1 and actor_name = $3`, acme.ID,
			at, fmt.Sprintf("entry %d", i))
	}
	b := w.SignedIn(t, acme.Owner)
	for query, want := range map[string][]string{
		"from=2026-03-29&to=2026-03-29&zone=Europe/Berlin": {
			"29 Mar 2026, 23:59:59 CEST Key: entry 2", "29 Mar 2026, 00:00:00 CET Key: entry 1",
		},
		"from=2026-03-29&to=2026-03-29": {
			"29 Mar 2026, 22:00:00 UTC Key: entry 3", "29 Mar 2026, 21:59:59 UTC Key: entry 2",
		},
		"from=2026-11-01&to=2026-11-01&zone=America/New_York": {
			"1 Nov 2026, 23:59:59 EST Key: entry 6", "1 Nov 2026, 00:00:00 EDT Key: entry 5",
		},
	} {
		p := b.Get(acme.At("/settings/audit-log?%s", query))
		rows := auditedRows(t, p)
		require.Len(t, rows, len(want), query)
		for i := range want {
			require.True(t, strings.HasPrefix(rows[i], want[i]), "%s: %s", query, rows[i])
		}
		require.Len(t, rowsOf(t, b.Get(linkOf(p, "Download CSV"))), len(want),
			"the file has the same days")
		zone := "UTC"
		if _, name, given := strings.Cut(query, "zone="); given {
			zone = name
		}
		require.Contains(t, p.Body, `data-tz="`+zone+`"`)
		require.Contains(t, p.Body, "Times and days are in the time zone "+zone+".")
	}
	for _, zone := range []string{
		"Local", "../etc/passwd", "Mars/Olympus", strings.Repeat("x", 500),
	} {
		require.Equal(t, http.StatusBadRequest,
			b.Get(acme.At("/settings/audit-log?zone=%s", zone)).StatusCode, zone)
	}
}

// The presets are relative, in the reader's zone and week, and keep the other filters.
func TestPresetsOfTheAuditLog(t *testing.T) {
	t.Parallel()
	db := fixtures.New(t)
	// a Sunday, a Saturday in New York
	w := webtest.StartOn(t, db, func() time.Time {
		return time.Date(2026, 11, 22, 4, 0, 0, 0, time.UTC)
	})
	acme := w.Organisation("acme")
	b := w.SignedIn(t, acme.Owner)
	for query, want := range map[string][2]string{
		"period=today": {"en-GB", "from 22 November 2026 to 22 November 2026"},
		"period=today&zone=America/New_York": {
			"en-GB", "from 21 November 2026 to 21 November 2026",
		},
		"period=7-days":             {"en-GB", "from 16 November 2026 to 22 November 2026"},
		"period=30-days":            {"en-US", "from October 24, 2026 to November 22, 2026"},
		"period=last-week":          {"en-GB", "from 9 November 2026 to 15 November 2026"},
		"period=last-week&zone=UTC": {"en-US", "from November 15, 2026 to November 21, 2026"},
		"period=last-week&zone=America/New_York": {
			"en-US", "from November 8, 2026 to November 14, 2026",
		},
		"period=today&from=2026-01-01&to=2026-1-31": {"", ""},
	} {
		p := b.In(want[0], acme.At("/settings/audit-log?action=api_key.revoked&%s", query))
		if want[0] == "" {
			require.Equal(t, http.StatusBadRequest, p.StatusCode)
			continue
		}
		require.Contains(t, p.Body, "There are no entries with these filters "+want[1]+".", query)
		require.Equal(t, 1, strings.Count(p.Body, `data-zoned aria-current="true"`), query)
		require.Contains(t, linkOf(p, "Last week"), "action=api_key.revoked", "other filters stay")
	}
	require.Equal(t, http.StatusBadRequest,
		b.Get(acme.At("/settings/audit-log?period=never")).StatusCode)
}

// A mistyped filter is refused by name, on the screen and for the file: without it the log would
// show everything.
func TestUnknownParameterOfTheAuditLogIsRefused(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	acme := w.Organisation("acme")
	b := w.SignedIn(t, acme.Owner)
	for _, path := range []string{
		"/settings/audit-log?forks=x", "/settings/audit-log.csv?actorId=x",
		"/settings/audit-log?From=2026-01-01",
	} {
		p := b.Get(acme.At("%s", path))
		require.Equal(t, http.StatusBadRequest, p.StatusCode, path)
		require.Contains(t, p.Body,
			"is unknown. Use actor, action, key, reason, fork, from, to, period.")
	}
	for _, twice := range []string{
		"period=today&period=30-days", "zone=UTC&zone=Europe/Berlin", "entry=1&entry=2",
	} {
		p := b.Get(acme.At("/settings/audit-log?%s", twice))
		require.Equal(t, http.StatusBadRequest, p.StatusCode, twice)
		require.Contains(t, p.Body, "is repeated in the address of this page. Use it once.")
	}
}

// The log of a key that replaced another begins with that replacement.
func TestLogOfASuccessorShowsItsReplacement(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	acme := w.Organisation("acme")
	old := w.NewKey(t, acme, "BI", apikeys.ReportsRead)
	b := w.SignedIn(t, acme.Owner)
	require.Equal(t, http.StatusOK,
		b.Post(acme.At("/settings/api-keys/%s/replace", old.ID), map[string][]string{
			"overlap":        {"day"},
			"idempotencyKey": {webtest.NewIdempotencyKey()},
		}).StatusCode)
	successor := fixtures.One[string](w.DB,
		`select id from api_keys where org_id = $1 and id <> $2`,
		acme.ID, old.ID)
	for query, want := range map[string]int{
		"key=" + successor: 1,
		"key=" + old.ID:    2,
		"key=" + successor + "&action=api_key.replaced": 1,
		"key=" + successor + "&action=api_key.revoked":  0,
		"key=" + successor + "&actor=keys":              0,
		"key=" + successor + "&actor=" + acme.Owner.ID:  1,
		"key=" + successor + "&to=2020-01-01":           0,
	} {
		p := b.Get(acme.At("/settings/audit-log?%s", query))
		require.Len(t, auditedRows(t, p), want, query)
		require.Len(t, rowsOf(t, b.Get(linkOf(p, "Download CSV"))), want, query)
	}
}
