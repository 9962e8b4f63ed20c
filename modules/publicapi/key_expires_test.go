package publicapi_test

import (
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// rules.md, Keys: from 30 days before a key stops, its authenticated answers say when: the earlier
// of its expiry and its coming revocation. Nobody else is told.
func TestAnswersSayWhenTheKeyStops(t *testing.T) {
	t.Parallel()
	w := start(t)
	h := newHistory(rand.New(rand.NewPCG(1, 1)), 1, 1)
	w.load(t, h)
	token := w.key(t, h.id)
	set := func(expires, revoked any) {
		w.exec(t, `update api_keys set expires_at = $2, revoked_at = $3 where id = $1`, token.ID,
			expires, revoked)
	}
	day := 24 * time.Hour
	soon := time.Now().Add(29 * day).UTC().Truncate(time.Millisecond)
	later := time.Now().Add(31 * day)
	set(later, nil)
	require.Empty(t, w.get(t, "/api/v1/forks", token).Header.Values("DG-Key-Expires"))
	set(soon, nil)
	want := soon.Format("2006-01-02T15:04:05.000Z")
	for path, status := range map[string]int{
		"/api/v1/forks":   200,
		"/api/v1/nowhere": 404,
		"/api/v1/forks/x": 404,
	} {
		a := w.get(t, path, token)
		require.Equal(t, status, a.StatusCode)
		require.Equal(t, []string{want}, a.Header.Values("DG-Key-Expires"), path)
	}
	stops := time.Now().Add(day).UTC().Truncate(time.Millisecond)
	set(soon, stops)
	require.Equal(t, stops.Format("2006-01-02T15:04:05.000Z"),
		w.get(t, "/api/v1/forks", token).Header.Get("DG-Key-Expires"), "it was replaced")
	w.exec(t, `update api_key_windows set instants = array_fill(clock_timestamp(), array[120])`)
	a := w.get(t, "/api/v1/forks", token)
	require.Equal(t, http.StatusTooManyRequests, a.StatusCode)
	require.NotEmpty(t, a.Header.Get("DG-Key-Expires"))

	wrong := token
	wrong.Secret = token.Secret[1:] + "A"
	require.Empty(t, w.get(t, "/api/v1/forks", wrong).Header.Values("DG-Key-Expires"),
		"with a wrong secret")
	set(time.Now().Add(-day), nil)
	require.Empty(t, w.get(t, "/api/v1/forks", token).Header.Values("DG-Key-Expires"),
		"it has expired")
}
