package auditlog_test

import (
	"fmt"
	"math/rand/v2"
	"net/url"
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

// randomEntries fills a log with entries of each kind over six days, in disorder.
func randomEntries(
	t *testing.T, w *webtest.World, o *webtest.Organisation, n int, people []audit.Actor,
	keys []apikeys.Key,
) {
	t.Helper()
	random := rand.New(rand.NewPCG(7, uint64(n)))
	for range n {
		key := keys[random.IntN(len(keys))]
		e := audit.Entry{
			Actor:  audit.Actor{Kind: audit.Key, ID: key.ID, Name: key.Name},
			Action: audit.Actions[random.IntN(len(audit.Actions))],
			Target: audit.Target{Kind: "fork", ID: uuid.NewString()},
			Request: audit.Request{
				Method: "GET", Path: "/api/v1/forks/" + uuid.NewString(), Address: "192.0.2.1",
				UserAgent: "request-0002", ID: uuid.NewString(),
			},
		}
		if e.Action == audit.KeyRefused {
			e.Reason = audit.Reasons[random.IntN(len(audit.Reasons))]
		} else if random.IntN(2) == 0 {
			e.Actor = people[random.IntN(len(people))]
			e.Target = audit.Target{Kind: "api_key", ID: key.ID}
		}
		w.Append(t, o, e)
	}
	w.DB.Exec(`update audit_entries
		set at = timestamptz '2026-03-01' + floor(random() * 6 * 24 * 60) * interval '1 min'
		where org_id = $1 and user_agent = 'request-0002'`, o.ID)
}

// listedOnAllPages returns the entries from the page on to the oldest.
func listedOnAllPages(b *webtest.Browser, p webtest.Page) []int64 {
	b.T.Helper()
	got := listed(b.T, p.Is(b.T, 200))
	for older := p.Link("Older →"); older != ""; older = p.Link("Older →") {
		require.LessOrEqual(b.T, len(got), 1000)
		p = b.Get(older).Is(b.T, 200)
		got = append(got, listed(b.T, p)...)
	}
	return got
}

// A value that is not offered is an error of its field. The form keeps the other fields.
func TestInvalidAuditFiltersAreExplained(t *testing.T) {
	t.Parallel()
	w, acme, b := webtest.StartAsOwner(t)
	other := w.Organisation("other")
	foreign := w.NewKey(t, other, "Theirs", apikeys.ReportsRead)
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
		"from=2026-03-02&to=2026-03-01":                 {"to", "“To” (1 Mar 2026) is before “From” (2 Mar 2026)"},
		"to=" + url.QueryEscape(`"><script>alert(1)//`): {"to", "“To” is not a date"},
	} {
		p := b.Get(acme.At("/settings/audit-log?action=export.started&%s", query))
		if strings.HasPrefix(query, "action=") {
			p = b.Get(acme.At("/settings/audit-log?%s", query))
		} else {
			p.Has(t, `<option value="export.started" selected>`)
		}
		p.Is(t, 400).Has(t, `id="`+want[0]+`-error">`+want[1], "<title>Error: Audit log").
			Lacks(t, "<script>alert")
		require.Regexp(t,
			`id="`+want[0]+`"[^>]* aria-invalid="true" aria-describedby="`+want[0]+`-error"`, p.Body)
		require.Empty(t, p.Link("Download CSV"))
		require.Less(t, len(p.Body), 15_000)
		b.Get(acme.At("/settings/audit-log.csv?%s", query)).Is(t, 400).Has(t, want[1])
	}
}

// Each filter, alone and with others, selects what package audit selects, on the pages and in the
// file.
func TestAuditLogIsFiltered(t *testing.T) {
	t.Parallel()
	w, acme := webtest.StartAcme(t)
	keys := []apikeys.Key{
		w.NewKey(t, acme, "BI", apikeys.ReportsRead), w.NewKey(t, acme, "=1+1", apikeys.ForksRead),
	}
	people := []audit.Actor{
		{Kind: audit.Person, ID: acme.Owner.ID, Name: acme.Owner.Name},
		{Kind: audit.Person, ID: acme.Admin.ID, Name: "-2+3"},
	}
	randomEntries(t, w, acme, 300, people, keys)
	b := w.SignedIn(t, acme.AdminPlain)
	march := func(n int) time.Time { return time.Date(2026, 3, n, 0, 0, 0, 0, time.UTC) }
	for query, filter := range map[string]audit.Filter{
		"":                                      {},
		"actor=&action=&key=&reason=&from=&to=": {},
		"actor=keys":                            {Kind: audit.Key},
		"actor=" + acme.Owner.ID:                {PersonID: acme.Owner.ID},
		"key=" + keys[0].ID:                     {KeyID: keys[0].ID},
		"actor=" + acme.Admin.ID + "&key=" + keys[1].ID: {
			PersonID: acme.Admin.ID, KeyID: keys[1].ID,
		},
		"action=export.started": {Action: audit.ExportStarted},
		"reason=expired":        {Reason: audit.Expired},
		"action=api_key.refused&actor=keys&from=2026-03-02": {
			Action: audit.KeyRefused, Kind: audit.Key, From: march(2),
		},
		"to=2026-03-02":                 {To: march(3)},
		"from=2026-03-03&to=2026-03-03": {From: march(3), To: march(4)},
		"from=2199-12-31":               {From: time.Date(2199, 12, 31, 0, 0, 0, 0, time.UTC)},
	} {
		selected, err := w.Log.List(t.Context(), acme.ID, audit.Page{Filter: filter, Limit: 1000})
		require.NoError(t, err)
		ids := []int64{}
		rows := [][]string{}
		for _, e := range selected {
			ids = append(ids, e.ID)
			rows = append(rows, csvRow(t, e))
		}
		p := b.Get(acme.At("/settings/audit-log?%s", query))
		require.Equal(t, ids, listedOnAllPages(b, p), query)
		require.Equal(t, len(ids) == 0, strings.Contains(p.Body, "No matching entries"), query)
		require.Equal(t, rows, rowsOf(t, b.Get(p.Link("Download CSV"))), query)
		w.DB.Exec(`delete from audit_entries where action = 'audit_log.exported'
			and path like '%/audit-log.csv'`) // of this download
	}
}

