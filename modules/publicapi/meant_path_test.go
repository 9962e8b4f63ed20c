package publicapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// rules.md, Order of checks, 5: an unknown path is answered 404, which names the endpoint that was
// probably meant.
func TestUnknownPathNamesTheEndpointThatWasMeant(t *testing.T) {
	t.Parallel()
	a := newAttempt(t, start(t))
	const (
		list  = "/api/v1/forks"
		fork  = "/api/v1/forks/{forkId}"
		stats = "/api/v1/forks/{forkId}/stats"
		file  = "/api/v1/forks/{forkId}/exports/csv"
	)
	foreign := a.foreign.forks[0]
	for sent, want := range map[string]string{
		"/api/v1/forks/":                               list,
		"/api/v1/Forks":                                list,
		"/api/v1/fork":                                 list,
		"/api/v1//forks":                               list,
		"/api/v1/forks.json":                           list,
		"/api/v1/%66orks%2F":                           list,
		"/api/v1/fork/" + a.fork:                       fork,
		"/api/v1/forks/" + a.fork + "/":                fork,
		"/api/v1/FORKS/" + foreign:                     fork,
		"/api/v1/forks/" + a.fork + "/statistics":      stats,
		"/api/v1/forks/" + foreign + "/statistics":     stats,
		"/api/v1/forks/" + unknownID + "/statistics":   stats,
		"/api/v1/forks/" + a.fork + "/Stats?from=x":    stats,
		"/api/v1/forks/" + a.fork + "/stats/":          stats,
		"/api/v1/fork/" + a.fork + "/stat":             stats,
		"/api/v1/" + a.fork + "/stats":                 stats,
		"/api/v1/stats":                                stats,
		"/api/v1/forks/" + a.fork + "/exports":         file,
		"/api/v1/forks/" + a.fork + "/export":          file,
		"/api/v1/forks/" + a.fork + "/exports/CSV":     file,
		"/api/v1/forks/" + a.fork + "/export/csv":      file,
		"/api/v1/forks/" + a.fork + "/exports/csv/":    file,
		"/api/v1/forks/" + a.fork + "/plays.csv":       file,
		"/api/v1/forks/" + a.fork + "/exports.csv":     file,
		"/api/v1/forks/" + a.fork + "/csv":             file,
		"/api/v1/exports/csv":                          file,
		"/api/v1/":                                     "",
		"/api/v1/x":                                    "",
		"/api/v1/players":                              "",
		"/api/v1/forks/" + a.fork + "/players":         "",
		"/api/v1/forks/" + a.fork + "/stats/2026":      "",
		"/api/v1/../v1/forks/" + a.fork + "/x/stats":   "",
		"/api/v1/forks/a/b/c/d/stats":                  "",
		"/api/v1/" + strings.Repeat("forks/", 600):     "",
		"/api/v1/%zz/%E0%A4%A/stats%00":                "",
		"/api/v1/forks/" + a.fork + "/exports/csv/csv": "",
	} {
		target(http.MethodGet, sent)(a)
		got := a.send()
		require.Equal(t, http.StatusNotFound, got.StatusCode, "%s: %s", sent, got.body)
		var body struct{ Message string }
		require.NoError(t, json.Unmarshal([]byte(got.body), &body))
		message := "No such endpoint. Did you mean " + want +
			"? Paths are case-sensitive and have no trailing slash."
		if want == "" {
			message =
				"No such endpoint. Paths are case-sensitive and have no trailing slash. See /openapi/v1.json."
		}
		require.Equal(t, message, body.Message, sent)
	}
	a.authorization += "x"
	target(http.MethodGet, "/api/v1/Forks")(a)
	got := a.send()
	require.Equal(t, http.StatusUnauthorized, got.StatusCode, "authentication comes first")
	require.NotContains(t, got.body, "Did you mean")
}
