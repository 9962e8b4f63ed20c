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
	"dg/platform/limit"
	"dg/platform/testkit"
)

// Places among the 12 connections of the request pool.
const (
	ofNetworks = 3 // of all requests with an unknown credential
	ofSurface  = 3 // of one organisation on the API, and again on the screens
)

// crowding is a request that many clients of one organisation, or unauthenticated clients, repeat.
// Each waits for a lock. They may hold that many connections, and other requests are answered.
type crowding struct {
	name string
	lock func(first tenant) string
	ask  func(w *world, first tenant, turn int) // may fail
	hold int
	also func(w *world, first tenant, owner *testkit.Browser)
}

var crowdings = []crowding{
	{
		"first uses of a key", func(x tenant) string {
			return `select from api_keys where id = '` + x.key.ID + `' for update`
		},
		func(w *world, x tenant, _ int) { w.ask("/api/v1/forks", x.key.Token(), 0) },
		ofNetworks, nil,
	},
	{
		"wrong secrets from many networks", func(x tenant) string {
			return `select from api_key_windows where refused and key_id = '` + x.key.ID + `' for update`
		},
		func(w *world, x tenant, turn int) {
			wrong := testkit.Key{ID: x.key.ID, Secret: strings.Repeat("0", len(x.key.Secret))}
			w.ask("/api/v1/forks", wrong.Token(), turn)
		},
		ofNetworks, func(w *world, x tenant, _ *testkit.Browser) {
			require.Equal(w.T, http.StatusOK, w.call(x, "/api/v1/forks"), "its right secret")
		},
	},
	{
		"sign-ins to an account from one address", func(x tenant) string {
			return `insert into password_guesses (key_hash, wrong, ends_at) values
				(sha256('account:` + x.owner.Email + `'), 1, now() + interval '5 min')
				on conflict (key_hash) do update set wrong = 1`
		},
		func(w *world, x tenant, _ int) {
			signInWith(w.Browser("198.51.100.1"), x.owner.Email, wrongPassword)
		},
		2, nil,
	},
	{
		"screens of one organisation", func(tenant) string {
			return `lock table api_key_usage in access exclusive mode`
		},
		func(w *world, x tenant, _ int) {
			w.ask("/o/"+x.Slug+"/settings/api-keys/"+x.key.ID, "", 0)
		},
		ofSurface, func(w *world, x tenant, owner *testkit.Browser) {
			revoke := "/o/" + x.Slug + "/settings/api-keys/" + x.key.ID + "/revoke"
			owner.Post(revoke, nil).Is(w.T, 303)
		},
	},
}

// rules.md, Bounds: slow requests of one organisation leave connections for others, whose keys,
// screens and sign-ins are answered.
func TestCrowdLeavesConnectionsForOthers(t *testing.T) {
	t.Parallel()
	for _, c := range crowdings {
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
				do update set (wrong, ends_at) = (10, excluded.ends_at)`,
				"account:"+first.owner.Email)
			lock := w.Begin(c.lock(first))
			defer w.crowd(func(turn int) { c.ask(w, first, turn) })()
			defer func() { _ = lock.Rollback(context.Background()) }()
			apptest.Until(t, 20*time.Second, "the crowd does not crowd", func() bool {
				return w.Pools.Requests.Pool.Stat().AcquiredConns() >= int32(c.hold)
			})
			// AcquiredConns would also count short statements: count those that wait for the lock
			for range 200 {
				require.LessOrEqual(t, testkit.One[int](w.World.World,
					`select count(distinct pid) from pg_locks join pg_stat_activity using (pid)
					where datname = current_database() and not granted`), c.hold)
			}
			require.Equal(t, http.StatusOK, w.call(second, "/api/v1/forks"))
			// not the list of keys, which reads what is locked
			other.Get("/o/"+second.Slug+"/settings/organisation").Is(t, 200)
			w.signIn(second.owner, "198.51.100.2")
			if c.also != nil {
				c.also(w, first, owner)
			}
		})
	}
}

// rules.md, Rate limits: a key's whole minute may come at once. None is over the rate, and only one
// that a busy machine let wait for limit.Wait is 503, which may not count. The next is over the rate.
func TestWholeMinuteOfReportsAtOnceIsAnswered(t *testing.T) {
	w := start(t)
	x := w.tenant(100)
	var answered, late atomic.Int32
	testkit.Concurrently(120, func(int) {
		began := time.Now()
		switch status := w.call(x, x.statsPath()); {
		case status == http.StatusOK:
			answered.Add(1)
		case status == http.StatusServiceUnavailable && time.Since(began) >= limit.Wait:
			late.Add(1)
		}
	})
	require.Equal(t, int32(120), answered.Load()+late.Load())
	status := http.StatusOK
	for i := int32(0); i <= late.Load() && status == http.StatusOK; i++ {
		status = w.call(x, x.statsPath())
	}
	require.Equal(t, http.StatusTooManyRequests, status)
}

// crowd asks from 40 clients, again and again, until leave is called.
func (w *world) crowd(ask func(turn int)) (leave func()) {
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

// ask sends a request with a key, or ("") with the first owner's session, from one of 100 networks.
// It ignores failures.
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
