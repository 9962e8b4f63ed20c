package auditlog

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/audit"
)

func TestExportOutcome(t *testing.T) {
	t.Parallel()
	for want, details := range map[string]map[string]any{
		"Completed, 0 rows":                     {"outcome": "completed", "rows": 0.0},
		"Completed, 1 row":                      {"outcome": "completed", "rows": 1.0},
		"Completed, 12,408 rows":                {"outcome": "completed", "rows": 12408.0},
		"Aborted: client disconnected, 2 rows":  {"outcome": "client_gone", "rows": 2.0},
		"Aborted: access ended":                 {"outcome": "access_ended"},
		"Aborted: database unavailable, 7 rows": {"outcome": "database_unavailable", "rows": 7.0},
		"Aborted: key no longer valid, 1 row":   {"outcome": "key_unusable", "rows": 1.0},
		"":                                      {"outcome": "unknown", "rows": 1.0},
	} {
		require.Equal(t, want, exportOutcome(details))
	}
	require.Empty(t, exportOutcome(nil), "while it runs")
}

func TestCountedEntrySaysWhatItCounts(t *testing.T) {
	t.Parallel()
	n := func(n float64) map[string]any { return map[string]any{"notRecorded": n} }
	for _, c := range []struct {
		action  audit.Action
		details map[string]any
		want    string
	}{
		{audit.KeyRefused, nil, ""},
		{audit.KeyRefused, map[string]any{"rows": 3.0}, ""},
		{audit.KeyRefused, n(1), "1 request"},
		{audit.KeyRefused, n(19880), "19,880 requests"},
		{audit.KeyRefused, map[string]any{"countLost": true}, "Count lost in a database crash"},
		{
			audit.KeyRefused, map[string]any{
				"notRecorded": 12.0,
				"countLost":   true,
			}, "12 requests, others lost in a database crash",
		},
	} {
		e := audit.Entry{Action: c.action, Details: c.details}
		require.Equal(t, c.want, countedLabel(e))
		if v := viewOf(e); c.want != "" {
			require.Contains(t, v.Details, detail{Term: "Counted", Text: c.want})
			require.Equal(t, c.want, v.Target, "in the list")
		}
	}
}

func viewOf(e audit.Entry) entryView { return nameIndex{}.view(e) }

// A row has the actor, action, target and outcome of its entry, and an open entry its details.
func TestEntryHasItsLabels(t *testing.T) {
	t.Parallel()
	refused := audit.Entry{
		Actor: audit.Actor{Kind: audit.Key, Name: "BI"}, Action: audit.KeyRefused,
		Reason: audit.WrongSecret, Request: audit.Request{Path: "/api/v1/forks"},
	}
	counted := refused
	counted.Details = map[string]any{"notRecorded": 12.0}
	person := audit.Target{Kind: "person", ID: "u-1"}
	ann := detail{Term: "Person", Text: "Ann", Code: "u-1"}
	for want, c := range map[string]struct {
		entry audit.Entry
		has   detail
	}{
		"BI|Request refused|/api/v1/forks|Wrong secret": {
			refused, detail{Term: "Response", Code: "401 ERR_AUTH_REQUIRED"},
		},
		"BI|Request refused|12 requests|Wrong secret": {
			counted, detail{Term: "Response", Code: "429 ERR_RATE_LIMITED"},
		},
		"Operator|Old entries removed|Before 2025-01-01|12,408 entries": {audit.Entry{
			Action:  audit.LogPruned,
			Details: map[string]any{"before": "2025-01-01", "entries": 12408.0},
		}, detail{Term: "Entries", Code: "12,408"}},
		"Operator|Player erased|p-1|": {audit.Entry{
			Action: audit.PlayerErased, Target: audit.Target{Kind: "player", ID: "p-1"},
		}, detail{Term: "Player", Code: "p-1"}},
		"Operator|Plan changed|Team|From enterprise": {audit.Entry{
			Action: audit.PlanChanged, Details: map[string]any{"from": "enterprise", "to": "team"},
		}, detail{Term: "From", Code: "enterprise"}},
		"Operator|Role changed|Ann|From none to owner": {audit.Entry{
			Action: audit.RoleChanged, Target: person,
			Details: map[string]any{"name": "Ann", "from": "none", "to": "owner"},
		}, ann},
		"Operator|Reset link created|Ann|Until": {audit.Entry{
			Action: audit.ResetCreated, Target: person,
			Details: map[string]any{"name": "Ann", "until": "2026-11-21T09:30:05Z"},
		}, ann},
	} {
		if c.entry.Actor.Kind == "" {
			c.entry.Actor = audit.TheOperator
		}
		v := viewOf(c.entry)
		require.Equal(t, want, strings.Join([]string{v.Actor, v.Action, v.Target, v.Outcome}, "|"))
		require.Contains(t, v.Details, c.has)
		require.NotContains(t, v.Details, detail{Term: "name", Code: "Ann"})
		require.Equal(t, strings.HasPrefix(v.Target, "/"), v.TargetIsPath)
		if v.Outcome == "Until" {
			require.Equal(t, "2026-11-21T09:30:05Z", v.Until.Format(time.RFC3339))
		}
	}
	key := viewOf(audit.Entry{Actor: audit.TheOperator, Action: audit.KeyRevoked})
	require.NotContains(t, key.Details, detail{Term: "Person"})
	filters := newAuditFilters(time.Now(), url.Values{"actor": {"operator"}},
		auditOptions{})
	require.Empty(t, filters.Errors())
	require.Equal(t, audit.Filter{Kind: audit.Operator}, filters.filter)
}
