package assembly_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/fixtures"
)

// send sends a request with a header and returns the status, 0 when ctx ends before.
func (w *world) send(ctx context.Context, method, path, header, value string) int {
	request, err := http.NewRequestWithContext(ctx, method, w.url+path, http.NoBody)
	if err != nil {
		return 0
	}
	request.Header.Set(header, value)
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	// one of many networks
	request.Header.Set("X-Forwarded-For", fmt.Sprintf("192.0.2.%d", rand.IntN(100)))
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode
}

// crowd sends requests at once, again and again, until leave is called.
func (w *world) crowd(method, path, header, value string) (leave func()) {
	ctx, stop := context.WithCancel(w.t.Context())
	var all sync.WaitGroup
	for range 40 {
		all.Go(func() {
			for ctx.Err() == nil {
				w.send(ctx, method, path, header, value)
			}
		})
	}
	return func() {
		stop()
		all.Wait()
	}
}

// holds locks until release is called.
func (w *world) holds(sql string, args ...any) (release func()) {
	w.t.Helper()
	tx, err := w.Owner.Pool.Begin(w.t.Context())
	require.NoError(w.t, err)
	_, err = tx.Exec(w.t.Context(), sql, args...)
	require.NoError(w.t, err)
	release = sync.OnceFunc(func() { require.NoError(w.t, tx.Rollback(context.Background())) })
	w.t.Cleanup(release)
	return release
}

// neverMore requires that for a while no more statements wait for the lock. Statements that end at
// once, of the session or the program's own work, hold connections too and do not count.
func (w *world) neverMore(most int) {
	w.t.Helper()
	for range 200 {
		var waiting int
		require.NoError(w.t, w.Owner.Pool.QueryRow(w.t.Context(),
			`select count(distinct pid) from pg_locks join pg_stat_activity using (pid)
			where datname = current_database() and not granted`).Scan(&waiting))
		require.LessOrEqual(w.t, waiting, most)
	}
}

// Of 11 connections of the pool of authentication.
const (
	networksOfAuth = 2 // of all requests without a known credential
	halfOfAuth     = 4 // of what is left, of one organisation
	screensOfOne   = 2 // screens at once of one organisation
)

// A key that the instance has just accepted is unknown no longer: what its first use of a minute
// writes waits among its organisation's, not among the unknown credentials (rules.md, Bounds).
func TestFirstUsesLeaveConnectionsForUnknownKeys(t *testing.T) {
	w := start(t)
	db := fixtures.On(t, w.Database)
	slow := newTenant(db, 10)
	fresh := newTenant(db, 10)
	release := w.holds(`select from api_keys where id = $1 for update`, slow.key.ID)
	leave := w.crowd(http.MethodGet, "/api/v1/forks", "Authorization", "Bearer "+slow.key.Token())
	defer leave()
	inUse(t, w.p.Pools.Auth.Pool, halfOfAuth)
	require.Equal(t, http.StatusOK,
		w.send(t.Context(), http.MethodGet, "/api/v1/forks", "Authorization",
			"Bearer "+fresh.key.Token()))
	release()
}

