package auditlog_test

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/testkit"
	"dg/platform/testkit/browsertest"
	"dg/platform/testkit/tb"
	"dg/web/internal/webtest"
)

func entryIDs(t *testing.T, p testkit.Page) (ids []int64) {
	for _, row := range testkit.Submatches(`<tr role="row" id="E(\d+)">`, p.Body) {
		ids = append(ids, tb.Must(strconv.ParseInt(row[0], 10, 64))(t))
	}
	return ids
}

func entryRows(t *testing.T, p testkit.Page) (rows []string) {
	const row = `(?s)<tr role="row" id="E\d+">\s*<th role="rowheader" scope="row">(.*?)` +
		`<details>.*?: </span>(.*?)</summary>`
	for _, row := range testkit.Submatches(row, p.Is(t, 200).Body) {
		rows = append(rows, testkit.TextOf(">"+row[0]+row[1]))
	}
	return rows
}

// Actors and actions link to the log with one more filter. Each day has a heading. A period includes both its ends.
func TestClickOnAValueFiltersTheLog(t *testing.T) {
	w, acme, b := webtest.StartAsOwner(t)
	w.Append(t, acme, audit.Entry{Actor: audit.Actor{Kind: audit.Key, ID: "gone", Name: "Gone"},
		Action: audit.KeyRefused, Reason: audit.Revoked})
	w.NewKey(t, acme, "Made", apikeys.ForksRead)
	sameDay := w.NewKey(t, acme, "Made on the same day", apikeys.ForksRead)
	w.DB.Exec(`update audit_entries set at = '2026-01-31T23:59:59Z' where action = 'api_key.refused'`)
	w.DB.Exec(`update audit_entries set at = '2026-02-01T00:00:00Z' where action = 'api_key.created'`)
	p := b.Get(acme.Path("/settings/audit-log?to=2026-02-28"))
	require.Equal(t, [][]string{{"1 Feb 2026"}, {"31 Jan 2026"}}, testkit.Submatches(`colspan="4">([^<]*)</th>`, p.Body))
	require.Equal(t, [][]string{{"Request refused"}}, testkit.Submatches(`class="state held"><a [^>]*>([^<]*)`, p.Body))
	require.NotContains(t, p.Body, "key=gone", "no filter has a key that was never listed")
	byAction := b.Get(p.Link("Key created")).Has(t, `value="2026-02-28"`).Lacks(t, "Request refused</a>")
	require.Len(t, entryIDs(t, byAction), 2)
	require.Len(t, entryIDs(t, b.Get(byAction.Link("<bdi>"+acme.Owner.Name+"</bdi>"))), 2)
	for query, entries := range map[string]int{"key=" + sameDay.ID: 1, "person=&from=2026-02-01": 2, "to=2026-01-31": 1,
		"person=" + acme.Owner.ID: 2, "from=2026-01-31&to=2026-01-31": 1} {
		require.Len(t, entryIDs(t, b.Get(acme.Path("/settings/audit-log?%s", query))), entries, query)
	}
}

// Links lead to the next older and to the newest entries, and keep the filters. New entries do not shift a page.
func TestAuditLogIsPaged(t *testing.T) {
	w, acme, b := webtest.StartAsOwner(t)
	entry := audit.Entry{Actor: audit.Actor{Kind: audit.Key, ID: "k"}, Action: audit.KeyRefused, Reason: audit.Revoked}
	add := func(n int) {
		for range n {
			w.Append(t, acme, entry)
		}
	}
	add(100)
	var want []int64
	for _, e := range w.LogOf(t, acme) {
		want = append(want, e.ID)
	}
	p := b.Get(acme.Path("/settings/audit-log?action=api_key.refused"))
	require.Empty(t, p.Link("← Newest"), "the first page")
	add(20)
	second := b.Get(p.Link("Older →")).Has(t, `<option value="api_key.refused" selected>`)
	require.Equal(t, want, append(entryIDs(t, p), entryIDs(t, second)...))
	require.Empty(t, second.Link("Older →"), "the last page")
	require.Equal(t, w.LogOf(t, acme)[0].ID, entryIDs(t, b.Get(second.Link("← Newest")))[0])
	b.Get(acme.Path("/settings/audit-log?before=%d", want[99])).Has(t, "No older entries")
}

