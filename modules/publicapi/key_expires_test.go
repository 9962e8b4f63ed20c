package publicapi_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// rules.md, Keys: from 30 days before a key stops, authenticated answers of any status carry
// DG-Key-Expires; others do not. Package apikeys proves the instant.
func TestAnswersSayWhenTheKeyStops(t *testing.T) {
	t.Parallel()
	h := newHistory(1, 1)
	w := start(t, h)
	token := w.key(t, h.id)
	stops := time.Now().Add(29 * 24 * time.Hour).UTC().Truncate(time.Millisecond)
	require.Empty(t, w.get(t, "/api/v1/forks", token).Header.Values("DG-Key-Expires"))
	w.Exec(`update api_keys set expires_at = $2 where id = $1`, token.ID, stops)
	shown := func(path string, status int) {
		got := w.get(t, path, token)
		require.Equal(t, status, got.StatusCode)
		require.Equal(t, []string{stops.Format("2006-01-02T15:04:05.000Z")},
			got.Header.Values("DG-Key-Expires"), path)
	}
	shown("/api/v1/forks", 200)
	shown("/api/v1/nowhere", 404)
	shown("/api/v1/forks/x", 404)
	w.Exec(`update api_key_windows set instants = array_fill(clock_timestamp(), array[120])`)
	shown("/api/v1/forks", 429)
	w.freeWindows()
	wrong := w.send(t, http.MethodGet, "/api/v1/forks", "Bearer "+wrongSecret(token))
	require.Empty(t, wrong.Header.Values("DG-Key-Expires"))
}
