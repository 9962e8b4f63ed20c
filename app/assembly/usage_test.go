package assembly_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/fixtures"
)

// What a key did is stored when the program stops, the requests that finish meanwhile included: nothing waits for the next minute.
func TestUsageIsStoredWhenTheProgramStops(t *testing.T) {
	w := start(t)
	db := fixtures.On(t, w.Database)
	key := db.Key(db.Organisation(fixtures.Organisation{}).ID, "forks:read")
	for path, want := range map[string]int{"/api/v1/forks": http.StatusOK, "/api/v1/forks/x": http.StatusNotFound, "/docs": http.StatusForbidden} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.url+path, http.NoBody)
		require.NoError(t, err)
		request.Header.Set("Authorization", "Bearer "+key.Token())
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		_ = response.Body.Close()
		require.Equal(t, want, response.StatusCode, path)
	}
	const stored = `select count(*) from api_key_usage where key_id = $1 and (accepted, refused, limited) = (2, 1, 0)`
	require.Zero(t, fixtures.One[int](db, stored, key.ID))
	require.NoError(t, w.stop())
	require.Equal(t, 1, fixtures.One[int](db, stored, key.ID))
}
