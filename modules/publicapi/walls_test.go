package publicapi_test

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/exports"
	"dg/modules/games"
	"dg/modules/org"
	"dg/modules/publicapi"
	"dg/modules/reports"
	"dg/platform/authz"
	"dg/platform/httpserver"
)

// openPolicy allows everything.
type openPolicy struct{}

func (openPolicy) Authorize(authz.Subject, authz.Permission, string) error { return nil }

// withOpenPolicy serves the API on the world's database with the policy out of force, and sends to
// it from here on.
func (w *world) withOpenPolicy(t *testing.T) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	w.url = "http://" + ln.Addr().String()
	policy, err := authz.New()
	require.NoError(t, err)
	figures := reports.New(w.db.DB, w.db.DB)
	api, err := publicapi.New(publicapi.Modules{
		Keys:    w.keys,
		Games:   games.New(w.db.DB),
		Reports: figures,
		Exports: exports.New(figures, w.log),
		Orgs:    org.New(w.db.DB, w.log, policy),
		Policy:  openPolicy{},
	}, w.url)
	require.NoError(t, err)
	server := httpserver.New(httpserver.Options{
		Logger: slog.New(slog.DiscardHandler),
		Grace:  time.Second,
	})
	api.Mount(server.App())
	var served sync.WaitGroup
	served.Go(func() { _ = server.Serve(ln) })
	t.Cleanup(func() {
		_ = server.Shutdown(context.Background())
		served.Wait()
	})
}

// The other wall is TestPolicyHoldsWithoutTheOrganisationInStatements: the statements hold without
// the policy.
func TestStatementsHoldWithoutThePolicy(t *testing.T) {
	t.Parallel()
	w := start(t)
	random := rand.New(rand.NewPCG(7, 7))
	own := newHistory(random, 1, 5, 5)
	other := newHistory(random, 1, 5, 5)
	w.load(t, own, other)
	key := w.key(t, own.id)
	w.withOpenPolicy(t)
	const period = "?from=2026-03-01&to=2026-03-31"
	fork := func(h *history, path string) int {
		return w.get(t, "/api/v1/forks/"+h.forks[0]+path, key).StatusCode
	}
	for _, path := range []string{"", "/stats" + period, "/exports/csv" + period} {
		require.Equal(t, http.StatusOK, fork(own, path), path)
		require.Equal(t, http.StatusNotFound, fork(other, path), path)
	}
	for _, path := range []string{"/stats" + period, "/exports/csv" + period} {
		require.Equal(t, http.StatusNotFound, fork(own, path+"&groupId="+other.groups[0].id), path)
	}
	list := w.get(t, "/api/v1/forks", key)
	require.Contains(t, list.body, own.forks[0])
	require.NotContains(t, list.body, other.forks[0])
}
