package web_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/platform/authz"
)

// newKey makes a key of the organisation, by its owner.
func (w *world) newKey(t *testing.T, o *organisation, name string, scopes ...apikeys.Scope) apikeys.Key {
	t.Helper()
	key, _, err := w.keys.Create(t.Context(), apikeys.Actor{
		Person:  apikeys.Person{ID: o.owner.id, Name: o.owner.name},
		Subject: authz.Subject{Kind: authz.Member, OrganisationID: o.id, Grants: authz.MemberGrants("owner", false)},
	}, apikeys.NewKey{Name: name, Scopes: scopes}, audit.Request{Method: "POST", Path: "/", ID: "request-0001"})
	require.NoError(t, err)
	return key
}

// logOf is the whole log of an organisation, newest first.
func (w *world) logOf(t *testing.T, o *organisation) []audit.Entry {
	t.Helper()
	entries, err := w.log.List(t.Context(), o.id, audit.Page{Limit: 100_000})
	require.NoError(t, err)
	return entries
}

var entryLink = regexp.MustCompile(`href="([^"]*[?&;]entry=(\d+)[^"]*)#entry"`)

// listed are the numbers of the entries on a page of the log, none of which is open.
func (p page) listed(t *testing.T) []int64 {
	t.Helper()
	ids := []int64{}
	for _, link := range entryLink.FindAllStringSubmatch(p.body, -1) {
		id, err := strconv.ParseInt(link[2], 10, 64)
		require.NoError(t, err)
		ids = append(ids, id)
	}
	return ids
}

// link is the address behind the words of a page, or "".
func (p page) link(words string) string {
	found := regexp.MustCompile(`<a [^>]*href="([^"]*)"[^>]*>` + regexp.QuoteMeta(words)).FindStringSubmatch(p.body)
	if found == nil {
		return ""
	}
	return html.UnescapeString(found[1])
}

// rows reads a CSV of the log, without the entries of the test's own downloads.
func (p page) rows(t *testing.T) [][]string {
	t.Helper()
	require.Equal(t, http.StatusOK, p.StatusCode, p.body)
	rows, err := csv.NewReader(strings.NewReader(p.body)).ReadAll()
	require.NoError(t, err)
	require.Equal(t, strings.Split("entryId,at,actorKind,actorId,actorName,action,reason,targetKind,targetId,details,method,path,address,userAgent,requestId", ","), rows[0])
	return slices.DeleteFunc(rows[1:], func(row []string) bool {
		return row[5] == string(audit.LogExported) && strings.HasSuffix(row[11], "/audit-log.csv")
	})
}

// cell is a text as rules.md, CSV, requires.
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
		strconv.FormatInt(e.ID, 10), e.At.Format("2006-01-02T15:04:05.000Z"), string(e.Actor.Kind), cell(e.Actor.ID), cell(e.Actor.Name), string(e.Action),
		string(e.Reason), e.Target.Kind, cell(e.Target.ID), string(details), cell(e.Request.Method), cell(e.Request.Path), cell(e.Request.Address),
		cell(e.Request.UserAgent), cell(e.Request.ID),
	}
}

