package auditlog

import (
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/audit"
	"dg/web/ui"
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
		require.Equal(t, want, exportOutcome(ui.Locales[0], details))
	}
	require.Empty(t, exportOutcome(ui.Locales[0], nil), "while it runs")
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
		{audit.SignInFailed, n(1), "1 attempt"},
		{audit.SignInFailed, n(240), "240 attempts"},
		{audit.SignedIn, n(1), "1 sign-in"},
		{audit.SignedIn, n(31), "31 sign-ins"},
		{audit.SignInLocked, n(2), "2 events"},
		{audit.KeyRefused, map[string]any{"countLost": true}, "Count lost in a database crash"},
		{
			audit.SignInFailed, map[string]any{
				"notRecorded": 12.0,
				"countLost":   true,
			}, "12 attempts, others lost in a database crash",
		},
	} {
		e := audit.Entry{Action: c.action, Details: c.details}
		require.Equal(t, c.want, countedLabel(ui.Locales[0], e))
		if c.want != "" {
			require.Contains(t, nameIndex{locale: ui.Locales[0]}.view(e).Details,
				detail{Term: "Counted", Text: c.want})
		}
	}
}

func TestRejectedRequestShowsItsPathOrItsCount(t *testing.T) {
	t.Parallel()
	e := audit.Entry{
		Actor: audit.Actor{Kind: audit.Key, ID: "k", Name: "BI"}, Action: audit.KeyRefused,
		Reason: audit.WrongSecret, Request: audit.Request{Path: "/api/v1/forks"},
	}
	v := nameIndex{locale: ui.Locales[0]}.view(e)
	require.Equal(t, "Wrong secret", v.Outcome)
	require.Equal(t, "/api/v1/forks", v.Target)
	require.True(t, v.TargetIsPath)
	require.Contains(t, v.Details, detail{Term: "Response", Code: "401 ERR_AUTH_REQUIRED"})

	e.Details = map[string]any{"notRecorded": 12.0}
	v = nameIndex{locale: ui.Locales[0]}.view(e)
	require.Equal(t, "12 requests", v.Target)
	require.False(t, v.TargetIsPath)
	require.Contains(t, v.Details, detail{Term: "Response", Code: "429 ERR_RATE_LIMITED"})
}

func TestEntriesOfTheOperator(t *testing.T) {
	t.Parallel()
	pruned := nameIndex{locale: ui.Locales[0]}.view(audit.Entry{
		Actor: audit.TheOperator, Action: audit.LogPruned,
		Details: map[string]any{"before": "2025-01-01", "entries": 12408.0},
	})
	require.Equal(t, []string{"Operator", "Before 2025-01-01", "12,408 entries"},
		[]string{pruned.Actor, pruned.Target, pruned.Outcome})
	require.Contains(t, pruned.Details, detail{Term: "Entries", Code: "12,408"})
	erased := nameIndex{locale: ui.Locales[0]}.view(audit.Entry{
		Actor: audit.TheOperator, Action: audit.PlayerErased,
		Target: audit.Target{Kind: "player", ID: "p-1"},
	})
	require.Equal(t, "p-1", erased.Target)
	require.Contains(t, erased.Details, detail{Term: "Player", Code: "p-1"})
	plan := nameIndex{locale: ui.Locales[0]}.view(audit.Entry{
		Actor: audit.TheOperator, Action: audit.PlanChanged,
		Details: map[string]any{"from": "enterprise", "to": "team"},
	})
	require.Equal(t, []string{"Plan changed", "Team", "From enterprise"},
		[]string{plan.Action, plan.Target, plan.Outcome})
	role := nameIndex{locale: ui.Locales[0]}.view(audit.Entry{
		Actor: audit.TheOperator, Action: audit.RoleChanged,
		Target:  audit.Target{Kind: "person", ID: "u-1"},
		Details: map[string]any{"name": "Ann", "from": "none", "to": "owner"},
	})
	require.Equal(t, []string{"Role changed", "Ann", "From none to owner"},
		[]string{role.Action, role.Target, role.Outcome})
	require.Contains(t, role.Details, detail{Term: "Person", Text: "Ann", Code: "u-1"})
	link := nameIndex{locale: ui.Locales[0]}.view(audit.Entry{
		Actor: audit.TheOperator, Action: audit.ResetCreated,
		Target:  audit.Target{Kind: "person", ID: "u-1"},
		Details: map[string]any{"name": "Ann", "until": "2026-11-21T09:30:05Z"},
	})
	require.Equal(t, []string{"Reset link created", "Ann", "Until"},
		[]string{link.Action, link.Target, link.Outcome})
	require.Equal(t, "2026-11-21T09:30:05Z", link.Until.Format(time.RFC3339))
	require.Contains(t, link.Details, detail{Term: "Person", Text: "Ann", Code: "u-1"})
	require.NotContains(t, link.Details, detail{Term: "name", Code: "Ann"})
	key := nameIndex{locale: ui.Locales[0]}.view(audit.Entry{
		Actor: audit.TheOperator, Action: audit.KeyRevoked,
		Target: audit.Target{Kind: "api_key", ID: "k"},
	})
	require.NotContains(t, key.Details, detail{Term: "Person"})
	filters := newAuditFilters(ui.Locales[0], time.Now(), url.Values{"actor": {"operator"}},
		auditOptions{})
	require.Empty(t, filters.Errors())
	require.Equal(t, audit.Filter{Kind: audit.Operator}, filters.filter)
}

func TestCountedSignInsShowTheirNumberInTheList(t *testing.T) {
	t.Parallel()
	for action, want := range map[audit.Action]string{
		audit.SignedIn:     "3 sign-ins",
		audit.SignInFailed: "3 attempts",
	} {
		require.Equal(t, want,
			nameIndex{
				locale: ui.Locales[0],
			}.view(audit.Entry{Action: action, Details: map[string]any{"notRecorded": 3.0}}).Target)
	}
}
