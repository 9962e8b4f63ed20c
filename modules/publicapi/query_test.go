package publicapi_test

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/audit"
)

// rules.md, Formats: periods and parameters, the same for statistics and export.
func TestReportParametersAreValidated(t *testing.T) {
	t.Parallel()
	w := start(t)
	h := newHistory(rand.New(rand.NewPCG(20, 20)), 1, 6, 5)
	w.load(t, h)
	group := "&groupId=" + h.groups[0].id
	for query, status := range map[string]int{
		"from=2024-01-01&to=2024-12-31": 200, // 366 days
		"from=2023-01-01&to=2024-01-01": 200, // 366 days
		"from=2023-01-01&to=2024-01-02": 400, // 367 days
		"from=2024-02-29&to=2024-02-29": 200,
		// no such day
		"from=2023-02-29&to=2023-03-01":           400,
		"from=2000-01-01&to=2000-12-31":           200,
		"from=1999-12-31&to=2000-01-01":           400,
		"from=2199-01-01&to=2199-12-31":           200,
		"from=2199-12-31&to=2200-01-01":           400,
		"from=2024-03-02&to=2024-03-01":           400,
		"from=2024-03-01":                         400,
		"to=2024-03-01":                           400,
		"":                                        400,
		"from=2024-03-01&to=":                     400,
		"from&to=2024-03-01":                      400,
		"from=2024-3-1&to=2024-03-01":             400,
		"from=2024-03-01T00:00:00Z&to=2024-03-01": 400,
		"from=+2024-03-01&to=2024-03-01":          400,
		"from=%202024-03-01&to=2024-03-01":        400,
		"from=2024-03-01%00&to=2024-03-01":        400,
		// Arabic digits
		"from=%D9%A2%D9%A0%D9%A2%D9%A4-03-01&to=2024-03-01": 400,
		"from=%ff%fe&to=2024-03-01":                         400,
		"from=2024-03-01&to=2024-03-01&from=2024-03-01":     400, // repeated
		// repeated, encoded
		"from=2024-03-01&to=2024-03-01&%66rom=2024-03-01": 400,
		"from=2024-03-01&to=2024-03-01&groupId=":          400,
		"from=2024-03-01&to=2024-03-01" + group:           200,
		"from=2024-03-01&to=2024-03-01" + group + group:   400,
		"from=2024-03-01&to=2024-03-01&groupId=x":         404,
		"from=2024-03-01&to=2024-03-01&groupId=%00":       404,
		"from=2024-03-01&to=2024-03-01&groupId=%FF":       404,
		"from=2024-03-01&to=2024-03-01&GROUPID=x":         400,
		// ids in any case
		"from=2024-03-01&to=2024-03-01&groupId=" + strings.ToUpper(h.groups[0].id): 200,
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

// rules.md, Formats: an unknown parameter of a report is an error, which names the one that was
// probably meant. The endpoints of forks ignore all.
func TestUnknownParameterIsRefused(t *testing.T) {
	t.Parallel()
	w := start(t)
	h := newHistory(rand.New(rand.NewPCG(21, 21)), 1, 6, 5)
	w.load(t, h)
	const others = "This endpoint takes `from`, `to` and `groupId`."
	id := strings.Repeat("i", 22)
	for parameter, want := range map[string]string{
		"group=" + h.groups[0].id:   "`group`. Did you mean `groupId`?",
		"group_id=" + h.forks[0]:    "`group_id`. Did you mean `groupId`?",
		"groupid=x":                 "`groupid`. Did you mean `groupId`?",
		"%67roup":                   "`group`. Did you mean `groupId`?",
		"start=2024-03-01":          "`start`. Did you mean `from`?",
		"From=2024-03-01":           "`From`. Did you mean `from`?",
		"end=&unknown":              "`end`. Did you mean `to`?",
		"until=2024-03-01":          "`until`. Did you mean `to`?",
		"format=csv":                "`format`. " + others,
		"api_key=x":                 "`api_key`. " + others,
		"a%0D%0Ab%FF=1":             "`a\uFFFD\uFFFDb\uFFFD`. " + others,
		"=x":                        "`=`. " + others,
		"=":                         "`=`. " + others,
		"=&=":                       "`=`. " + others,
		strings.Repeat("x-", 1_500): "`" + strings.Repeat("x-", 30) + "…`. " + others,
		"dg_live_" + id + "_" + strings.Repeat("s", 43) + "=": "`dg_live_" + id + "_…`. " + others,
		"dg_live_" + id + "_sss=x":                            "`dg_live_" + id + "_…`. " + others,
		"x" + "dg%255Flive_" + id + "_sss":                    "`xdg_live_" + id + "_…`. " + others,
	} {
		token := w.key(t, h.id)
		for _, tail := range []string{"/stats?", "/exports/csv?"} {
			for _, query := range []string{
				parameter + "&from=2024-03-01&to=2024-03-01", "from=&from=&" + parameter,
			} {
				got := w.get(t, "/api/v1/forks/"+h.forks[0]+tail+query, token)
				require.Equal(t, http.StatusBadRequest, got.StatusCode, query)
				var body struct{ Message string }
				require.NoError(t, json.Unmarshal([]byte(got.body), &body))
				require.Equal(t, "Unknown query parameter "+want, body.Message)
			}
		}
		for _, path := range []string{"/api/v1/forks?", "/api/v1/forks/" + h.forks[0] + "?"} {
			require.Equal(t, http.StatusOK, w.get(t, path+parameter, token).StatusCode,
				path+parameter)
		}
	}
}

// rules.md, Formats: an error about a day shows its value, and no secret of a key.
func TestErrorAboutADayShowsItsValue(t *testing.T) {
	t.Parallel()
	a := newAttempt(t, start(t), rand.New(rand.NewPCG(23, 23)))
	const format = ". Send a calendar day, YYYY-MM-DD, for example 2026-03-01."
	id := strings.Repeat("i", 22)
	for value, shown := range map[string]string{
		"yesterday":        "yesterday",
		"2026%2F03%2F01":   "2026/03/01",
		"%3Cb%3E%0D%0A%FF": "\u003cb\u003e\uFFFD\uFFFD\uFFFD",
		"dg_live_" + id + "_" + strings.Repeat("s", 49): "dg_live_" + id + "_…",
		"x" + strings.Repeat("A", 49):                   "…",
		strings.Repeat("x-", 1_500):                     strings.Repeat("x-", 30) + "…",
	} {
		got := a.sendQuery("to=2026-03-01&from=" + value)
		var body struct{ Message string }
		require.NoError(t, json.Unmarshal([]byte(got.body), &body))
		require.Equal(t, "`from` is not a day: "+shown+format, body.Message)
	}
}

// rules.md, Formats: identifiers are compared without regard to case. The answer is the same, its
// headers and the log included.
func TestIdentifiersAreComparedWithoutRegardToCase(t *testing.T) {
	t.Parallel()
	a := newAttempt(t, start(t), rand.New(rand.NewPCG(22, 22)))
	fork := a.fork
	group := a.mine.groups[0].id
	upper := strings.ToUpper
	for lower, other := range map[string]string{
		"": "",
		"/stats?from=2024-01-01&to=2024-12-31&groupId=" +
			group: "/stats?from=2024-01-01&to=2024-12-31&groupId=" + upper(group),
		"/exports/csv?from=2024-01-01&to=2024-12-31&groupId=" +
			group: "/exports/csv?from=2024-01-01&to=2024-12-31&groupId=" + upper(group),
	} {
		first := "/api/v1/forks/" + upper(fork) + other
		asked := "/api/v1/forks/" + fork + lower
		got := a.w.get(t, first, a.w.key(t, a.mine.id))
		want := a.w.get(t, asked, a.w.key(t, a.mine.id))
		require.Equal(t, http.StatusOK, got.StatusCode, got.body)
		require.Equal(t, want.body, got.body)
		for _, name := range []string{"ETag", "Content-Disposition", "X-DG-Report-Suppressed"} {
			require.Equal(t, want.Header.Get(name), got.Header.Get(name))
		}
		if tag := want.Header.Get("ETag"); tag != "" {
			require.Equal(t, http.StatusNotModified,
				a.w.get(t, first, a.w.key(t, a.mine.id), "If-None-Match", tag).StatusCode)
		}
	}
	a.fork = upper(a.foreign.forks[0])
	require.Equal(t, http.StatusForbidden, a.send().StatusCode)
	a.fork = fork
	require.Equal(t, http.StatusNotFound,
		a.sendQuery(a.query+"&groupId="+upper(a.foreign.groups[0].id)).StatusCode)
	entries := slices.DeleteFunc(a.w.entries(t, a.mine.id), func(e audit.Entry) bool {
		return e.Action != audit.KeyRefused
	})
	require.Len(t, entries, 2, "a foreign one is recorded in any case")
	require.Equal(t, a.foreign.groups[0].id, entries[0].Target.ID)
	require.Equal(t, a.foreign.forks[0], entries[1].Target.ID)
}
