package publicapi_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/audit"
	"dg/platform/testkit"
)

// Forks have all fields but the configuration. The list is ordered by creation, then by id.
func TestForksHaveAllFieldsAndAreOrdered(t *testing.T) {
	w := start(t)
	org := w.newOrganisation("pseudonymous", 9, 0)
	w.newOrganisation("pseudonymous", 1, 0)
	oldest := slices.Max(org.forks)
	w.Exec(`update forks set slug = 'oldest', status = 'archived', visibility = 'restricted', source_locale = 'pt',
		suspended = true, title = E'<b>"\\\u202e=1+1', created_at = '2025-12-31T00:00:00Z',
		updated_at = '2026-02-01T00:00:00.123Z' where id = $1`, oldest)
	key := w.AddKey(org.id, "forks:read")
	list := w.get(t, "/api/v1/forks", key)
	require.NotContains(t, list.Body, `"secret"`)
	items := decodeJSON[struct{ Items []map[string]any }](t, list).Items
	require.Len(t, items, 9)
	for i, f := range items {
		id := f["id"].(string)
		if i > 1 {
			require.Less(t, items[i-1]["id"], id, "created at the same instant: by id")
		}
		single := decodeJSON[map[string]any](t, w.get(t, "/api/v1/forks/"+id, key))
		require.Equal(t, f, single, "the list's element is the fork")
		w.get(t, fmt.Sprintf("/api/v1/forks/%%%x%s", id[0], id[1:]), key).Is(t, http.StatusOK)
		if i == 0 {
			require.Equal(t, map[string]any{
				"id": oldest, "gameId": items[1]["gameId"], "slug": "oldest", "title": "<b>\"\\\u202e=1+1",
				"major": 1.0, "status": "archived", "visibility": "restricted", "sourceLocale": "pt",
				"deployedReleaseNumber": nil, "suspended": true,
				"createdAt": "2025-12-31T00:00:00.000Z", "updatedAt": "2026-02-01T00:00:00.123Z",
			}, f)
		}
	}

	w.Exec(`delete from forks where org_id = $1`, org.id)
	require.Equal(t, `{"items":[]}`, w.get(t, "/api/v1/forks", key).Body)
}

// openapi.yaml, Over HTTP: HEAD runs the checks of GET and sends its headers. Only GET records an export.
func TestHeadRunsTheChecksOfGet(t *testing.T) {
	w := start(t)
	org := w.newOrganisation("pseudonymous", 1, 6, 4)
	otherOrg := w.newOrganisation("pseudonymous", 1, 0)
	org.addRandomPlays(rand.New(rand.NewPCG(13, 13)), 20, parseDay("2024-05-01"), parseDay("2024-05-31"))
	key := w.AddKey(org.id)
	period := "?from=2024-05-01&to=2024-05-31"
	for _, path := range slices.AppendSeq([]string{
		"/api/v1/forks/{forkId}/exports/csv" + period + "&groupId=" + org.groups[0].id,
		"/api/v1/forks/" + otherOrg.forks[0], "/api/v1/forks/x", "/api/v1/forks/{forkId}/stats", "/api/v1/x",
	}, maps.Keys(documentedScopes(t, period))) {
		path = strings.Replace(path, "{forkId}", org.forks[0], 1)
		get := w.get(t, path, key, "User-Agent", "Power Query")
		head := w.send(t, http.MethodHead, path, "Bearer "+key.Token()).Is(t, get.StatusCode)
		if strings.Contains(path, "/stats?") {
			require.NotEmpty(t, head.Header.Get("ETag"))
			require.Empty(t, head.Header.Get("Content-Length"), "HEAD of a proved answer computes no figures")
		}
		for _, name := range []string{"Date", "X-Request-Id", "Ratelimit", "Content-Length", "Transfer-Encoding"} {
			get.Header.Del(name)
			head.Header.Del(name)
		}
		require.Equal(t, get.Header, head.Header, path)
	}
	var groupIDs []any
	for _, e := range w.entries(t, org.id) {
		if e.Action != audit.ExportStarted {
			continue
		}
		groupIDs = append(groupIDs, e.Details["groupId"])
		require.Equal(t, audit.Target{Kind: "fork", ID: org.forks[0]}, e.Target)
		require.Equal(t, audit.Actor{Kind: audit.Key, ID: key.ID, Name: "Warehouse"}, e.Actor)
		require.Equal(t, audit.Request{
			Method: "GET", Path: "/api/v1/forks/" + org.forks[0] + "/exports/csv", Address: "127.0.0.1",
			UserAgent: "Power Query", ID: e.Request.ID,
		}, e.Request)
	}
	require.ElementsMatch(t, []any{nil, org.groups[0].id}, groupIDs, "only the two GETs are recorded")
}

// openapi.yaml, RateLimit and DG-Key-Expires: only responses to usable keys have these headers, errors included.
func TestResponsesHaveRateLimitAndKeyExpiry(t *testing.T) {
	w := start(t)
	key := w.AddKey(w.AddOrganisation(testkit.Organisation{}).ID)
	expiry := time.Now().Add(29 * 24 * time.Hour).UTC().Truncate(time.Millisecond)
	require.Empty(t, w.get(t, "/api/v1/forks", key).Header.Values("DG-Key-Expires"))
	w.Exec(`update api_keys set expires_at = $2 where id = $1`, key.ID, expiry)
	requireHeaders := func(path string, status int, remaining string) {
		page := w.get(t, path, key).Is(t, status)
		require.Equal(t, `"key";q=120;w=60`, page.Header.Get("RateLimit-Policy"))
		require.Regexp(t, `^"key";r=`+remaining+`;t=([1-9]|[1-5]\d|60)$`, page.Header.Get("RateLimit"))
		want := []string{expiry.Format("2006-01-02T15:04:05.000Z")}
		require.Equal(t, want, page.Header.Values("DG-Key-Expires"), path)
	}
	requireHeaders("/api/v1/forks", 200, "118")
	requireHeaders("/api/v1/nowhere", 404, "117")
	requireHeaders("/api/v1/forks/x", 404, "116")
	w.Exec(fillWindowSQL, key.ID)
	requireHeaders("/api/v1/forks", 429, "0")
	w.Exec(`delete from api_key_windows`)
	rejected := w.send(t, http.MethodGet, "/api/v1/forks", "Bearer "+tokenWithWrongSecret(key))
	require.Empty(t, rejected.Header.Values("DG-Key-Expires"))
	require.Empty(t, rejected.Header.Values("RateLimit"))
}
