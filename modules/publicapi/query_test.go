package publicapi_test

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/audit"
)

// rules.md, Formats: a malformed id is an unknown id: 404 in the place of a fork or a group.
func TestMalformedIDIsAnUnknownOne(t *testing.T) {
	t.Parallel()
	a := newAttempt(t, start(t), rand.New(rand.NewPCG(73, 73)))
	const period = "?from=2024-05-01&to=2024-05-02"
	for _, id := range []string{
		"x", "%00", a.fork + "%00", a.fork[:35], a.fork + "0", "%ff%fe", "\xff\xfe", "%c0%af",
		"%F0%9F%92%A5", "%0d%0aX:%20y", "%zz", "%", "'%20or%20true%20--", "{{7*7}}", "%25s%25n",
		"..%2f..%2fetc", "%7B" + a.fork + "%7D", "urn:uuid:" + a.fork,
		strings.Repeat("x", 3<<10), strings.ReplaceAll(a.fork, "-", ""),
	} {
		for _, path := range []string{
			id + "/stats" + period, id + "/exports/csv" + period,
			a.fork + "/stats" + period + "&groupId=" + id,
			a.fork + "/exports/csv" + period + "&groupId=" + id,
		} {
			got := a.sendTo(http.MethodGet, "/api/v1/forks/"+path)
			require.Equal(t, http.StatusNotFound, got.StatusCode, "%q: %s", path, got.body)
			require.Equal(t, "ERR_NOT_FOUND", got.detail(t, path))
		}
	}
	require.Empty(t, a.w.entries(t, a.mine.id))
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
