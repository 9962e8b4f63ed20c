package publicapi_test

import (
	"math/rand/v2"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// rules.md, Formats: periods and parameters, the same for statistics and export.
func TestReportParametersAreValidated(t *testing.T) {
	t.Parallel()
	w := start(t)
	h := newHistory(rand.New(rand.NewPCG(20, 20)), 1, 6, 5)
	w.load(t, h)
	group := "&groupId=" + h.groups[0].id
	for query, status := range map[string]int{
		"from=2024-01-01&to=2024-12-31":                           200, // 366 days
		"from=2023-01-01&to=2024-01-01":                           200, // 366 days
		"from=2023-01-01&to=2024-01-02":                           400, // 367 days
		"from=2024-02-29&to=2024-02-29":                           200,
		"from=2023-02-29&to=2023-03-01":                           400, // no such day
		"from=2000-01-01&to=2000-12-31":                           200,
		"from=1999-12-31&to=2000-01-01":                           400,
		"from=2199-01-01&to=2199-12-31":                           200,
		"from=2199-12-31&to=2200-01-01":                           400,
		"from=2024-03-02&to=2024-03-01":                           400,
		"from=2024-03-01":                                         400,
		"to=2024-03-01":                                           400,
		"":                                                        400,
		"from=2024-03-01&to=":                                     400,
		"from&to=2024-03-01":                                      400,
		"from=2024-3-1&to=2024-03-01":                             400,
		"from=2024-03-01T00:00:00Z&to=2024-03-01":                 400,
		"from=+2024-03-01&to=2024-03-01":                          400,
		"from=%202024-03-01&to=2024-03-01":                        400,
		"from=2024-03-01%00&to=2024-03-01":                        400,
		"from=%D9%A2%D9%A0%D9%A2%D9%A4-03-01&to=2024-03-01":       400, // Arabic digits
		"from=%ff%fe&to=2024-03-01":                               400,
		"from=2024-03-01&to=2024-03-01&from=2024-03-01":           400, // repeated
		"from=2024-03-01&to=2024-03-01&%66rom=2024-03-01":         400, // repeated, encoded
		"from=2024-03-01&to=2024-03-01&groupId=":                  400,
		"from=2024-03-01&to=2024-03-01" + group:                   200,
		"from=2024-03-01&to=2024-03-01" + group + group:           400,
		"from=2024-03-01&to=2024-03-01&groupId=x":                 404,
		"from=2024-03-01&to=2024-03-01&groupId=%00":               404,
		"from=2024-03-01&to=2024-03-01&groupId=%FF":               404,
		"from=2024-03-01&to=2024-03-01&unknown=1&unknown=2&other": 200,
		"From=2024-03-01&from=2024-03-01&to=2024-03-01":           200, // another name: ignored
	} {
		token := w.key(t, h.id)
		for _, tail := range []string{"/stats?", "/exports/csv?"} {
			got := w.get(t, "/api/v1/forks/"+h.forks[0]+tail+query, token)
			require.Equal(t, status, got.StatusCode, "%s%s: %s", tail, query, got.body)
			if status == http.StatusBadRequest {
				require.Contains(t, got.body, `"details":{"code":"ERR_VALIDATION"}`)
			}
		}
	}
}
