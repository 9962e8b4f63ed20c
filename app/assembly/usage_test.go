package assembly_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/fixtures"
)

// What a key did is stored when the program stops, however it stops: nothing waits for the next
// minute, the listener may have failed, and the end of an export may be slow to record.
func TestUsageIsStoredWhenTheProgramStops(t *testing.T) {
	t.Parallel()
	for name, stop := range map[string]func(t *testing.T, w *world, a tenant){
		"told to": func(t *testing.T, w *world, _ tenant) {
			t.Helper()
			require.NoError(t, w.stop())
		},
		"listener fails": func(t *testing.T, w *world, _ tenant) {
			t.Helper()
			require.NoError(t, w.ln.Close())
			_ = w.end()
		},
		"slow end of an export": func(t *testing.T, w *world, a tenant) {
			t.Helper()
			w.exec(`create function dawdle() returns trigger language plpgsql as $$ begin
				if new.action = 'export.finished' then perform pg_sleep(3); end if; return new; end $$`)
			w.exec(
				`create trigger dawdle before insert on audit_entries for each row execute function dawdle()`,
			)
			require.Equal(t, http.StatusOK, w.exportStatus(a.key.Token(), a.fork.ID))
			require.NoError(t, w.stop())
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := start(t)
			a := newTenant(w.store, 1)
			for path, want := range map[string]int{
				"/api/v1/forks":   http.StatusOK,
				"/api/v1/forks/x": http.StatusNotFound,
				"/docs":           http.StatusForbidden,
			} {
				request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.url+path,
					http.NoBody)
				require.NoError(t, err)
				request.Header.Set("Authorization", "Bearer "+a.key.Token())
				response, err := http.DefaultClient.Do(request)
				require.NoError(t, err)
				_ = response.Body.Close()
				require.Equal(t, want, response.StatusCode, path)
			}
			const stored = `select count(*) from api_key_usage
				where key_id = $1 and accepted >= 2 and (refused, limited) = (1, 0)`
			require.Zero(t, fixtures.One[int](w.store, stored, a.key.ID))
			stop(t, w, a)
			w.p.Close()
			require.Equal(t, 1, fixtures.One[int](w.store, stored, a.key.ID))
		})
	}
}