// Owners and admins read the log, its file and the organisation; owners change the reporting mode. Another organisation is unknown.
func TestMembersSeeNeitherLogNorOrganisation(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme, other := newOrganisation("acme"), newOrganisation("other")
	w.load(t, acme, other)
	const read, mode = "read", "reporting mode"
	ok, redirect, forbidden, notFound := http.StatusOK, http.StatusSeeOther, http.StatusForbidden, http.StatusNotFound
	changes := 0
	for name, c := range map[string]struct {
		b    *browser
		want map[string]int
	}{
		"owner":                  {w.signedIn(t, acme.owner), map[string]int{read: ok, mode: ok, "change": redirect}},
		"admin with two-step":    {w.signedIn(t, acme.admin), map[string]int{read: ok, mode: forbidden, "change": forbidden}},
		"admin without two-step": {w.signedIn(t, acme.adminPlain), map[string]int{read: ok, mode: forbidden, "change": forbidden}},
		"member":                 {w.signedIn(t, acme.member), map[string]int{read: forbidden, mode: forbidden, "change": forbidden}},
		"other organisation":     {w.signedIn(t, other.owner), map[string]int{read: notFound, mode: notFound, "change": notFound}},
		"signed out":             {w.browser(t), map[string]int{read: redirect, mode: redirect, "change": redirect}},
	} {
		statuses := []string{}
		for screen, permission := range map[string]string{
			"/settings/audit-log": read, "/settings/audit-log.csv": read, "/settings/organisation": read, "/settings/organisation/reporting-mode": mode,
		} {
			p := c.b.get(acme.at("%s", screen))
			statuses = append(statuses, fmt.Sprintf("%s %d", screen, p.StatusCode))
			require.Equal(t, c.want[permission], p.StatusCode, "%s: %s", name, screen)
			if name == "signed out" {
				require.True(t, strings.HasPrefix(p.Header.Get("Location"), "/sign-in?next="), "%s: %s", name, screen)
			}
			if p.StatusCode != ok {
				require.NotContains(t, p.body, acme.owner.email, "%s: %s", name, screen)
			}
		}
		p := c.b.post(acme.at("/settings/organisation/reporting-mode"), url.Values{"mode": {"nominative"}})
		statuses = append(statuses, fmt.Sprintf("change %d", p.StatusCode))
		require.Equal(t, c.want["change"], p.StatusCode, name)
		entries := 0
		if name == "owner" {
			entries = 1
			require.Equal(t, redirect, c.b.post(acme.at("/settings/organisation/reporting-mode"), url.Values{"mode": {"pseudonymous"}}).StatusCode)
		}
		log := slices.DeleteFunc(w.logOf(t, acme), func(e audit.Entry) bool { return e.Action == audit.LogExported })
		require.Len(t, log, changes+2*entries, "%s: what was refused changed nothing", name)
		changes += 2 * entries
		if screen := c.b.get(acme.at("/settings/organisation")); c.want[read] == ok {
			require.Equal(t, c.want[mode] == ok, strings.Contains(screen.body, "Change reporting mode"), "%s: what is offered", name)
			require.Equal(t, c.want[mode] != ok, strings.Contains(screen.body, "Only an owner can change this."), name)
		}
		slices.Sort(statuses)
		t.Logf("%-24s %s", name, strings.Join(statuses, "  "))
	}
}

// randomEntries fills a log with entries of each kind over six days, in disorder.
func (w *world) randomEntries(t *testing.T, o *organisation, n int, people []audit.Actor, keys []apikeys.Key) {
	t.Helper()
	random := rand.New(rand.NewPCG(7, uint64(n)))
	for range n {
		key := keys[random.IntN(len(keys))]
		e := audit.Entry{
			OrganisationID: o.id, Actor: audit.Actor{Kind: audit.Key, ID: key.ID, Name: key.Name}, Action: audit.Actions[random.IntN(len(audit.Actions))],
			Target:  audit.Target{Kind: "fork", ID: uuid.NewString()},
			Request: audit.Request{Method: "GET", Path: "/api/v1/forks", Address: "192.0.2.1", UserAgent: "test", ID: "request-0002"},
		}
		if e.Action == audit.KeyRefused {
			e.Reason = audit.Reasons[random.IntN(len(audit.Reasons))]
		} else if random.IntN(2) == 0 {
			e.Actor, e.Target = people[random.IntN(len(people))], audit.Target{Kind: "api_key", ID: key.ID}
		}
		require.NoError(t, w.log.Append(t.Context(), e))
	}
	w.exec(t, `update audit_entries set at = timestamptz '2026-03-01' + floor(random() * 6 * 24 * 60) * interval '1 min' where org_id = $1 and request_id = 'request-0002'`, o.id)
}

// matches is the plain reading of the filters.
func matches(t *testing.T, filters map[string]string, e audit.Entry) bool {
	t.Helper()
	day := func(text string) time.Time {
		at, err := time.Parse(time.DateOnly, text)
		require.NoError(t, err)
		return at
	}
	for name, value := range filters {
		ok := value == ""
		switch name {
		case "actor":
			ok = ok || e.Actor.ID == value || value == "keys" && e.Actor.Kind == audit.Key
		case "action":
			ok = ok || string(e.Action) == value
		case "reason":
			ok = ok || string(e.Reason) == value
		case "key":
			ok = ok || e.Actor.ID == value || e.Target.ID == value
		case "from":
			ok = ok || !e.At.Before(day(value))
		case "to":
			ok = ok || e.At.Before(day(value).AddDate(0, 0, 1))
		}
		if !ok {
			return false
		}
	}
	return true
}

