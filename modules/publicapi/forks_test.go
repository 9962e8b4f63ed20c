package publicapi_test

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/audit"
)

// rules.md, Formats: the list and the single fork have all fields, in order, without the
// configuration.
func TestForksAndOneFork(t *testing.T) {
	t.Parallel()
	h := newHistory(3, 0)
	w := start(t, h, newHistory(1, 0))
	w.Exec(
		`update forks set status = 'archived', visibility = 'restricted', source_locale = 'pt', suspended = true,
		title = E'<b>"\\\u202e=1+1', updated_at = '2026-02-01T00:00:00.123Z' where id = $1`, h.forks[1])
	token := w.key(t, h.id, "forks:read")
	list := w.get(t, "/api/v1/forks", token)
	require.NotContains(t, list.body, `"secret"`)
	items := decoded[struct{ Items []map[string]any }](t, list).Items
	require.Len(t, items, 3)
	for i, f := range items {
		id := f["id"].(string)
		if i > 0 {
			require.Less(t, items[i-1]["id"], id, "created at the same instant: by id")
		}
		one := decoded[map[string]any](t, w.get(t, "/api/v1/forks/"+id, token))
		require.Equal(t, f, one, "the list's element is the fork")
		if id == h.forks[1] {
			require.Equal(t, map[string]any{
				"id": id, "gameId": items[0]["gameId"], "slug": "fork-1",
				"title": "<b>\"\\\u202e=1+1", "major": 1.0, "status": "archived",
				"visibility": "restricted", "sourceLocale": "pt",
				"deployedReleaseNumber": nil, "suspended": true,
				"createdAt": "2026-01-01T00:00:00.000Z",
				"updatedAt": "2026-02-01T00:00:00.123Z",
			}, f)
		}
	}

	w.Exec(`delete from forks where org_id = $1`, h.id)
	require.Equal(t, `{"items":[]}`, w.get(t, "/api/v1/forks", token).body)
}

// rules.md, Headers: strong ETags by the organisation's version; 304 after all checks. Package
// httpserver proves those by encoding.
func TestETags(t *testing.T) {
	t.Parallel()
	h := newHistory(8, 0)
	other := newHistory(8, 0)
	w := start(t, h, other)
	token := w.key(t, h.id)
	for _, path := range []string{"/api/v1/forks", "/api/v1/forks/" + h.forks[0]} {
		first := w.get(t, path, token)
		tag := first.Header.Get("ETag")
		require.Regexp(t, `^"[^"]+"$`, tag, "strong")
		require.Equal(t, "private, no-cache", first.Header.Get("Cache-Control"))
		require.Equal(t, "Authorization, Accept-Encoding", first.Header.Get("Vary"))
		again := w.get(t, path, token, "If-None-Match", tag)
		require.Equal(t, http.StatusNotModified, again.StatusCode)
		require.Empty(t, again.body)
		require.NotEmpty(t, again.Header.Get("RateLimit"))
		require.Equal(t, http.StatusOK,
			w.get(t, "/api/v1/forks", w.key(t, other.id), "If-None-Match", tag).StatusCode,
			"another organisation")

		w.Exec(`update forks set title = title || '!' where id = $1`, h.forks[0])
		changed := w.get(t, path, token, "If-None-Match", tag)
		require.Equal(t, http.StatusOK, changed.StatusCode, "a change is seen")
		require.NotEqual(t, tag, changed.Header.Get("ETag"))
	}
	require.Equal(t, http.StatusForbidden,
		w.get(t, "/api/v1/forks/"+other.forks[0], token, "If-None-Match", "*").StatusCode,
		"after all checks")
	require.Equal(t, http.StatusNotFound,
		w.get(t, "/api/v1/forks/x", token, "If-None-Match", "*").StatusCode)
}

// rules.md, Order of checks: HEAD runs the checks of GET and sends its headers without a body. The
// exports of GET are recorded with the key as the actor; package exports proves their details.
func TestHeadRunsTheChecksOfGet(t *testing.T) {
	t.Parallel()
	h := newHistory(1, 6, 4)
	other := newHistory(1, 0)
	h.playRandomly(rand.New(rand.NewPCG(13, 13)), 20, day("2024-05-01"), day("2024-05-31"))
	w := start(t, h, other)
	token := w.key(t, h.id)
	period := "?from=2024-05-01&to=2024-05-31"
	for _, path := range []string{
		"/api/v1/forks", "/api/v1/forks/" + h.forks[0],
		"/api/v1/forks/" + h.forks[0] + "/stats" + period,
		"/api/v1/forks/" + h.forks[0] + "/exports/csv" + period,
		"/api/v1/forks/" + h.forks[0] + "/exports/csv" + period + "&groupId=" + h.groups[0].id,
		"/api/v1/forks/" + other.forks[0], "/api/v1/forks/x",
		"/api/v1/forks/" + h.forks[0] + "/stats", "/api/v1/x",
	} {
		get := w.get(t, path, token, "User-Agent", "Power Query")
		head := w.send(t, http.MethodHead, path, "Bearer "+token.String())
		require.Equal(t, get.StatusCode, head.StatusCode, path)
		require.Empty(t, head.body)
		for _, varies := range []string{
			"Date", "X-Request-Id", "Ratelimit", "Content-Length", "Transfer-Encoding",
		} {
			get.Header.Del(varies)
			head.Header.Del(varies)
		}
		require.Equal(t, get.Header, head.Header, path)
	}
	started := 0
	for _, e := range w.entries(t, h.id) {
		if e.Action != audit.ExportStarted {
			continue
		}
		started++
		require.Equal(t, audit.Target{Kind: "fork", ID: h.forks[0]}, e.Target)
		require.Equal(t, audit.Actor{Kind: audit.Key, ID: token.ID, Name: "Warehouse"}, e.Actor)
		require.Equal(t, audit.Request{
			Method: "GET", Path: "/api/v1/forks/" + h.forks[0] + "/exports/csv", Address: "127.0.0.1",
			UserAgent: "Power Query", ID: e.Request.ID,
		}, e.Request)
	}
	require.Equal(t, 2, started, "only the two GETs are recorded")
}

func jsonOf(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}