// A row has an entry's label, target and main values, and unfolds to all values. An export has two entries.
func TestAuditEntryShowsItsValues(t *testing.T) {
	w, acme, b := webtest.StartAsOwner(t)
	key := w.NewKey(t, acme, "Warehouse", apikeys.ReportsRead)
	foreign := w.NewKey(t, w.AddOrganisation("other"), "Theirs", apikeys.ReportsRead)
	fork := w.AddFork(acme)
	group := w.DB.AddGroupNamed(acme.ID, "Western region", w.DB.AddPlayers(acme.ID, 6)...)
	byKey := audit.Actor{Kind: audit.Key, ID: key.ID, Name: key.Name}
	w.Append(t, acme, audit.Entry{Actor: byKey, Action: audit.KeyRefused, Reason: audit.OutsideAPI,
		Request: audit.Request{Method: "GET", Path: "/api/v1/forks", Address: "192.0.2.118",
			UserAgent: "python-requests/2.32.3", ID: "01JD7K3V9Q2M8T4XN6ZB"}})
	target := audit.Target{Kind: "fork", ID: fork.ID}
	w.Append(t, acme, audit.Entry{Actor: byKey, Action: audit.ExportStarted, Target: target,
		Details: map[string]any{"groupId": group, "reportingMode": "nominative", "exportId": "x-1",
			"from": "2026-03-01", "to": "2026-03-07"}})
	w.Append(t, acme, audit.Entry{Actor: byKey, Action: audit.ExportFinished, Target: target,
		Details: map[string]any{"exportId": "x-1", "rows": 12408, "outcome": "client_gone"}})
	w.DB.Exec(`insert into audit_refusals (org_id, key_id, key_name, reason, at, refusals)
		values ($1, $2, 'Warehouse', 'expired', now() + interval '1 min', 2880)`, acme.ID, key.ID)
	page := b.Get(acme.Path("/settings/audit-log?key=%s", key.ID))
	rows := entryRows(t, page)
	for i, want := range []string{
		"Key: Warehouse Request refused Reason: expired Refusals: 2,880",
		"Key: Warehouse Export ended Prompting at the dock Outcome: client gone Rows: 12,408",
		"Key: Warehouse Export started Prompting at the dock Group: Western region Reporting mode: nominative",
		"Key: Warehouse Request refused Reason: outside the API Request: GET /api/v1/forks",
		acme.Owner.Name + " Key created Warehouse",
	} {
		require.Contains(t, rows[i], want)
		require.Regexp(t, `^\d+ [A-Z][a-z]{2} \d{4}, \d\d:\d\d [^U]`, rows[i])
	}
	page.Has(t, `<option value="`+key.ID+`" selected>Warehouse</option>`,
		"<dt>Key</dt><dd><bdi>Warehouse</bdi> <span class=\"off mono\"><bdi>dg_live_"+key.ID+"_…",
		"<dt>IP address</dt><dd class=\"mono\"><bdi>192.0.2.118", "python-requests/2.32.3",
		"01JD7K3V9Q2M8T4XN6ZB", "<dt>Time</dt><dd><time ", "<dt>From</dt><dd><bdi>1 Mar 2026",
		`<dt>Group</dt><dd><bdi>Western region</bdi> <span class="off mono"><bdi>`+group)
	b.Get(acme.Path("/settings/audit-log")).Lacks(t, foreign.Name)
	for query, status := range map[string]int{
		"before=-1": 404, "before=0": 404, "before=1%27": 404, "before=99999999999999999999": 404, "person=%zz": 400,
		"entry=1": 400,
	} {
		b.Get(acme.Path("/settings/audit-log?%s", query)).Is(t, status)
	}
}

