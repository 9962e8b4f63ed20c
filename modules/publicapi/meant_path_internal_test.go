package publicapi

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// rules.md, Order of checks, 5: the answer to an unknown path names the endpoint that was probably
// meant, by the path alone.
func TestUnknownPathNamesTheEndpointThatWasMeant(t *testing.T) {
	t.Parallel()
	for want, paths := range map[string][]string{
		"/api/v1/forks": {
			"forks/", "Forks", "fork", "/forks", "forks.json", "%66orks%2F",
		},
		"/api/v1/forks/{forkId}": {"fork/f", "forks/f/", "FORKS/f"},
		"/api/v1/forks/{forkId}/stats": {
			"forks/f/statistics", "forks/f/Stats", "forks/f/stats/", "fork/f/stat", "f/stats", "stats",
		},
		"/api/v1/forks/{forkId}/exports/csv": {
			"forks/f/exports", "forks/f/export", "forks/f/exports/CSV", "forks/f/export/csv",
			"forks/f/exports/csv/", "forks/f/plays.csv", "forks/f/exports.csv", "forks/f/csv",
			"exports/csv",
		},
		"": {
			"", "x", "players", "forks/f/players", "forks/f/stats/2026", "../v1/forks/f/x/stats",
			"forks/a/b/c/d/stats", strings.Repeat("forks/", 600), "%zz/%E0%A4%A/stats%00",
			"forks/f/exports/csv/csv",
		},
	} {
		for _, path := range paths {
			require.Equal(t, want, meantEndpoint(prefix+path), path)
		}
	}
}
