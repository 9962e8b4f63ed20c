package auditlog_test

import (
	"math/rand/v2"
	"net/http"
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
			OrganisationID: o.ID,
			Actor:          audit.Actor{Kind: audit.Key, ID: key.ID, Name: key.Name},
			Action:         audit.Actions[random.IntN(len(audit.Actions))],
			Target:         audit.Target{Kind: "fork", ID: uuid.NewString()},
			Request: audit.Request{
				Method:    "GET",
				Path:      "/api/v1/forks/" + uuid.NewString(),
				Address:   "192.0.2.1",
				UserAgent: "request-0002",
				ID:        uuid.NewString(),
			},
		}
		if e.Action == audit.KeyRefused {
			e.Reason = audit.Reasons[random.IntN(len(audit.Reasons))]
		} else if random.IntN(2) == 0 {
			e.Actor = people[random.IntN(len(people))]
			e.Target = audit.Target{Kind: "api_key", ID: key.ID}
		}
		require.NoError(t, w.Log.Append(t.Context(), e))
	}
	w.DB.Exec(
		`update audit_entries
			set at = timestamptz '2026-03-01' + floor(random() * 6 * 24 * 60) * interval '1 min'
			  where org_id = $1 and user_agent = 'request-0002'`,
		o.ID,
	)
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
func listedOnAllPages(b *webtest.Browser, p webtest.Page, limit int) []int64 {
	b.T.Helper()
	got := []int64{}
	for {
		require.Equal(b.T, http.StatusOK, p.StatusCode)
		got = append(got, listed(b.T, p)...)
		older := linkOf(p, "Older →")
		if older == "" || len(got) > limit {
			return got
		}
		p = b.Get(older)
	}
}

// Filters in the address, each and together; the pages hold what a plain reading of the whole log
// leaves, and the file holds the same row by row.
func TestAuditLogIsFiltered(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	acme := w.Organisation("acme")
	other := w.Organisation("other")
	keys := []apikeys.Key{
		w.NewKey(t, acme, "BI", apikeys.ReportsRead), w.NewKey(t, acme, "=1+1", apikeys.ForksRead),
	}
	people := []audit.Actor{
		{Kind: audit.Person, ID: acme.Owner.ID, Name: acme.Owner.Name}, {
			Kind: audit.Person,
			ID:   acme.Admin.ID,
			Name: "-2+3",
		},
	}
	randomEntries(t, w, acme, 500, people, keys)
	randomEntries(t, w, other, 50, people, keys)
	all := w.LogOf(t, acme)
	b := w.SignedIn(t, acme.AdminPlain)

	filters := []map[string]string{
		{}, {"actor": "", "action": "", "key": "", "reason": "", "from": "", "to": ""},
		{"actor": "keys"}, {"actor": acme.Owner.ID}, {"from": "2026-03-02"}, {"to": "2026-03-02"}, {
			"from": "2026-03-03",
			"to":   "2026-03-03",
		},
		{"key": keys[0].ID}, {"actor": acme.Admin.ID, "key": keys[1].ID}, {
			"actor":  acme.Owner.ID,
			"reason": "plan",
		},
		{
			"actor":  "keys",
			"action": "api_key.refused",
			"key":    keys[1].ID,
			"reason": "expired",
			"from":   "2026-03-01",
			"to":     "2026-03-05",
		},
		{"from": "2199-12-31"}, {"to": "2199-12-31"},
	}
	for _, a := range audit.Actions {
		filters = append(filters, map[string]string{"action": string(a)})
	}
	for _, r := range audit.Reasons {
		filters = append(filters,
			map[string]string{"reason": string(r), "action": "api_key.refused"})
	}
	for _, filter := range filters {
		want := []int64{}
		rows := [][]string{}
		for _, e := range all {
			if matches(t, filter, e) {
				want = append(want, e.ID)
				rows = append(rows, csvRow(t, e))
			}
		}
		query := url.Values{}
		for name, value := range filter {
			query.Set(name, value)
		}
		p := b.Get(acme.At("/settings/audit-log?%s", query.Encode()))
		file := linkOf(p, "Download CSV")
		require.Equal(t, want, listedOnAllPages(b, p, len(all)), "%v", filter)
		if len(want) == 0 {
			require.Contains(t, p.Body, "No matching entries")
		}
		download := rowsOf(t, b.Get(file))
		if len(rows) == 0 {
			require.Empty(t, download, "%v", filter)
		} else {
			require.Equal(t, rows, download, "%v", filter)
		}
		// of this download
		w.DB.Exec(
			`delete from audit_entries where action = 'audit_log.exported' and path like '%/audit-log.csv'`,
		)
	}
}

// A value that is not offered is a sentence beside its field, and nothing that was filled in is
// lost.
func TestInvalidAuditFiltersAreExplained(t *testing.T) {
	t.Parallel()
	w := webtest.Start(t)
	acme := w.Organisation("acme")
	other := w.Organisation("other")
	foreign := w.NewKey(t, other, "Theirs", apikeys.ReportsRead)
	b := w.SignedIn(t, acme.Owner)
	for query, want := range map[string][]string{
		"actor=nobody":                       {"actor", "The Actor filter has an unknown value"},
		"action=api_key.seen":                {"action", "The Action filter has an unknown value"},
		"key=" + foreign.ID:                  {"key", "The Key filter has an unknown value"},
		"key=%00":                            {"key", "The Key filter has an unknown value"},
		"reason=%ff":                         {"reason", "The Reason filter has an unknown value"},
		"reason=plan&reason=plan":            {"reason", "The Reason filter has an unknown value"},
		"from=2026-02-30":                    {"from", "“From” is not a date"},
		"from=" + strings.Repeat("9", 3_500): {"from", "“From” is not a date"},
		"to=1999-12-31":                      {"to", "“To” is not a date"},
		"from=2026-03-01&from=2026-03-02":    {"from", "“From” is not a date"},
		"from=2026-03-02&to=2026-03-01": {
			"to", "“To” (1 March 2026) is before “From” (2 March 2026)",
		},
		"to=" + url.QueryEscape(`"><script>alert(1)//`): {"to", "“To” is not a date"},
	} {
		p := b.Get(acme.At("/settings/audit-log?action=export.started&%s", query))
		if strings.HasPrefix(query, "action=") {
			p = b.Get(acme.At("/settings/audit-log?%s", query))
		} else {
			require.Contains(t, p.Body, `<option value="export.started" selected>`, query)
		}
		require.Equal(t, http.StatusBadRequest, p.StatusCode, "%.60s", query)
		require.Regexp(t,
			`id="`+want[0]+`"[^>]* aria-invalid="true" aria-describedby="`+want[0]+`-error"`,
			p.Body,
			"%.60s", query)
		require.Contains(t, p.Body, `id="`+want[0]+`-error">`+want[1], "%.60s", query)
		require.Contains(t, p.Body, "<title>Error: Audit log")
		require.NotContains(t, p.Body, "<script>alert")
		require.Empty(t, linkOf(p, "Download CSV"))
		require.Less(t, len(p.Body), 15_000)
		file := b.Get(acme.At("/settings/audit-log.csv?%s", query))
		require.Equal(t, http.StatusBadRequest, file.StatusCode, "%.60s", query)
		require.Contains(t, file.Body, want[1], "%.60s", query)
	}
}