// Uses of keys that take long, here for a lock, leave connections: wrong secrets of many networks
// take a fifth at most, and keys that were accepted before are not among them, nor are sign-ins
// (rules.md, Bounds). Without the lock a key that is new to the instance is accepted beside them.
func TestRejectedKeysLeaveConnectionsForOthers(t *testing.T) {
	w := start(t)
	db := fixtures.On(t, w.Database)
	first := newTenant(db, 10)
	second := newTenant(db, 10)
	for _, of := range []tenant{first, second} {
		require.Equal(t, http.StatusOK,
			w.send(t.Context(), http.MethodGet, "/api/v1/forks", "Authorization",
				"Bearer "+of.key.Token()))
	}
	release := w.holds(`select from api_key_windows where key_id = $1 and refused for update`,
		first.key.ID)
	wrong := fixtures.Key{ID: first.key.ID, Secret: strings.Repeat("0", len(first.key.Secret))}
	leave := w.crowd(http.MethodGet, "/api/v1/forks", "Authorization", "Bearer "+wrong.Token())
	defer leave()
	inUse(t, w.p.Pools.Auth.Pool, networksOfAuth)
	w.neverMore(networksOfAuth)
	for _, of := range []tenant{first, second} {
		require.Equal(t, http.StatusOK,
			w.send(t.Context(), http.MethodGet, "/api/v1/forks", "Authorization",
				"Bearer "+of.key.Token()))
	}
	owner := db.Member(first.fork.OrganisationID, "owner").Email
	require.Equal(t, http.StatusSeeOther, w.browser().signIn(owner, password))
	release()
	fresh := "Bearer " + newTenant(db, 10).key.Token()
	require.Equal(t, http.StatusOK,
		w.send(t.Context(), http.MethodGet, "/api/v1/forks", "Authorization", fresh))
}

// Screens of one person that take long leave places and connections for others, and a key can be
// revoked meanwhile.
func TestScreensOfOneOrganisationLeaveRoomForOthers(t *testing.T) {
	w := start(t)
	db := fixtures.On(t, w.Database)
	first := newTenant(db, 10)
	second := newTenant(db, 10)
	cookies := map[string]string{}
	for _, of := range []tenant{first, second} {
		b := w.browser()
		require.Equal(t, http.StatusSeeOther,
			b.signIn(db.Member(of.fork.OrganisationID, "owner").Email, password))
		cookies[of.fork.OrganisationID] = "__Host-dg=" + b.cookies["__Host-dg"]
	}
	keys := func(of tenant) string {
		return "/o/" +
			fixtures.One[string](db, `select slug from organisations where id = $1`,
				of.fork.OrganisationID) + "/settings/api-keys"
	}
	require.Equal(t, http.StatusOK,
		w.send(t.Context(), http.MethodGet, keys(first), "Cookie",
			cookies[first.fork.OrganisationID]))
	w.holds(`lock table api_key_usage in access exclusive mode`)
	leave := w.crowd(http.MethodGet, keys(first)+"/"+first.key.ID, "Cookie",
		cookies[first.fork.OrganisationID])
	defer leave()
	inUse(t, w.p.Pools.Auth.Pool, screensOfOne)
	w.neverMore(screensOfOne)
	require.Equal(t, http.StatusOK,
		w.send(t.Context(), http.MethodGet, keys(second), "Cookie",
			cookies[second.fork.OrganisationID]))
	require.Equal(t, http.StatusOK,
		w.send(t.Context(), http.MethodGet, "/api/v1/forks", "Authorization",
			"Bearer "+second.key.Token()))
	require.Equal(t, http.StatusSeeOther,
		w.send(t.Context(), http.MethodPost, keys(first)+"/"+first.key.ID+"/revoke", "Cookie",
			cookies[first.fork.OrganisationID]))
}

// Exports and downloads of the audit log outlive their requests, and still queue with their
// organisation: what holds the share of the program's own work delays none of them (rules.md,
// Bounds).
func TestDownloadsQueueWithTheirOrganisation(t *testing.T) {
	w := start(t)
	db := fixtures.On(t, w.Database)
	of := newTenant(db, 10)
	b := w.browser()
	require.Equal(t, http.StatusSeeOther,
		b.signIn(db.Member(of.fork.OrganisationID, "owner").Email, password))
	for range halfOfAuth {
		held, err := w.p.Pools.Auth.Pool.Acquire(t.Context())
		require.NoError(t, err)
		t.Cleanup(held.Release)
	}
	require.Equal(t, http.StatusOK, w.exportStatus(of.key.Token(), of.fork.ID))
	slug := fixtures.One[string](db, `select slug from organisations where id = $1`,
		of.fork.OrganisationID)
	download, body := b.send(http.MethodGet, "/o/"+slug+"/settings/audit-log.csv", nil)
	require.Equal(t, http.StatusOK, download.StatusCode, body)
}
