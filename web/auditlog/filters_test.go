package auditlog_test

import (
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/modules/audit"
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
			Action: audit.Kinds[random.IntN(len(audit.Kinds))].Action,
			Target: audit.Target{Kind: "fork", ID: uuid.NewString()},
			Request: audit.Request{
				Method: "GET", Path: "/api/v1/forks/" + uuid.NewString(), Address: "192.0.2.1",
				UserAgent: "request-0002", ID: uuid.NewString(),
			},
		}
		if e.Action != audit.KeyRefused && random.IntN(2) == 0 {
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

// An unknown filter, and a value that is not offered, are refused by name, on the screen and for the
// file: ignored, they would show everything.
func TestInvalidAuditFiltersAreRefused(t *testing.T) {
	t.Parallel()
	w, acme, b := webtest.StartAsOwner(t)
	foreign := w.NewKey(t, w.Organisation("other"), "Theirs", apikeys.ReportsRead)
	for query, label := range map[string]string{
		"person=nobody":       "Person",
		"action=api_key.seen": "Action",
		"action=export.started&action=export.started":   "Action",
		"key=" + foreign.ID:                             "Key",
		"key=%00":                                       "Key",
		"key=%ff":                                       "Key",
		"from=2026-02-30":                               "From",
		"from=" + strings.Repeat("9", 3_500):            "From",
		"to=1999-12-31":                                 "To",
		"from=2026-03-01&from=2026-03-02":               "From",
		"to=" + url.QueryEscape(`"><script>alert(1)//`): "To",
	} {
		for _, path := range []string{"/settings/audit-log?%s", "/settings/audit-log.csv?%s"} {
			b.Get(acme.At(path, query)).Is(t, 400).
				Has(t, "The filter “"+label+"” has an unknown value").Lacks(t, "<script>alert")
		}
	}
	for _, path := range []string{"/settings/audit-log?From=1", "/settings/audit-log.csv?forks=x"} {
		b.Get(acme.At("%s", path)).Is(t, 400).Has(t, "is unknown. Use action, person, ")
	}
	b.Get(acme.At("/settings/audit-log?from=2026-03-02&to=2026-03-01")).Is(t, 200).
		Has(t, "No matching entries", "<dt>From</dt><dd><bdi>2 Mar 2026", "<dt>To</dt><dd><bdi>1 Mar 2026")
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
	w.DB.Exec(`insert into audit_refusals (org_id, key_id, key_name, reason, at, refusals)
		values ($1, $2, 'BI', 'expired', '2026-03-02 12:00:00Z', 2880)`, acme.ID, keys[0].ID)
	b := w.SignedIn(t, acme.AdminPlain)
	march := func(n int) time.Time { return time.Date(2026, 3, n, 0, 0, 0, 0, time.UTC) }
	for query, filter := range map[string]audit.Filter{
		"":                               {},
		"person=&action=&key=&from=&to=": {},
		"person=" + acme.Owner.ID:        {PersonID: acme.Owner.ID},
		"key=" + keys[0].ID:              {KeyID: keys[0].ID},
		"person=" + acme.Admin.ID + "&key=" + keys[1].ID: {
			PersonID: acme.Admin.ID, KeyID: keys[1].ID,
		},
		"action=export.started":                  {Action: audit.ExportStarted},
		"action=api_key.refused&from=2026-03-02": {Action: audit.KeyRefused, From: march(2)},
		"to=2026-03-02":                          {To: march(3)},
		"from=2026-03-03&to=2026-03-03":          {From: march(3), To: march(4)},
		"from=2199-12-31":                        {From: time.Date(2199, 12, 31, 0, 0, 0, 0, time.UTC)},
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

// What is offered is sorted by name, and keys of one name are told apart by their ids.
func TestAuditFiltersOfferNamesInTheirOrder(t *testing.T) {
	t.Parallel()
	w, acme, b := webtest.StartAsOwner(t)
	for _, name := range []string{"warehouse", "BI", "BI", "Ärger"} {
		w.NewKey(t, acme, name, apikeys.ReportsRead)
	}
	for _, name := range []string{"zoe", "Ann"} {
		w.Append(t, acme, audit.Entry{
			Actor:  audit.Actor{Kind: audit.Person, ID: uuid.NewString(), Name: name},
			Action: audit.PasswordChanged,
		})
	}
	body := b.Get(acme.At("/settings/audit-log")).Body
	for name, want := range map[string]string{
		"person": "Any Ann " + acme.Owner.Name + " zoe",
		"key":    `Any BI …\w{6} BI …\w{6} warehouse Ärger`,
	} {
		_, from, _ := strings.Cut(body, `<select id="`+name+`"`)
		options, _, _ := strings.Cut(from, "</select>")
		require.Regexp(t, "^"+want+"$", webtest.Words(options))
	}
}
