package web

import (
	"testing"

	"github.com/stretchr/testify/require"
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
		"Broken off, the key stopped working, 1 row": {"outcome": "key_unusable", "rows": 1.0},
	} {
		require.Equal(t, want, exportOutcome(details))
	}
	require.Empty(t, exportOutcome(nil))
}