// listedOnAllPages are the entries from the page on to the oldest; it stops after limit.
func (b *browser) listedOnAllPages(p page, limit int) []int64 {
	b.t.Helper()
	got := []int64{}
	for {
		require.Equal(b.t, http.StatusOK, p.StatusCode)
		got = append(got, p.listed(b.t)...)
		older := p.link("Older →")
		if older == "" || len(got) > limit {
			return got
		}
		p = b.get(older)
	}
}

// Filters in the address, each and together; the pages hold what a plain reading of the whole log
// leaves, and the file holds the same row by row.
func TestAuditLogIsFiltered(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme, other := newOrganisation("acme"), newOrganisation("other")
	w.load(t, acme, other)
	keys := []apikeys.Key{w.newKey(t, acme, "BI", apikeys.ReportsRead), w.newKey(t, acme, "=1+1", apikeys.ForksRead)}
	people := []audit.Actor{{Kind: audit.Person, ID: acme.owner.id, Name: acme.owner.name}, {Kind: audit.Person, ID: acme.admin.id, Name: "-2+3"}}
	w.randomEntries(t, acme, 500, people, keys)
	w.randomEntries(t, other, 50, people, keys)
	all := w.logOf(t, acme)
	b := w.signedIn(t, acme.adminPlain)

	filters := []map[string]string{
		{}, {"actor": "", "action": "", "key": "", "reason": "", "from": "", "to": ""},
		{"actor": "keys"}, {"actor": acme.owner.id}, {"from": "2026-03-02"}, {"to": "2026-03-02"}, {"from": "2026-03-03", "to": "2026-03-03"},
		{"key": keys[0].ID}, {"actor": acme.admin.id, "key": keys[1].ID}, {"actor": acme.owner.id, "reason": "plan"},
		{"actor": "keys", "action": "api_key.refused", "key": keys[1].ID, "reason": "expired", "from": "2026-03-01", "to": "2026-03-05"},
		{"from": "2199-12-31"}, {"to": "2199-12-31"},
	}
	for _, a := range audit.Actions {
		filters = append(filters, map[string]string{"action": string(a)})
	}
	for _, r := range audit.Reasons {
		filters = append(filters, map[string]string{"reason": string(r), "action": "api_key.refused"})
	}
	for _, filter := range filters {
		want, rows := []int64{}, [][]string{}
		for _, e := range all {
			if matches(t, filter, e) {
				want, rows = append(want, e.ID), append(rows, csvRow(t, e))
			}
		}
		query := url.Values{}
		for name, value := range filter {
			query.Set(name, value)
		}
		p := b.get(acme.at("/settings/audit-log?%s", query.Encode()))
		file := p.link("Download CSV")
		require.Equal(t, want, b.listedOnAllPages(p, len(all)), "%v", filter)
		if len(want) == 0 {
			require.Contains(t, p.body, "No matching entries")
		}
		download := b.get(file).rows(t)
		if len(rows) == 0 {
			require.Empty(t, download, "%v", filter)
		} else {
			require.Equal(t, rows, download, "%v", filter)
		}
		w.exec(t, `delete from audit_entries where action = 'audit_log.exported' and path like '%/audit-log.csv'`) // of this download
	}
}

// Cursor paging: down and up again, neither gap nor repeat while entries are appended.
func TestAuditLogPagesWhileItGrows(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := newOrganisation("acme")
	w.load(t, acme)
	entry := audit.Entry{OrganisationID: acme.id, Actor: audit.Actor{Kind: audit.Key, ID: "k", Name: "K"}, Action: audit.KeyRefused, Reason: audit.Revoked}
	for range 130 {
		require.NoError(t, w.log.Append(t.Context(), entry))
	}
	before := w.logOf(t, acme)
	b := w.signedIn(t, acme.owner)
	stop := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				_ = w.log.Append(t.Context(), entry)
			}
		}
	})
	p := b.get(acme.at("/settings/audit-log?reason=revoked"))
	require.Len(t, p.listed(t), 50)
	require.Empty(t, p.link("← Newer"), "the first page")
	got := p.listed(t)
	var last page
	for len(got) < 2000 && p.link("Older →") != "" {
		last = p
		p = b.get(p.link("Older →"))
		require.Contains(t, p.body, `<option value="revoked" selected>`, "filters are kept")
		got = append(got, p.listed(t)...)
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

	up := b.get(p.link("← Newer"))
	require.Equal(t, last.listed(t), up.listed(t), "up again")
	for range 100 {
		if up.link("← Newer") == "" {
			break
		}
		up = b.get(up.link("← Newer"))
		require.Len(t, up.listed(t), 50)
	}
	require.Equal(t, w.logOf(t, acme)[0].ID, up.listed(t)[0], "to the newest")
	require.Contains(t, b.get(acme.at("/settings/audit-log?before=%d", got[len(got)-1])).body, "No older entries")
}

