package assembly_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/testkit"
)

// loadCase is a request that many clients repeat and that waits for a lock. Of 12 connections, all unauthenticated
// requests may hold 3, and those of an organisation on the screens 3.
type loadCase struct {
	name, lock string
	hold       int
	ask        func(w *world, first tenant, turn int) // may fail
	check      func(w *world, first tenant, owner *testkit.Browser)
}

var loadCases = []loadCase{
	{"first uses of a key", `select from api_keys where id = 'KEY' for update`, 3,
		func(w *world, x tenant, _ int) { w.ask("/api/v1/forks", x.key.Token(), 0) }, nil},
	{"wrong secrets from many networks", `select from api_key_windows where refused and key_id = 'KEY' for update`,
		3, func(w *world, x tenant, turn int) {
			wrong := testkit.Key{ID: x.key.ID, Secret: strings.Repeat("0", len(x.key.Secret))}
			w.ask("/api/v1/forks", wrong.Token(), turn)
		}, func(w *world, x tenant, _ *testkit.Browser) {
			require.Equal(w.T, http.StatusOK, w.call(x, "/api/v1/forks"), "its right secret")
		}},
	{"sign-ins to an account from one address",
		`update password_guesses set wrong = 1 where key_hash = sha256('account:EMAIL')`, 2,
		func(w *world, x tenant, _ int) { signInWith(w.Browser("198.51.100.1"), x.owner.Email, wrongPassword) }, nil},
	{"screens of one organisation", `lock table api_key_usage in access exclusive mode`, 3,
		func(w *world, x tenant, _ int) { w.ask("/o/"+x.Slug+"/settings/api-keys/"+x.key.ID, "", 0) },
		func(w *world, x tenant, owner *testkit.Browser) {
			owner.Post("/o/"+x.Slug+"/settings/api-keys/"+x.key.ID+"/revoke", nil).Is(w.T, 303)
		}},
}

// rules.md, Bounds: slow requests of one organisation leave connections for others' keys, screens and sign-ins.
func TestLoadLeavesConnectionsForOthers(t *testing.T) {
	t.Parallel()
	for _, c := range loadCases {
		t.Run(c.name, func(t *testing.T) {
			w := start(t)
			first := w.tenant(10)
			second := w.tenant(10)
			owner := w.signIn(first.owner, "192.0.2.201")
			w.cookie = owner.Session()
			other := w.signIn(second.owner, "192.0.2.202")
			owner.Get("/o/" + first.Slug + "/settings/api-keys")
			other.Get("/o/" + second.Slug + "/settings/api-keys")
			for _, known := range []tenant{first, second} {
				if c.name != "first uses of a key" {
					require.Equal(t, http.StatusOK, w.call(known, "/api/v1/forks"))
				}
			}
			w.Exec(`insert into password_guesses (key_hash, wrong, ends_at)
				values (sha256($1), 10, now() + interval '5 min') on conflict (key_hash)
				do update set (wrong, ends_at) = (10, excluded.ends_at)`, "account:"+first.owner.Email)
			lock := w.Begin(strings.NewReplacer("KEY", first.key.ID, "EMAIL", first.owner.Email).Replace(c.lock))
			defer w.startLoad(func(turn int) { c.ask(w, first, turn) })()
			defer func() { _ = lock.Rollback(context.Background()) }()
			apptest.Until(t, 20*time.Second, "the load takes too few connections", func() bool {
				return w.Pools.Requests.Pool.Stat().AcquiredConns() >= int32(c.hold)
			})
			// AcquiredConns would include short statements, so count statements that wait for the lock
			for range 200 {
				require.LessOrEqual(t, testkit.One[int](w.World.World,
					`select count(distinct pid) from pg_locks join pg_stat_activity using (pid)
					where datname = current_database() and not granted`), c.hold)
			}
			require.Equal(t, http.StatusOK, w.call(second, "/api/v1/forks"))
			// the list of keys reads the locked tables, so this is another page
			other.Get("/o/"+second.Slug+"/settings/organisation").Is(t, 200)
			w.signIn(second.owner, "198.51.100.2").Get("/o/"+second.Slug+"/settings/organisation").Is(t, 200)
			if c.check != nil {
				c.check(w, first, owner)
			}
		})
	}
}

func (w *world) startLoad(ask func(turn int)) (stop func()) {
	var ended atomic.Bool
	var all sync.WaitGroup
	for turn := range 40 {
		all.Go(func() {
			for ; !ended.Load(); turn += 40 {
				ask(turn)
			}
		})
	}
	return func() {
		ended.Store(true)
		all.Wait()
	}
}

// ask sends a request from one of 100 networks, with a key or, for "", with w.cookie. It ignores failures.
func (w *world) ask(path, token string, network int) {
	request, _ := http.NewRequestWithContext(w.T.Context(), http.MethodGet, w.Base+path, http.NoBody)
	if token == "" {
		request.AddCookie(&http.Cookie{Name: "__Host-dg", Value: w.cookie})
	} else {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	request.Header.Set("X-Forwarded-For", fmt.Sprintf("192.0.2.%d", network%100))
	if response, err := http.DefaultTransport.RoundTrip(request); err == nil {
		_ = response.Body.Close()
	}
}
