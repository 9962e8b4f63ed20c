package publicapi_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit"
)

// rules.md, Rate limits and Keys: authenticated answers of any status carry the policy and the
// remaining requests, and DG-Key-Expires from 30 days before the key stops; others carry neither.
// Package apikeys proves the figures.
func TestAnswersTellTheLimitAndWhenTheKeyStops(t *testing.T) {
	t.Parallel()
	w := start(t)
	key := w.Key(w.Organisation(testkit.Organisation{}).ID)
	stops := time.Now().Add(29 * 24 * time.Hour).UTC().Truncate(time.Millisecond)
	require.Empty(t, w.get(t, "/api/v1/forks", key).Header.Values("DG-Key-Expires"))
	w.Exec(`update api_keys set expires_at = $2 where id = $1`, key.ID, stops)
	shown := func(path string, status int, left string) {
		got := w.get(t, path, key).Is(t, status)
		require.Equal(t, `"key";q=120;w=60`, got.Header.Get("RateLimit-Policy"))
		require.Regexp(t, `^"key";r=`+left+`;t=([1-9]|[1-5]\d|60)$`, got.Header.Get("RateLimit"))
		require.Equal(t, []string{stops.Format("2006-01-02T15:04:05.000Z")},
			got.Header.Values("DG-Key-Expires"), path)
	}
	shown("/api/v1/forks", 200, "118")
	shown("/api/v1/nowhere", 404, "117")
	shown("/api/v1/forks/x", 404, "116")
	w.Exec(fullWindow, key.ID)
	shown("/api/v1/forks", 429, "0")
	w.Exec(`delete from api_key_windows`)
	wrong := w.send(t, http.MethodGet, "/api/v1/forks", "Bearer "+wrongSecret(key))
	require.Empty(t, wrong.Header.Values("DG-Key-Expires"))
	require.Empty(t, wrong.Header.Values("RateLimit"))
}