// A detail view with request id, address and endpoint; it has an address of its own, which holds
// when the log has grown by pages.
func TestAuditEntryOpensInPlace(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme, other := newOrganisation("acme"), newOrganisation("other")
	w.load(t, acme, other)
	key := w.newKey(t, acme, "Warehouse", apikeys.ReportsRead)
	foreign := w.newKey(t, other, "Theirs", apikeys.ReportsRead)
	require.NoError(t, w.log.Append(t.Context(), audit.Entry{
		OrganisationID: acme.id, Actor: audit.Actor{Kind: audit.Key, ID: key.ID, Name: key.Name}, Action: audit.KeyRefused, Reason: audit.InsufficientScope,
		Request: audit.Request{Method: "GET", Path: "/api/v1/forks", Address: "192.0.2.118", UserAgent: "python-requests/2.32.3", ID: "01JD7K3V9Q2M8T4XN6ZB"},
	}))
	b := w.signedIn(t, acme.owner)
	p := b.get(acme.at("/settings/audit-log?actor=keys&key=%s", key.ID))
	link := html.UnescapeString(entryLink.FindStringSubmatch(p.body)[1])
	check := func(p page) {
		t.Helper()
		require.Equal(t, http.StatusOK, p.StatusCode)
		for _, text := range []string{
			`id="entry"`, "Key: <bdi>Warehouse</bdi>", "Request rejected", "Missing scope", `aria-expanded="true"`,
			"The key has the scope reports:read. The endpoint requires forks:read.</bdi>", "insufficient_scope", "GET /api/v1/forks", "403 ERR_ACCESS_DENIED",
			"dg_live_" + key.ID + "_…", "192.0.2.118", "python-requests/2.32.3", "01JD7K3V9Q2M8T4XN6ZB",
			`<option value="keys" selected>Any key</option>`, `<option value="` + key.ID + `" selected>Warehouse</option>`,
		} {
			require.Contains(t, p.body, text)
		}
	}
	check(b.get(link))
	require.Equal(t, acme.at("/settings/audit-log?actor=keys&key=%s", key.ID), b.get(link).link("Close"))
	for range 120 {
		require.NoError(t, w.log.Append(t.Context(), audit.Entry{OrganisationID: acme.id, Actor: audit.Actor{Kind: audit.Key, ID: key.ID}, Action: audit.ExportStarted}))
	}
	grown := b.get(link)
	check(grown)
	require.NotEmpty(t, grown.link("← Newer"))

	opened := w.logOf(t, acme)[120].ID
	for name, path := range map[string]string{
		"another organisation's": acme.at("/settings/audit-log?entry=%d", w.logOf(t, other)[0].ID),
		"left out by a filter":   acme.at("/settings/audit-log?entry=%d&action=api_key.revoked", opened),
		"unknown":                acme.at("/settings/audit-log?entry=999999999"),
		"no number":              acme.at("/settings/audit-log?entry=1%%27"),
		"negative":               acme.at("/settings/audit-log?before=-1"),
		"too large":              acme.at("/settings/audit-log?after=99999999999999999999"),
	} {
		require.Equal(t, http.StatusNotFound, b.get(path).StatusCode, name)
	}
	require.Equal(t, http.StatusBadRequest, b.get(acme.at("/settings/audit-log?after=1&before=2")).StatusCode)
	require.Equal(t, http.StatusBadRequest, b.get(acme.at("/settings/audit-log?actor=%%zz")).StatusCode)
	require.NotContains(t, b.get(acme.at("/settings/audit-log")).body, foreign.Name)
}

