package auditlog_test

import (
	"encoding/csv"
	"encoding/json"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/testkit"
	"dg/web/internal/webtest"
)

// rowsOf reads a file of the log, without the entries of downloads.
func rowsOf(t *testing.T, p testkit.Page) [][]string {
	t.Helper()
	p.Is(t, 200)
	require.Equal(t, "text/csv; charset=utf-8", p.Header.Get("Content-Type"))
	require.Regexp(t, `^attachment; filename="audit-log_\d{4}-\d\d-\d\d\.csv"$`,
		p.Header.Get("Content-Disposition"))
	rows, err := csv.NewReader(strings.NewReader(p.Body)).ReadAll()
	require.NoError(t, err)
	require.Equal(t,
		strings.Split(
			"entryId,at,actorKind,actorId,actorName,action,reason,"+
				"targetKind,targetId,details,method,path,address,userAgent,requestId",
			",",
		), rows[0])
	return slices.DeleteFunc(rows[1:], func(row []string) bool {
		return row[5] == string(audit.LogExported) && strings.HasSuffix(row[11], "/audit-log.csv")
	})
}

// cell returns the text of a cell by rules.md, CSV.
func cell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r\n\x00", rune(text[0])) {
		return "'" + text
	}
	return text
}

func csvRow(t *testing.T, e audit.Entry) []string {
	t.Helper()
	details, err := json.Marshal(e.Details)
	require.NoError(t, err)
	return []string{
		e.Ref(), e.At.Format("2006-01-02T15:04:05.000Z"), string(e.Actor.Kind),
		cell(e.Actor.ID), cell(e.Actor.Name), string(e.Action), string(e.Reason), e.Target.Kind,
		cell(e.Target.ID), string(details), cell(e.Request.Method), cell(e.Request.Path),
		cell(e.Request.Address), cell(e.Request.UserAgent), cell(e.Request.ID),
	}
}

// hostile are texts that must be shown as text.
var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `=cmd|'/C calc'!A0`, `+1`, `-1`,
	`@SUM(A1)`, "\tx", "\rx", "\nx", "\x00x", "\u202egnp.exe", "a,\"b\"\r\nc", "{{.CSRF}}", "'",
	strings.Repeat("x", 10_000), strings.Repeat("€", 10_000), "\xff\xfe",
}

// Texts of callers are escaped on the page, and are no formulas in the file.
func TestAuditLogEscapesHostileText(t *testing.T) {
	t.Parallel()
	w, acme, b := webtest.StartAsOwner(t)
	for _, text := range hostile {
		name := strings.ReplaceAll(strings.ToValidUTF8(text, "?"), "\x00", "?") // what names can be
		for _, e := range []audit.Entry{
			{
				Actor:  audit.Actor{Kind: audit.Person, ID: uuid.NewString(), Name: name},
				Action: audit.KeyRevoked, Target: audit.Target{Kind: "api_key", ID: text},
			},
			{
				Actor: audit.Actor{Kind: audit.Key, ID: "k", Name: name}, Action: audit.KeyRefused,
				Reason: audit.OutsideAPI,
			},
			{
				Actor:  audit.Actor{Kind: audit.Key, ID: "k", Name: name},
				Action: audit.ExportFinished, Details: map[string]any{"outcome": name, name: name},
				Target: audit.Target{Kind: "fork", ID: text},
			},
		} {
			e.Request = audit.Request{
				Method: text, Path: text, Address: "192.0.2.1", UserAgent: text, ID: "request-0003",
			}
			w.Append(t, acme, e)
		}
	}
	all := w.LogOf(t, acme)
	for i, row := range rowsOf(t, b.Get(acme.At("/settings/audit-log.csv"))) {
		want := csvRow(t, all[i])
		for j := range want { // encoding/csv reads CRLF as LF
			want[j] = strings.ReplaceAll(want[j], "\r\n", "\n")
		}
		require.Equal(t, want, row)
		for j, text := range row {
			require.False(t,
				j > 1 && text != "" && strings.ContainsRune("=+-@\t\r\n\x00", rune(text[0])),
				"a formula: %q", text)
		}
	}
	require.GreaterOrEqual(t, len(all), 51)
	page := b.Get(acme.At("/settings/audit-log"))
	for range 2 {
		page.Is(t, 200).Has(t, "<dt>User agent</dt>").
			Lacks(t, "<script>", "<img", "onerror=alert(1)>", "\x00", "\xff")
		page = b.Get(page.Link("Older →"))
	}
}

// The file for Excel has a byte-order mark, semicolons and its form of instants. Ids are text, which
// no spreadsheet rounds.
func TestAuditLogForExcel(t *testing.T) {
	t.Parallel()
	w, acme, b := webtest.StartAsOwner(t)
	w.Append(t, acme, audit.Entry{
		Actor:  audit.Actor{Kind: audit.Key, ID: "k", Name: "a;=1"},
		Action: audit.KeyRefused, Reason: audit.Expired,
	})
	key := w.NewKey(t, acme, "BI", apikeys.ForksRead) // which the filter leaves out
	w.DB.Exec(`insert into audit_refusals (org_id, key_id, key_name, reason, at, refusals)
		values ($1, $2, 'BI', 'expired', now() - interval '1 d', 2880)`, acme.ID, key.ID)
	page := b.Get(acme.At("/settings/audit-log?action=api_key.refused"))
	plain := b.Get(page.Link("Download CSV"))
	require.Regexp(t, `\nE\d+,\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z,key,k,a;'=1,`, plain.Body)
	excel := b.Get(page.Link("CSV for Excel"))
	require.Regexp(t,
		`^\x{FEFF}entryId;at;actorKind;.*\nE\d+;\d{4}-\d\d-\d\d \d\d:\d\d:\d\d;key;k;"a;'=1";`,
		excel.Body)
	require.Equal(t, 3, strings.Count(plain.Body, "\n"), "head, entry and counted refusals")
	require.Equal(t, 3, strings.Count(excel.Body, "\n"))
	require.Contains(t, plain.Body, "2880")
	require.Equal(t, plain.Header.Get("Content-Disposition"), excel.Header.Get("Content-Disposition"))
	before := len(w.LogOf(t, acme))
	b.Get(acme.At("/settings/audit-log.csv?format=xlsx")).Is(t, 400).Has(t,
		"The format is unknown. Use excel-semicolon, or none for CSV.")
	require.Len(t, w.LogOf(t, acme), before, "an unknown format is refused before an entry")
}

// rules.md, CSV: a download whose reader loses the role is reset, so that any client notices.
func TestAuditDownloadEndsWithTheRole(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
	w.DB.Exec(`insert into audit_entries (org_id, at, actor_kind, actor_id, actor_name, action,
		target_kind, target_id, reason, method, path, address, user_agent, request_id)
		select $1, now(), 'key', 'k', 'K', 'api_key.refused', '', '', 'plan', 'GET', repeat('p',
		  300), '192.0.2.1', repeat('u', 250), 'request-' || n from generate_series(1, 60000) n`, acme.ID)
	path := acme.At("/settings/audit-log.csv")
	ended := w.Begin(t, w.SignedIn(t, acme.Owner), path)
	w.DB.Exec(`update memberships set role = 'member' where user_id = $1`, acme.Owner.ID)
	require.ErrorIs(t, <-ended, syscall.ECONNRESET, "the transfer does not end as a whole one does")
}