// A day of the filter is a day of the zone, also where clocks change. The rows are in the same zone.
func TestDaysOfTheFilterAreThoseOfTheZone(t *testing.T) {
	t.Parallel()
	w, acme, b := webtest.StartAsOwner(t)
	instants := []string{ // the edges of the days on which clocks change
		// Berlin: 23 hours
		"2026-03-28T22:59:59Z", "2026-03-28T23:00:00Z", "2026-03-29T21:59:59Z",
		"2026-03-29T22:00:00Z",
		// New York: 25 hours
		"2026-11-01T03:59:59Z", "2026-11-01T04:00:00Z", "2026-11-02T04:59:59Z",
		"2026-11-02T05:00:00Z",
	}
	for i, at := range instants {
		w.Append(t, acme, audit.Entry{
			Actor:  audit.Actor{Kind: audit.Key, ID: "k", Name: fmt.Sprintf("entry %d", i)},
			Action: audit.KeyRenamed,
		})
		w.DB.Exec(`update audit_entries set at = $2 where org_id = $1 and actor_name = $3`, acme.ID,
			at, fmt.Sprintf("entry %d", i))
	}
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
		require.Len(t, rowsOf(t, b.Get(p.Link("Download CSV"))), len(want),
			"the file has the same days")
		zone := "UTC"
		if _, name, given := strings.Cut(query, "zone="); given {
			zone = name
		}
		p.Has(t, `data-tz="`+zone+`"`, "Times and days are in the time zone "+zone+".")
	}
	for _, zone := range []string{
		"Local", "../etc/passwd", "Mars/Olympus", strings.Repeat("x", 500),
	} {
		b.Get(acme.At("/settings/audit-log?zone=%s", zone)).Is(t, 400)
	}
}

// The presets are relative to today in the reader's zone. They take precedence over the two
// dates, which the form sends although it hides them.
func TestPresetsOfTheAuditLog(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 4, 0, 0, 0, time.UTC) // a Sunday, a Saturday in New York
	w, acme := webtest.StartAt(t, &now)
	b := w.SignedIn(t, acme.Owner)
	for query, want := range map[string]string{
		"period=today":                               "22 Nov 2026 to 22 Nov 2026",
		"period=today&zone=America/New_York":         "21 Nov 2026 to 21 Nov 2026",
		"period=7-days":                              "16 Nov 2026 to 22 Nov 2026",
		"period=30-days":                             "24 Oct 2026 to 22 Nov 2026",
		"period=last-week":                           "9 Nov 2026 to 15 Nov 2026",
		"period=last-week&zone=America/New_York":     "9 Nov 2026 to 15 Nov 2026",
		"period=today&from=2026-01-01&to=2026-1-31":  "22 Nov 2026 to 22 Nov 2026",
		"period=dates&from=2026-01-01&to=2026-01-31": "1 Jan 2026 to 31 Jan 2026",
		"from=2026-01-02":                            "From 2 Jan 2026",
		"to=2026-01-02":                              "Until 2 Jan 2026",
	} {
		p := b.Get(acme.At("/settings/audit-log?action=api_key.revoked&%s", query))
		require.Equal(t, 2, strings.Count(p.Body, "<dt>Period</dt><dd><bdi>"+want+"</bdi>"),
			"%s: where no entry matches, and on paper", query)
		require.Equal(t, 2, strings.Count(p.Body, "<dt>Action</dt><dd><bdi>Key revoked</bdi>"))
	}
	b.Get(acme.At("/settings/audit-log?period=never")).Is(t, 400)
}

// A mistyped filter is refused by name, on the screen and for the file: ignored, it would show
// everything.
func TestUnknownParameterOfTheAuditLogIsRefused(t *testing.T) {
	t.Parallel()
	_, acme, b := webtest.StartAsOwner(t)
	for _, path := range []string{
		"/settings/audit-log?forks=x", "/settings/audit-log.csv?actorId=x",
		"/settings/audit-log?From=2026-01-01",
	} {
		b.Get(acme.At("%s", path)).Is(t, 400).Has(t,
			"is unknown. Use actor, action, key, reason, fork, from, to, period.")
	}
	for _, twice := range []string{
		"period=today&period=30-days", "zone=UTC&zone=Europe/Berlin", "entry=1&entry=2",
	} {
		b.Get(acme.At("/settings/audit-log?%s", twice)).Is(t, 400).Has(t,
			"is repeated in the address of this page. Use it once.")
	}
}

// The log of a key that replaced another begins with that replacement.
func TestLogOfASuccessorShowsItsReplacement(t *testing.T) {
	t.Parallel()
	w, acme, b := webtest.StartAsOwner(t)
	old := w.NewKey(t, acme, "BI", apikeys.ReportsRead)
	b.Post(acme.At("/settings/api-keys/%s/replace", old.ID), webtest.Replacement("day")).Is(t, 200)
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
		require.Len(t, rowsOf(t, b.Get(p.Link("Download CSV"))), want, query)
	}
}