// A value that is not offered is a sentence beside its field, and nothing that was filled in is lost.
func TestInvalidAuditFiltersAreExplained(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme, other := newOrganisation("acme"), newOrganisation("other")
	w.load(t, acme, other)
	foreign := w.newKey(t, other, "Theirs", apikeys.ReportsRead)
	b := w.signedIn(t, acme.owner)
	for query, want := range map[string][]string{
		"actor=nobody":                                  {"actor", "The Actor filter has an unknown value"},
		"action=api_key.seen":                           {"action", "The Action filter has an unknown value"},
		"key=" + foreign.ID:                             {"key", "The Key filter has an unknown value"},
		"key=%00":                                       {"key", "The Key filter has an unknown value"},
		"reason=%ff":                                    {"reason", "The Reason filter has an unknown value"},
		"reason=plan&reason=plan":                       {"reason", "The Reason filter has an unknown value"},
		"from=2026-02-30":                               {"from", "“From” is not a date"},
		"from=" + strings.Repeat("9", 3_500):            {"from", "“From” is not a date"},
		"to=1999-12-31":                                 {"to", "“To” is not a date"},
		"from=2026-03-01&from=2026-03-02":               {"from", "“From” is not a date"},
		"from=2026-03-02&to=2026-03-01":                 {"to", "“To” (1 March 2026) is before “From” (2 March 2026)"},
		"to=" + url.QueryEscape(`"><script>alert(1)//`): {"to", "“To” is not a date"},
	} {
		p := b.get(acme.at("/settings/audit-log?action=export.started&%s", query))
		if strings.HasPrefix(query, "action=") {
			p = b.get(acme.at("/settings/audit-log?%s", query))
		} else {
			require.Contains(t, p.body, `<option value="export.started" selected>`, query)
		}
		require.Equal(t, http.StatusBadRequest, p.StatusCode, "%.60s", query)
		require.Regexp(t, `id="`+want[0]+`"[^>]* aria-invalid="true" aria-describedby="`+want[0]+`-error"`, p.body, "%.60s", query)
		require.Contains(t, p.body, `id="`+want[0]+`-error">`+want[1], "%.60s", query)
		require.Contains(t, p.body, "<title>Error: Audit log")
		require.NotContains(t, p.body, "<script>alert")
		require.Empty(t, p.link("Download CSV"))
		require.Less(t, len(p.body), 15_000)
		file := b.get(acme.at("/settings/audit-log.csv?%s", query))
		require.Equal(t, http.StatusBadRequest, file.StatusCode, "%.60s", query)
		require.Contains(t, file.body, want[1], "%.60s", query)
	}
}

// hostile are texts that must be shown as text.
var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `=cmd|'/C calc'!A0`, `+1`, `-1`, `@SUM(A1)`, "\tx", "\rx", "\nx", "\x00x",
	"\u202egnp.exe", "a,\"b\"\r\nc", "{{.CSRF}}", "'", strings.Repeat("x", 10_000), strings.Repeat("€", 10_000), "\xff\xfe",
}

// Hostile texts are harmless in page and CSV.
func TestAuditLogEscapesHostileText(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := newOrganisation("acme")
	w.load(t, acme)
	for _, text := range hostile {
		name := strings.ReplaceAll(strings.ToValidUTF8(text, "?"), "\x00", "?") // what names can be
		for _, e := range []audit.Entry{
			{Actor: audit.Actor{Kind: audit.Person, ID: uuid.NewString(), Name: name}, Action: audit.KeyRevoked, Target: audit.Target{Kind: "api_key", ID: text}},
			{Actor: audit.Actor{Kind: audit.Key, ID: "k", Name: name}, Action: audit.KeyRefused, Reason: audit.OutsideAPI},
			{Actor: audit.Actor{Kind: audit.Key, ID: "k", Name: name}, Action: audit.ExportFinished, Details: map[string]any{"outcome": name, name: name}, Target: audit.Target{Kind: "fork", ID: text}},
		} {
			e.OrganisationID, e.Request = acme.id, audit.Request{Method: text, Path: text, Address: "192.0.2.1", UserAgent: text, ID: "request-0003"}
			require.NoError(t, w.log.Append(t.Context(), e))
		}
	}
	b := w.signedIn(t, acme.owner)
	all := w.logOf(t, acme)
	for i, row := range b.get(acme.at("/settings/audit-log.csv")).rows(t) {
		want := csvRow(t, all[i])
		for j := range want { // encoding/csv reads CRLF as LF
			want[j] = strings.ReplaceAll(want[j], "\r\n", "\n")
		}
		require.Equal(t, want, row)
		for j, text := range row {
			require.False(t, j > 1 && text != "" && strings.ContainsRune("=+-@\t\r\n\x00", rune(text[0])), "a formula: %q", text)
		}
	}
	require.GreaterOrEqual(t, len(all), 51)
	for _, e := range all {
		p := b.get(acme.at("/settings/audit-log?entry=%d", e.ID))
		require.Equal(t, http.StatusOK, p.StatusCode)
		require.Contains(t, p.body, `id="entry"`)
		for _, bad := range []string{"<script>", "<img", "onerror=alert(1)>", "\x00", "\xff"} {
			require.NotContains(t, p.body, bad)
		}
		require.Contains(t, p.body, "<dt>User agent</dt>")
	}
}