// The screen and the file refuse unknown filters and values. Ignoring them would show every entry.
func TestInvalidAuditFiltersAreRefused(t *testing.T) {
	w, acme, b := webtest.StartAsOwner(t)
	foreign := w.NewKey(t, w.AddOrganisation("other"), "Theirs", apikeys.ReportsRead)
	for query, label := range map[string]string{
		"person=nobody":       "Actor",
		"action=api_key.seen": "Action",
		"action=export.started&action=export.started":   "Action",
		"key=" + foreign.ID:                             "Key",
		"key=%ff":                                       "Key",
		"from=2026-02-30":                               "From",
		"from=" + strings.Repeat("9", 3_500):            "From",
		"from=2026-03-01&from=2026-03-02":               "From",
		"to=" + url.QueryEscape(`"><script>alert(1)//`): "To",
	} {
		for _, path := range []string{"/settings/audit-log?%s", "/settings/audit-log.csv?%s"} {
			b.Get(acme.Path(path, query)).Is(t, 400).
				Has(t, "The filter “"+label+"” has an unknown value").Lacks(t, "<script>alert")
		}
	}
	for _, path := range []string{"/settings/audit-log?From=1", "/settings/audit-log.csv?forks=x"} {
		b.Get(acme.Path("%s", path)).Is(t, 400).Has(t, "is unknown. Use action, person, ")
	}
	b.Get(acme.Path("/settings/audit-log?from=2026-03-02&to=2026-03-01")).Is(t, 200).
		Has(t, "No matching entries", "<dt>From</dt><dd><bdi>2 Mar 2026", "<dt>To</dt><dd><bdi>1 Mar 2026")
}

// Options are sorted by name, and a person has their newest name. Keys with the same name are told apart by their ids.
func TestAuditFilterOptionsAreSortedByName(t *testing.T) {
	w, acme, b := webtest.StartAsOwner(t)
	for _, name := range []string{"warehouse", "BI", "BI", "Ärger"} {
		w.NewKey(t, acme, name, apikeys.ReportsRead)
	}
	for _, actor := range []audit.Actor{
		{Kind: audit.Person, ID: "a", Name: "Before"}, {Kind: audit.Person, ID: "z", Name: "Ann"},
		{Kind: audit.Person, ID: "a", Name: "zoe"}, {Kind: audit.Person, Name: "No id"},
		{Kind: audit.Key, ID: "k", Name: "Key"},
	} {
		w.Append(t, acme, audit.Entry{Actor: actor, Action: audit.PasswordChanged})
	}
	body := b.Get(acme.Path("/settings/audit-log")).Body
	for name, want := range map[string]string{
		"person": "Any Ann " + acme.Owner.Name + " zoe",
		"key":    `Any BI …\w{6} BI …\w{6} warehouse Ärger`,
	} {
		_, from, _ := strings.Cut(body, `<select id="`+name+`"`)
		options, _, _ := strings.Cut(from, "</select>")
		require.Regexp(t, "^"+want+"$", testkit.TextOf(options))
	}
}

func isVisible(p *browsertest.Page, selector string) bool {
	return browsertest.Eval[bool](p, `document.querySelector('`+selector+`').checkVisibility()`)
}

// On a phone the first entry is visible without scrolling, and the filters are folded. An entry opens in place.
func TestAuditLogFitsAPhone(t *testing.T) {
	w, o := webtest.StartAcme(t)
	for i := range 60 {
		w.Append(t, o, audit.Entry{
			Actor: audit.Actor{Kind: audit.Key, ID: "k", Name: "Power BI, dashboard"}, Action: audit.KeyRefused,
			Reason: audit.OutsideAPI, Request: audit.Request{Method: "GET",
				Path:    fmt.Sprint("/", i, strings.Repeat("-settings", 200)),
				Address: "2001:db8:85a3:1234:5678:8a2e:370:7334"},
		})
	}
	p := browsertest.New(t)
	webtest.SignInWith(p, w, o.AdminPlain, o.Path("/settings/audit-log"))
	p.Emulate(360, browsertest.Light)
	require.Less(t, browsertest.Eval[float64](p,
		`document.querySelector('tbody tr[id]').getBoundingClientRect().bottom`), 480.0)
	require.False(t, isVisible(p, ".filters"))
	p.Click(`.fold summary:text("Filter")`)
	require.True(t, isVisible(p, ".filters"))
	p.Emulate(1280, browsertest.Light)
	p.Click(`a:text("Older →")`)
	require.Equal(t, "true", p.Attr("nav.pager a:last-child", "aria-disabled"))
	p.Open(o.Path("/settings/audit-log"))
	require.False(t, isVisible(p, "tbody dl"))
	browsertest.Eval[any](p, `(({left, top}) => document.elementFromPoint(left + 9, top + 9).click())(
		document.querySelector('tbody tr[id] th').getBoundingClientRect())`) // a click on the row opens the entry
	require.True(t, isVisible(p, "tbody dl"))
	require.Equal(t, "static",
		browsertest.Eval[string](p, `getComputedStyle(document.querySelector("tbody tr[id]")).position`),
		"WebKit supports no other position of a tr: the summary of the last row would cover the page")
	p.Fill("#from", "2026-01-01")
	p.Fill("#to", "2026-01-31")
	p.Click(`button:text("Apply")`)
	require.Contains(t, p.Text(".empty dl"), "1 Jan 2026")
}

