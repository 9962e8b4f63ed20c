package publicapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// rules.md, Formats: a malformed id is an unknown id: 404 in the place of a fork or a group.
func TestMalformedIDIsAnUnknownOne(t *testing.T) {
	t.Parallel()
	a := newAttempt(t, start(t))
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
			target(http.MethodGet, "/api/v1/forks/"+path)(a)
			got := a.send()
			require.Equal(t, http.StatusNotFound, got.StatusCode, "%q: %s", path, got.body)
			require.Equal(t, "ERR_NOT_FOUND", got.detail(t, path))
		}
	}
	require.Empty(t, a.w.entries(t, a.mine.id))
}