// rules.md, CSV: what fails later breaks the transfer, so that any client notices. And no more than two logs of an
// organisation are sent at once.
func TestAbortedAuditDownloadLooksIncomplete(t *testing.T) {
	t.Parallel()
	w := start(t)
	acme := newOrganisation("acme")
	w.load(t, acme)
	const entries = 60_000
	_, err := w.db.Owner.Pool.Exec(t.Context(), `insert into audit_entries (org_id, at, actor_kind, actor_id, actor_name, action, target_kind, target_id, reason, method, path, address, user_agent, request_id)
		select $1, now(), 'key', 'k', 'K', 'api_key.refused', '', '', 'plan', 'GET', repeat('p', 300), '192.0.2.1', repeat('u', 250), 'request-' || n from generate_series(1, $2::int) n`, acme.id, entries)
	require.NoError(t, err)
	b, admin := w.signedIn(t, acme.owner), w.signedIn(t, acme.admin)
	open := func(b *browser) *http.Response {
		b.client.Transport.(*http.Transport).DisableCompression = true
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.url+acme.at("/settings/audit-log.csv"), nil)
		require.NoError(t, err)
		request.AddCookie(&http.Cookie{Name: "__Host-dg", Value: b.cookies["__Host-dg"]})
		request.Header.Set("Sec-Fetch-Site", "same-origin")
		response, err := b.client.Do(request)
		require.NoError(t, err)
		t.Cleanup(func() { response.Body.Close() })
		return response
	}
	first := open(b)
	require.Equal(t, http.StatusOK, first.StatusCode)
	require.Equal(t, "text/csv; charset=utf-8", first.Header.Get("Content-Type"))
	require.Regexp(t, `^attachment; filename="audit-log_\d{4}-\d\d-\d\d\.csv"$`, first.Header.Get("Content-Disposition"))
	require.Contains(t, first.Header.Get("Cache-Control"), "no-store")
	broken := make(chan struct{})
	ended, second := readTo(broken, first), readTo(broken, open(admin))
	requireBusy := func(b *browser) {
		busy := b.get(acme.at("/settings/audit-log.csv"))
		require.Equal(t, http.StatusServiceUnavailable, busy.StatusCode)
		require.Equal(t, "5", busy.Header.Get("Retry-After"))
	}
	requireBusy(w.signedIn(t, acme.adminPlain))
	head := b.send(http.MethodHead, acme.at("/settings/audit-log.csv"), "", fromHere)
	require.Equal(t, http.StatusOK, head.StatusCode, "HEAD takes no place")
	require.Equal(t, first.Header.Get("Content-Disposition"), head.Header.Get("Content-Disposition"))

	_, err = w.db.Owner.Pool.Exec(t.Context(), `alter table audit_entries rename to gone`)
	require.NoError(t, err)
	close(broken)
	for _, end := range []<-chan ending{ended, second} {
		got := <-end
		require.ErrorIs(t, got.err, io.ErrUnexpectedEOF, "a short file does not look whole")
		require.Less(t, strings.Count(got.text, "\n"), entries)
		require.NotEmpty(t, got.text)
	}
	require.GreaterOrEqual(t, b.get(acme.at("/settings/audit-log.csv")).StatusCode, 500, "before the first byte it is an error")
	_, err = w.db.Owner.Pool.Exec(t.Context(), `alter table gone rename to audit_entries`)
	require.NoError(t, err)
	whole := b.get(acme.at("/settings/audit-log.csv"))
	require.Len(t, whole.rows(t), entries, "the places are free again")
}

// ending is what came of an answer and how it ended.
type ending struct {
	text string
	err  error
}

// readTo reads an answer slowly until it is told to read the rest.
func readTo(rest <-chan struct{}, r *http.Response) <-chan ending {
	ended := make(chan ending, 1)
	go func() {
		var text strings.Builder
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-rest:
				_, err := io.Copy(&text, r.Body)
				if err == nil {
					err = io.EOF
				}
				ended <- ending{text.String(), err}
				return
			case <-tick.C:
				if _, err := io.CopyN(&text, r.Body, 10_000); err != nil {
					ended <- ending{text.String(), err}
					return
				}
			}
		}
	}()
	return ended
}
