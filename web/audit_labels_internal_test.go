package web

import (
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/audit"
)

// An export that has ended is said with its rows; one that runs, or ended in a way that is not known, is not.
func TestExportOutcome(t *testing.T) {
	t.Parallel()
	for want, details := range map[string]map[string]any{
		"Complete, 0 rows":                      {"outcome": "completed", "rows": 0.0},
		"Complete, 1 row":                       {"outcome": "completed", "rows": 1.0},
		"Complete, 12,408 rows":                 {"outcome": "completed", "rows": 12408.0},
		"Broken off by the reader, 2 rows":      {"outcome": "client_gone", "rows": 2.0},
		"Broken off, the person's access ended": {"outcome": "access_ended"},
		"":                                      {"outcome": "unknown", "rows": 1.0},
		"Broken off, the database did not answer, 7 rows": {"outcome": "database_unavailable", "rows": 7.0},
		"Broken off, the key stopped working, 1 row":      {"outcome": "key_unusable", "rows": 1.0},
	} {
		require.Equal(t, want, exportOutcome(details))
	}
	require.Empty(t, exportOutcome(nil))
}

// An entry that stands for many requests says how many, and what a crash of the database took from the count.
func TestCountedRequestsInWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		details map[string]any
		want    string
	}{
		{nil, ""},
		{map[string]any{"rows": 3.0}, ""},
		{map[string]any{"notRecorded": 1.0}, "1 request"},
		{map[string]any{"notRecorded": 19880.0}, "19,880 requests"},
		{map[string]any{"countLost": true}, "Count lost in a database crash"},
		{map[string]any{"notRecorded": 12.0, "countLost": true}, "12 requests, others lost in a database crash"},
	} {
		e := audit.Entry{
			Actor: audit.Actor{Kind: audit.Key, ID: "k", Name: "BI"}, Action: audit.KeyRefused, Reason: audit.WrongSecret, Details: c.details,
			Request: audit.Request{Path: "/api/v1/forks"},
		}
		w := nameIndex{}.words(e)
		require.Equal(t, "Wrong secret", w.Outcome)
		if c.want == "" {
			require.Equal(t, "/api/v1/forks", w.Target)
			require.Contains(t, w.Details, detail{Term: "Answer", Code: "401 ERR_AUTH_REQUIRED"})
			continue
		}
		require.Equal(t, c.want, w.Target)
		require.False(t, w.TargetIsPath)
		require.Contains(t, w.Details, detail{Term: "Not recorded one by one", Text: c.want})
		require.Contains(t, w.Details, detail{Term: "Answer", Code: "429 ERR_RATE_LIMITED"})
	}
}