// The page escapes text from clients, and no such text is a formula in the file.
func TestAuditLogEscapesHostileText(t *testing.T) {
	w, acme, b := webtest.StartAsOwner(t)
	for _, text := range []string{`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `=cmd|'/C calc'!A0`,
		`+1`, `-1`, `@SUM(A1)`, "\tx", "\rx", "\nx", "\x00x", "\u202egnp.exe", "a,\"b\"\r\nc", "{{.CSRF}}", "'",
		strings.Repeat("x", 10_000), strings.Repeat("€", 10_000), "\xff\xfe"} {
		name := strings.ReplaceAll(strings.ToValidUTF8(text, "?"), "\x00", "?") // names are valid UTF-8 without NUL
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
	file := b.Get(acme.Path("/settings/audit-log.csv")).Is(t, 200)
	rows := tb.Must(csv.NewReader(strings.NewReader(file.Body)).ReadAll())(t)
	require.Len(t, rows, want)
	for _, text := range slices.Concat(rows...) {
		require.NotRegexp(t, "^[=+\\-@\\t\\r\\n\\x00]", text, "a formula")
	}
	page := b.Get(acme.Path("/settings/audit-log"))
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
	key := w.NewKey(t, acme, "BI", apikeys.ForksRead) // the filter excludes the entry of this creation
	w.DB.Exec(`insert into audit_refusals (org_id, key_id, key_name, reason, at, refusals)
		values ($1, $2, 'BI', 'expired', now() - interval '1 d', 2880)`, acme.ID, key.ID)
	page := b.Get(acme.Path("/settings/audit-log?action=api_key.refused"))
	plain := b.Get(page.Link("CSV<"))
	require.Equal(t, "text/csv; charset=utf-8", plain.Header.Get("Content-Type"))
	require.Regexp(t, `^attachment; filename="audit-log_\d{4}-\d\d-\d\d\.csv"$`,
		plain.Header.Get("Content-Disposition"))
	require.Regexp(t, `^entryId,at,actorKind,actorId,actorName,action,reason,targetKind,targetId,`+
		`details,method,path,address,userAgent,requestId\n(.*\n)?`+
		`E\d+,\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z,key,k,a;'=1,api_key.refused,expired,fork,f,"{""rows"":1}",GET,/x,::1,curl,r-1\n`, plain.Body)
	excel := b.Get(page.Link("CSV for Excel"))
	require.Regexp(t, `^\x{FEFF}entryId;at;actorKind;.*\n(?:.*\n)?E\d+;\d{4}-\d\d-\d\d \d\d:\d\d:\d\d;key;k;"a;'=1";`,
		excel.Body)
	require.Equal(t, 3, strings.Count(plain.Body, "\n"), "header, entry and counted refusals")
	require.Equal(t, 3, strings.Count(excel.Body, "\n"))
	require.Contains(t, plain.Body, "2880")
	require.Equal(t, plain.Header.Get("Content-Disposition"), excel.Header.Get("Content-Disposition"))
	before := len(w.LogOf(t, acme))
	b.Get(acme.Path("/settings/audit-log.csv?format=xlsx")).Is(t, 400).Has(t,
		"The format is unknown. Use excel-semicolon, or none for CSV.")
	b.Send(http.MethodGet, acme.Path("/settings/audit-log.csv"), "", http.Header{"Range": {"bytes=9-"},
		"Referer": {b.BaseURL + "/"}}).Is(t, 400)
	require.Len(t, w.LogOf(t, acme), before, "what is refused has no entry")
}
