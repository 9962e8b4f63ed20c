package auditlog_test

import (
	"encoding/csv"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/web/internal/webtest"
)

var hostile = []string{`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `=cmd|'/C calc'!A0`, `+1`, `-1`,
	`@SUM(A1)`, "\tx", "\rx", "\nx", "\x00x", "\u202egnp.exe", "a,\"b\"\r\nc", "{{.CSRF}}", "'",
	strings.Repeat("x", 10_000), strings.Repeat("€", 10_000), "\xff\xfe"}

// The page escapes text from clients, and no such text is a formula in the file.
func TestAuditLogEscapesHostileText(t *testing.T) {
	w, acme, b := webtest.StartAsOwner(t)
	for _, text := range hostile {
		name := strings.ReplaceAll(strings.ToValidUTF8(text, "?"), "\x00", "?") // what names can be
		person := audit.Actor{Kind: audit.Person, ID: uuid.NewString(), Name: name}
		key := audit.Actor{Kind: audit.Key, ID: "k", Name: name}
		for _, e := range []audit.Entry{
			{Actor: person, Action: audit.KeyRevoked, Target: audit.Target{Kind: "api_key", ID: text}},
			{Actor: key, Action: audit.KeyRefused, Reason: audit.OutsideAPI},
			{Actor: key, Action: audit.ExportFinished, Details: map[string]any{"outcome": name, name: name},
				Target: audit.Target{Kind: "fork", ID: text}},
		} {
			e.Request = audit.Request{Method: text, Path: text, Address: "192.0.2.1", UserAgent: text,
				ID: "request-0003"}
			w.Append(t, acme, e)
		}
	}
	want := len(w.LogOf(t, acme)) + 2 // the header row and the entry of the download
	file := b.Get(acme.At("/settings/audit-log.csv")).Is(t, 200)
	rows, err := csv.NewReader(strings.NewReader(file.Body)).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, want)
	for _, text := range slices.Concat(rows...) {
		require.NotRegexp(t, "^[=+\\-@\\t\\r\\n\\x00]", text, "a formula")
	}
	page := b.Get(acme.At("/settings/audit-log"))
	for range 2 {
		page.Is(t, 200).Has(t, "<dt>User agent</dt>").Lacks(t, "<script>", "<img", "onerror=alert(1)>", "\x00", "\xff")
		page = b.Get(page.Link("Older →"))
	}
}

// The file has all columns of the matching entries, in Excel's form if chosen. Ids are text, never rounded.
func TestAuditLogIsDownloaded(t *testing.T) {
	w, acme, b := webtest.StartAsOwner(t)
	w.Append(t, acme, audit.Entry{
		Actor:  audit.Actor{Kind: audit.Key, ID: "k", Name: "a;=1"},
		Action: audit.KeyRefused, Reason: audit.Expired,
		Target: audit.Target{Kind: "fork", ID: "f"}, Details: map[string]any{"rows": 1},
		Request: audit.Request{Method: "GET", Path: "/x", Address: "::1", UserAgent: "curl", ID: "r-1"},
	})
	key := w.NewKey(t, acme, "BI", apikeys.ForksRead) // the filter excludes this entry
	w.DB.Exec(`insert into audit_refusals (org_id, key_id, key_name, reason, at, refusals)
		values ($1, $2, 'BI', 'expired', now() - interval '1 d', 2880)`, acme.ID, key.ID)
	page := b.Get(acme.At("/settings/audit-log?action=api_key.refused"))
	plain := b.Get(page.Link("<span>Download"))
	require.Equal(t, "text/csv; charset=utf-8", plain.Header.Get("Content-Type"))
	require.Regexp(t, `^attachment; filename="audit-log_\d{4}-\d\d-\d\d\.csv"$`,
		plain.Header.Get("Content-Disposition"))
	require.Regexp(t, `^entryId,at,actorKind,actorId,actorName,action,reason,targetKind,targetId,`+
		`details,method,path,address,userAgent,requestId\n(.*\n)?`+
		`E\d+,\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z,key,k,a;'=1,api_key.refused,expired,fork,f,"{""rows"":1}",GET,/x,::1,curl,r-1\n`, plain.Body)
	excel := b.Get(page.Link("Excel"))
	require.Regexp(t,
		`^\x{FEFF}entryId;at;actorKind;.*\n(?:.*\n)?E\d+;\d{4}-\d\d-\d\d \d\d:\d\d:\d\d;key;k;"a;'=1";`,
		excel.Body)
	require.Equal(t, 3, strings.Count(plain.Body, "\n"), "head, entry and counted refusals")
	require.Equal(t, 3, strings.Count(excel.Body, "\n"))
	require.Contains(t, plain.Body, "2880")
	require.Equal(t, plain.Header.Get("Content-Disposition"), excel.Header.Get("Content-Disposition"))
	before := len(w.LogOf(t, acme))
	b.Get(acme.At("/settings/audit-log.csv?format=xlsx")).Is(t, 400).Has(t,
		"The format is unknown. Use excel-semicolon, or none for CSV.")
	b.Send(http.MethodGet, acme.At("/settings/audit-log.csv"), "", http.Header{"Range": {"bytes=9-"},
		"Referer": {b.Base + "/"}}).Is(t, 400)
	require.Len(t, w.LogOf(t, acme), before, "what is refused has no entry")
}

// rules.md, CSV: a download whose reader loses the role is reset, so that any client notices.
func TestAuditDownloadIsResetWhenTheRoleIsLost(t *testing.T) {
	w, acme := webtest.StartAcme(t)
	w.DB.Exec(`insert into audit_entries (org_id, at, actor_kind, actor_id, actor_name, action,
		target_kind, target_id, reason, method, path, address, user_agent, request_id)
		select $1, now(), 'key', 'k', 'K', 'api_key.refused', '', '', 'plan', 'GET', repeat('p',
		  300), '192.0.2.1', repeat('u', 250), 'request-' || n from generate_series(1, 60000) n`, acme.ID)
	path := acme.At("/settings/audit-log.csv")
	ended := w.BeginDownload(t, w.SignedIn(t, acme.Owner), path)
	w.DB.Exec(`update memberships set role = 'member' where user_id = $1`, acme.Owner.ID)
	require.ErrorIs(t, <-ended, syscall.ECONNRESET, "the transfer does not end as a whole one does")
}
