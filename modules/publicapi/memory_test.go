package publicapi_test

import (
	"io"
	"net/http"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// A response for 100,000 players, which is made as a whole, allocates at most 360 bytes a player
// beyond their sums.
//
//nolint:paralleltest // it counts all allocations of the process
func TestMemoryOfLongAnswer(t *testing.T) {
	players := soak(100_000, 20_000)
	const (
		sum    = 16        // bytes of a player's sums
		beyond = 360       // other bytes of a player: label, order, its JSON and that compressed
		fixed  = 200 << 10 // bytes of a request
	)
	limit := uint64((sum+beyond)*players + fixed)
	h := newHistory(1, 1)
	w := start(t, h)
	w.Exec(`insert into players (id, org_id, ordinal, label, display_name)
		select gen_random_uuid(), $1, i, 'P-' || lpad(i::text, 10, '0'), 'Player ' || i
		  from generate_series(2, $2::int) i`,
		h.id, players)
	w.Exec(`insert into plays (id, org_id, fork_id, player, started_at, answers)
		select gen_random_uuid(), $1, $2, ordinal,
		  '2024-05-01'::timestamptz + ordinal % 86000 * interval '1 s', '' from players where org_id = $1`,
		h.id, h.forks[0])
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
		w.url+"/api/v1/forks/"+h.forks[0]+"/stats?from=2024-05-01&to=2024-05-01", http.NoBody)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+w.key(t, h.id).String())
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	defer client.CloseIdleConnections()
	for _, encoding := range []string{"identity", "gzip"} {
		request.Header.Set("Accept-Encoding", encoding)
		least := uint64(1 << 62)
		length := int64(0)
		// more often under the race detector, which drops some objects of pools
		for asked := 0; asked < 5 || least >= limit && asked < 40; asked++ {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			response, err := client.Do(request)
			require.NoError(t, err)
			length, err = io.Copy(io.Discard, response.Body)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			require.Equal(t, http.StatusOK, response.StatusCode)
			runtime.ReadMemStats(&after)
			least = min(least, after.TotalAlloc-before.TotalAlloc)
		}
		t.Logf("%s: an answer of %d players in %d bytes allocates %d bytes beyond their sums",
			encoding, players, length, int64(least)-int64(sum*players))
		require.Less(t, least, limit, encoding)
	}
}
